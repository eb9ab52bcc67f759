import Glibc
import LibCrypto
package import ScanConfiguration
package import ScanModel
import Synchronization

/// The console's tokens, and who shows them. Of a token only its digest is kept.
///
/// An address that has shown wrong ones is not looked at for a while, whatever it shows: right tokens cannot be found by trying.
package final class TokenBook: Sendable {
  /// How many wrong tokens one address may show, and then one more each `pause`.
  static let mostFailures = 10
  static let pause: Duration = .seconds(6)
  /// How many addresses are remembered; the one that waits least is forgotten first.
  static let mostAddresses = 1_024

  private struct Entry {
    let digest: [UInt8]
    let caller: ConsoleCaller
  }

  /// What a token is worth.
  enum Judgement: Sendable, Equatable {
    case known(ConsoleCaller)
    case unknown
    /// It is not looked at before so many seconds have gone.
    case later(seconds: Int)
  }

  private let entries: [Entry]
  private let time: any TimeSource
  /// Until when each address is in debt: each failure adds a pause.
  private let debts = Mutex<[String: MonotonicTime]>([:])

  /// - Parameter tokens: each with its text.
  package init(_ tokens: [(token: ConsoleToken, text: String)], time: any TimeSource = SystemTime()) {
    entries = tokens.map {
      Entry(
        digest: SHA256.hash(data: [UInt8]($0.text.utf8)),
        caller: ConsoleCaller(name: $0.token.credential.name, scopes: $0.token.scopes))
    }
    self.time = time
  }

  /// Who shows this token. How long it takes tells nothing of where tokens differ, nor which of them is shown.
  func judge(_ token: String, from address: String) -> Judgement {
    let now = time.now()
    if let wait = wait(of: address, now) { return .later(seconds: wait) }
    let digest = SHA256.hash(data: [UInt8](token.utf8))
    var found: ConsoleCaller?
    for entry in entries where areEqualInConstantTime(entry.digest, digest) { found = entry.caller }
    if let found { return .known(found) }
    remember(address, now)
    return .unknown
  }

  /// How many addresses are remembered.
  var remembered: Int { debts.withLock { $0.count } }

  private func wait(of address: String, _ now: MonotonicTime) -> Int? {
    debts.withLock { debts in
      guard let until = debts[address] else { return nil }
      let wait = until - now - Self.pause * (Self.mostFailures - 1)
      guard wait > .zero else { return nil }
      let (seconds, rest) = wait.components
      return Int(clamping: seconds) + (rest > 0 ? 1 : 0)
    }
  }

  private func remember(_ address: String, _ now: MonotonicTime) {
    debts.withLock { debts in
      if debts.count >= Self.mostAddresses, debts[address] == nil {
        debts = debts.filter { $0.value > now }
        if debts.count >= Self.mostAddresses, let least = debts.min(by: { $0.value < $1.value }) {
          debts[least.key] = nil
        }
      }
      debts[address] = max(debts[address] ?? now, now) + Self.pause
    }
  }
}
