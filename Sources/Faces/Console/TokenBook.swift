import Glibc
import LibCrypto
package import ScanConfiguration
package import ScanModel
import Synchronization

/// The console's tokens, and who shows them. Of a token only its digest is kept.
///
/// A right token is taken always, whoever has shown wrong ones from the same address: on this machine that may be any program, and behind
/// a proxy anybody. Wrong ones are counted by address, and whoever shows many of them is told to wait. What keeps a token from being
/// found by trying is its length.
package final class TokenBook: Sendable {
  /// How many wrong tokens one address may show before it is told to wait, and then one more each `pause`.
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
    /// It is unknown as well, and so many came from there lately that the next one has to wait for so many seconds.
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

  /// Who shows this token.
  func judge(_ token: String, from address: String) -> Judgement {
    // Whatever came before from there is looked at afterwards: it keeps no right token waiting.
    if let found = caller(of: [UInt8](token.utf8)) { return .known(found) }
    let now = time.now()
    if let wait = wait(of: address, now) { return .later(seconds: wait) }
    remember(address, now)
    return .unknown
  }

  /// Whose token this is; `nil` where it is none. How long it takes tells nothing of where tokens differ, nor which of them is shown:
  /// digests are compared, always all of them, each in a time that does not depend on what they are.
  func caller(of token: [UInt8]) -> ConsoleCaller? {
    let digest = SHA256.hash(data: token)
    var found: Int?
    for (index, entry) in entries.enumerated() where areEqualInConstantTime(entry.digest, digest) { found = index }
    return found.map { entries[$0].caller }
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
