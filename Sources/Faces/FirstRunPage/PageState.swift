internal import FirstRun
internal import ScanModel
internal import Synchronization

/// What the page's process knows: what is to be seen, and which browser may see it. No key is ever in it.
final class PageState: Sendable {
  private struct Known {
    var view: FirstRunView?
    /// How often what is to be seen has become another.
    var revision = 0
    var isOver = false
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    var session: String?
    var token = ""
    var next = 1
    var waiting: [Int: CheckedContinuation<FirstRunText?, Never>] = [:]
  }

  private let known = Mutex(Known())

  /// What is to be seen, and how often that has become another.
  var shown: (view: FirstRunView, revision: Int)? {
    known.withLock { known in known.view.map { ($0, known.revision) } }
  }

  func show(_ view: FirstRunView) {
    known.withLock { known in
      guard known.view != view, !known.isOver else { return }
      known.view = view
      known.revision += 1
      for watcher in known.watchers.values { watcher.yield() }
    }
  }

  // MARK: What the other process is asked

  /// Sends a request, and returns when it was dealt with: what came of it can be seen then.
  /// - Parameter send: sends it by its number.
  /// - Returns: what is to be said where it came to nothing.
  func ask(_ send: (Int) -> Bool) async -> FirstRunText? {
    await withCheckedContinuation { continuation in
      let id = known.withLock { known -> Int? in
        guard !known.isOver else { return nil }
        let id = known.next
        known.next += 1
        known.waiting[id] = continuation
        return id
      }
      guard let id else { return continuation.resume(returning: .own(.pageTerminalEnded)) }
      if !send(id) { answer(id, .own(.pageSilent)) }
    }
  }

  func answer(_ id: Int, _ words: FirstRunText?) {
    known.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: words)
  }

  /// Nobody is answered any more.
  /// - Parameter view: the last that is to be seen; what was seen last, where the other process is just gone.
  func end(_ view: FirstRunView?) {
    let waiting = known.withLock { known in
      if let view, !known.isOver { known.view = view }
      known.isOver = true
      for watcher in known.watchers.values { watcher.yield() }
      defer { known.waiting = [:] }
      return known.waiting.values.map(\.self)
    }
    for continuation in waiting { continuation.resume(returning: .own(.pageTerminalEnded)) }
  }

  // MARK: Who looks on

  /// What somebody is told who has seen a revision.
  enum News: Equatable {
    /// There is another one, of this number.
    case changed(Int)
    /// It is over; the last that is to be seen, where that was told.
    case over(FirstRunView?)
  }

  /// As many look on at a time: a browser's pages, and some strangers'.
  static let mostWatchers = 32

  /// Wakes whenever something may have changed, and once at the beginning; `nil` where too many look on.
  func watch() -> (id: Int, wakes: AsyncStream<Void>)? {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    wake.yield()
    let id = known.withLock { known -> Int? in
      guard known.watchers.count < Self.mostWatchers else { return nil }
      let id = known.next
      known.next += 1
      known.watchers[id] = wake
      return id
    }
    return id.map { ($0, wakes) }
  }

  func endWatch(_ id: Int) { known.withLock { $0.watchers.removeValue(forKey: id) }?.finish() }

  /// What there is to tell.
  /// - Parameter revision: what was seen; `nil` for a stranger, who is told the end and nothing of it.
  func news(after revision: Int?) -> News? {
    known.withLock { known in
      guard let revision else { return known.isOver ? .over(nil) : nil }
      if known.isOver { return .over(known.view.flatMap { $0.isOver ? $0 : nil }) }
      return known.revision == revision ? nil : .changed(known.revision)
    }
  }

  // MARK: Sessions

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
