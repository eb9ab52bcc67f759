package import FleetBook
package import ScanModel
internal import Synchronization
internal import WireCoding

/// What the whole fleet was ordered, as one station knows it: whether it is in maintenance by that.
///
/// ```
///   nothing known ── a valid order ──▶ it holds ── a valid one of a greater number ──▶ that one holds
/// ```
/// Nothing else changes it: no silence, no order that is gone or cannot be believed, no restart. It is remembered in the journal, and gates
/// ask for it each time; whoever shows it is told.
package final class FleetOrderKeeper: Sendable {
  /// What somebody has to know.
  package enum News: Hashable, Sendable {
    /// An order holds from now on.
    case order(FleetOrder)
    /// What lies in the book is none that counts: why. Told once.
    case ignored(String)
  }

  private struct State: Sendable {
    var isRecalled = false
    /// The last order.
    var order: FleetOrder?
    /// Why it is not known what was ordered; then nobody passes.
    var fault: String?
    /// What was read last, whatever it was.
    var read: [UInt8]?
    var report: (@Sendable (News) -> Void)?
    var untold: [News] = []
    var followers: [UInt64: Follower] = [:]
    var nextFollower: UInt64 = 0
  }

  private struct Follower: Sendable {
    var isThere: @Sendable () -> Bool
    var changed: @Sendable () -> Void
  }

  /// So much is kept for whoever listens first, the newest of it.
  static let mostUntold = 100
  /// The version of what is remembered.
  private static let version: UInt8 = 1
  /// How long the disk may take to tell what is remembered, and how long it is left alone where it does not.
  private static let longestRecall = Duration.seconds(5)
  private static let recallPause = Duration.seconds(5)

  private let seal: FleetOrderSeal
  private let book: any AttemptBook
  private let time: any TimeSource
  private let key: LedgerKey
  private let state = Mutex(State())

  /// - Parameters:
  ///   - event: the fleet's name, which is its book's.
  ///   - seal: what reads orders.
  ///   - book: where the last one is remembered.
  package init(event: String, seal: FleetOrderSeal, book: any AttemptBook, time: any TimeSource) {
    self.seal = seal
    self.book = book
    self.time = time
    key = LedgerKey(server: ClaimRows.server(of: event), kind: .entry, bytes: [0] + Array("order".utf8))
  }

  // MARK: Asked

  /// Why nobody passes, in words; `nil` while the fleet is in no maintenance as far as this station knows. From any thread, at once.
  package var maintenance: String? {
    // A section without administrators believes no order, remembered ones neither.
    guard seal.believesSomebody else { return nil }
    return state.withLock { state in
      if let fault = state.fault { return fault }
      return state.order.flatMap { $0.isMaintenance ? $0.words : nil }
    }
  }

  /// The last order that counts; `nil` of none.
  package var order: FleetOrder? { state.withLock { $0.order } }

  /// Has somebody called whenever that changes, for as long as they are there; from any thread, and to return at once.
  package func follow(
    while isThere: @escaping @Sendable () -> Bool, changed: @escaping @Sendable () -> Void
  ) {
    state.withLock { state in
      state.followers[state.nextFollower] = Follower(isThere: isThere, changed: changed)
      state.nextFollower += 1
    }
    // A reload makes each gate anew, and an order may never come.
    _ = present()
  }

  /// Who is there; the others are forgotten. They are asked outside the lock, for it may be their last moment.
  private func present() -> [Follower] {
    let followers = state.withLock { $0.followers }
    let gone = followers.filter { !$0.value.isThere() }.map(\.key)
    state.withLock { state in for id in gone { state.followers[id] = nil } }
    return followers.filter { !gone.contains($0.key) }.map(\.value)
  }

  /// How many are told of changes.
  var followerCount: Int { state.withLock { $0.followers.count } }

  /// Takes news, from any thread; those that came before anybody listened first.
  package func listen(_ report: @escaping @Sendable (News) -> Void) {
    let untold = state.withLock { state in
      state.report = report
      return exchange(&state.untold, with: [])
    }
    for news in untold { report(news) }
  }

  // MARK: Told

  /// Takes up what an earlier process was ordered; to be called before gates decide. A disk that does not tell is asked again, and nobody
  /// passes meanwhile; once it has told, this does nothing.
  package func recall() async {
    guard state.withLock({ !$0.isRecalled }) else { return }
    let (order, fault) = await remembered()
    // What is damaged stays so, until another order comes.
    let isSettled = fault.map { $0.kind == .damaged } ?? true
    let (read, isNew) = state.withLock { state -> ([UInt8]?, Bool) in
      guard !state.isRecalled else { return (nil, false) }
      let words = fault.map {
        "Nobody knows whether the whole fleet is in maintenance: \($0.description) It ends with the next order: scangate fleet maintenance."
      }
      let isNew = words != state.fault || order != state.order
      (state.isRecalled, state.order, state.fault) = (isSettled, order, words)
      return (isSettled ? exchange(&state.read, with: nil) : nil, isNew)
    }
    if isNew { hasChanged(order.flatMap { $0.isMaintenance && seal.believesSomebody ? .order($0) : nil }) }
    // What came meanwhile is judged by what is known now.
    if let read { take(read) }
    guard !isSettled else { return }
    Task { [weak self] in
      try? await Task.sleep(for: Self.recallPause)
      await self?.recall()
    }
  }

  /// Takes what lies in the book; from any thread. What was taken already costs nothing.
  package func take(_ bytes: [UInt8]) {
    let isNew = state.withLock { state in
      guard state.read != bytes else { return false }
      state.read = bytes
      return state.isRecalled
    }
    guard isNew else { return }
    switch seal.open(bytes) {
    case .unusable(let words):
      tell(.ignored("In the fleet's book is an order that counts for nothing: \(words)."))
    case .known(let order):
      let (isLater, news) = state.withLock { state -> (Bool, News?) in
        let former = state.order
        if let known = former {
          if order == known { return (false, nil) }
          guard order.number > known.number else {
            return (
              false,
              .ignored(
                "In the fleet's book is an earlier order (\(order.at.iso8601Seconds), by \(order.who)) than this station knows: the later one holds. \(known.words)"
              )
            )
          }
        }
        let isNews = order.isMaintenance || former?.isMaintenance == true || state.fault != nil
        (state.order, state.fault) = (order, nil)
        return (true, isNews ? .order(order) : nil)
      }
      if isLater {
        remember()
        hasChanged(news)
      } else if let news {
        tell(news)
      }
    }
  }

  /// Gives the journal again what it has lost.
  package func writeAnew() { remember() }

  private func tell(_ news: News) {
    let report = state.withLock { state in
      if state.report == nil {
        if state.untold.count >= Self.mostUntold { state.untold.removeFirst() }
        state.untold.append(news)
      }
      return state.report
    }
    report?(news)
  }

  private func hasChanged(_ news: News?) {
    if let news { tell(news) }
    for follower in present() { follower.changed() }
  }

  // MARK: The journal

  private func remember() {
    guard let order = state.withLock({ $0.order }) else { return }
    var writer = WireWriter()
    writer.put(Self.version)
    order.put(into: &writer)
    book.enqueue(JournalBatch(memory: [key: writer.bytes], isUrgent: true))
  }

  private nonisolated(nonsending) func remembered() async -> (FleetOrder?, JournalFault?) {
    do throws(JournalFault) {
      guard let bytes = try await book.recall([key], until: time.now() + Self.longestRecall)[key] else {
        return (nil, nil)
      }
      do throws(WireError) {
        var reader = WireReader(bytes)
        let version: UInt8 = try reader.take()
        guard version == Self.version else { throw WireError("it is of version \(version)") }
        let order = try FleetOrder(&reader)
        try reader.end()
        return (order, nil)
      } catch {
        throw JournalFault(.damaged, "what the journal has of its orders cannot be read (\(error.description)).")
      }
    } catch { return (nil, error) }
  }
}
