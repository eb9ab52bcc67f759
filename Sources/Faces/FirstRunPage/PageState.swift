internal import FirstRun
internal import ScanModel
internal import Synchronization

/// What the page's process knows: what is to be seen, and which browser may see it. No key is ever in it.
final class PageState: Sendable {
  private struct Known {
    var view: FirstRunView?
    var session: String?
    var token = ""
    var next = 1
    var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
  }

  private let known = Mutex(Known())

  var view: FirstRunView? { known.withLock { $0.view } }

  func show(_ view: FirstRunView) { known.withLock { $0.view = view } }

  /// Asks whether a code is right.
  /// - Parameter ask: sends the question by its number.
  /// - Returns: what is to be said where it is not.
  func admission(_ ask: (Int) -> Bool) async -> String? {
    await withCheckedContinuation { continuation in
      let id = known.withLock { known in
        let id = known.next
        known.next += 1
        known.waiting[id] = continuation
        return id
      }
      if !ask(id) { answer(id, "The terminal does not answer.") }
    }
  }

  func answer(_ id: Int, _ words: String?) {
    known.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: words)
  }

  /// The other process is gone: nobody is answered any more.
  func end() {
    let waiting = known.withLock { known in
      defer { known.waiting = [:] }
      return known.waiting.values.map(\.self)
    }
    for continuation in waiting { continuation.resume(returning: "The terminal has ended.") }
  }

  /// Begins the one session that there is.
  /// - Returns: what its browser shows from now on.
  func begin() -> String {
    known.withLock { known in
      let session = Self.newToken()
      known.session = session
      known.token = Self.newToken()
      return session
    }
  }

  /// What forms of this browser show; `nil` where it may not.
  func token(of session: String?) -> String? {
    guard let session else { return nil }
    return known.withLock { $0.session.map { Self.isSame($0, session) } == true ? $0.token : nil }
  }

  /// In a time that tells nothing of what is the same.
  static func isSame(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// 128 random bits.
  private static func newToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in String(random.next() as UInt64, digits: 16, radix: 16) }.joined()
  }
}
