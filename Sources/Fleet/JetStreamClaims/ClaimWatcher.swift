internal import FleetBook
internal import ScanModel
internal import Synchronization
internal import WireText

/// What changes in a bucket, for one who watches.
///
/// ```
///           a consumer is made, after the last revision           asked for some more
///   none ────────────────────────────────────────────▶ waiting ◀────────────────────▶ coming
///     ▲                                                  │  │                            │
///     └── connection, consumer or a message is lost ─────┴──┴────────────────────────────┘
/// ```
/// The server sends no more than it was asked for, and is asked once nothing waits to be taken: so no more than a batch waits here,
/// whoever takes how slowly.
final class ClaimWatcher: Sendable {
  private struct Consumer: Sendable {
    let name: String
    let ear: JetStreamLink.Ear
  }

  private struct State: Sendable {
    var isOver = false
    /// The last that was put down to be taken.
    var last: ClaimRevision
    /// How often a consumer was begun; what former ones send is not taken.
    var round: UInt64 = 0
    var consumer: Consumer?
    /// The number of the next message of the consumer.
    var expected: UInt64 = 1
    /// How many messages it was asked for that have not come.
    var asked = 0
    var isCaughtUp = false
    var news: [ClaimWatch] = []
    /// When something came last.
    var heard = MonotonicTime(nanoseconds: 0)
    var taker: CheckedContinuation<Void, Never>?
  }

  private let link: JetStreamLink
  private let state: Mutex<State>

  init(_ link: JetStreamLink, after revision: ClaimRevision) {
    self.link = link
    state = Mutex(State(last: revision))
  }

  deinit { dropConsumer() }

  /// The next change; `nil` once it is over.
  func next() async -> ClaimWatch? {
    while true {
      enum Step { case over, take(ClaimWatch), make, ask(Consumer), wait }
      let step = state.withLock { state -> Step in
        if state.isOver { return .over }
        if !state.news.isEmpty { return .take(state.news.removeFirst()) }
        guard let consumer = state.consumer else { return .make }
        if state.asked > 0 { return .wait }
        state.asked = JetStreamLimits.batch
        return .ask(consumer)
      }
      switch step {
      case .over: return nil
      case .take(let news): return news
      case .make:
        // It ends with its store.
        if link.isOver { return nil }
        if await !make() { await wait(.milliseconds(250)) }
      case .ask(let consumer): ask(consumer)
      case .wait:
        await wait(JetStreamLimits.heartbeat)
        let now = link.time.now()
        let round = state.withLock { state in
          state.news.isEmpty && state.consumer != nil && now - state.heard > JetStreamLimits.heartbeat * 2
            ? state.round : nil
        }
        if let round { lose(round) }
      }
    }
  }

  /// Tells nothing more.
  func end() {
    state.withLock { $0.isOver = true }
    wake()
    dropConsumer()
  }

  private func wait(_ most: Duration) async {
    let alarm = Task { [weak self] in
      try? await Task.sleep(for: most)
      self?.wake()
    }
    await withCheckedContinuation { (taker: CheckedContinuation<Void, Never>) in
      let isReady = state.withLock { state in
        if state.isOver || !state.news.isEmpty { return true }
        state.taker = taker
        return false
      }
      if isReady { taker.resume() }
    }
    alarm.cancel()
  }

  private func wake() { state.withLock { exchange(&$0.taker, with: nil) }?.resume() }

  private func dropConsumer() {
    guard let consumer = state.withLock({ exchange(&$0.consumer, with: nil) }) else { return }
    link.send(
      NATSRequest(subject: "$JS.API.CONSUMER.DELETE.\(link.settings.stream).\(consumer.name)"), answerTo: consumer.ear)
    link.end(consumer.ear)
  }

  // MARK: The consumer

  /// - Returns: whether there is one now.
  private func make() async -> Bool {
    do throws(ClaimFault) { try link.checkReading() } catch { return false }
    let (round, last) = state.withLock { state in
      state.round += 1
      state.expected = 1
      state.asked = 0
      state.isCaughtUp = false
      return (state.round, state.last)
    }
    guard
      let ear = await link.listen(
        hearing: { [weak self] in self?.take($0, round) }, broken: { [weak self] in self?.lose(round) })
    else { return false }
    let name = Inbox.name()
    let answer = await link.ask(
      NATSRequest(
        subject: "$JS.API.CONSUMER.CREATE.\(link.settings.stream).\(name)", data: [UInt8](wish(name, after: last).utf8)),
      until: link.time.now() + JetStreamLimits.telling)
    guard case .answered(let messages) = answer, let data = messages.first?.data, let json = try? JSONValue(data),
      json["error"] == nil, let waiting = json["num_pending"]?.integer
    else {
      link.end(ear)
      return false
    }
    let now = link.time.now()
    let isKept = state.withLock { state in
      guard state.round == round, !state.isOver else { return false }
      state.consumer = Consumer(name: name, ear: ear)
      state.heard = now
      if waiting == 0 {
        state.isCaughtUp = true
        state.news.append(.caughtUp)
      }
      return true
    }
    if !isKept { link.end(ear) }
    return isKept
  }

  private func wish(_ name: String, after last: ClaimRevision) -> String {
    var settings = JSONText()
    settings.add("name", name)
    settings.add("deliver_policy", last == .none ? "all" : "by_start_sequence")
    if last > .none { settings.add("opt_start_seq", Int64(clamping: last.number) &+ 1) }
    settings.add("ack_policy", "none")
    settings.add("replay_policy", "instant")
    settings.add("max_deliver", 1)
    settings.add("max_waiting", 4)
    settings.add("num_replicas", 1)
    settings.add("mem_storage", true)
    settings.add("inactive_threshold", JetStreamLimits.watching.saturatedNanoseconds)
    var object = JSONText()
    object.add("stream_name", link.settings.stream)
    object.add("config", object: settings.text)
    return object.text
  }

  private func ask(_ consumer: Consumer) {
    var object = JSONText()
    object.add("batch", Int64(JetStreamLimits.batch))
    object.add("expires", (JetStreamLimits.watching / 2).saturatedNanoseconds)
    object.add("idle_heartbeat", JetStreamLimits.heartbeat.saturatedNanoseconds)
    let now = link.time.now()
    state.withLock { $0.heard = now }
    link.send(
      NATSRequest(
        subject: "$JS.API.CONSUMER.MSG.NEXT.\(link.settings.stream).\(consumer.name)", data: object.bytes),
      answerTo: consumer.ear)
  }

  // MARK: What it sends

  private func take(_ message: NATSMessage, _ round: UInt64) {
    let now = link.time.now()
    let isLost = state.withLock { state -> Bool in
      guard state.round == round, !state.isOver else { return false }
      state.heard = now
      switch message.status {
      // A sign of life.
      case "100": return false
      // The time of what was asked for is over; what came of it has come.
      case "404", "408":
        state.asked = 0
        return false
      case "": break
      default: return true
      }
      // The answer to being deleted has no such reply.
      guard let delivery = Delivery(message.reply) else { return false }
      guard delivery.number == state.expected else { return true }
      state.expected += 1
      state.asked = max(0, state.asked - 1)
      state.last = max(state.last, delivery.revision)
      // What has no key of a fleet's is nobody's claim.
      if let key = link.settings.key(message.subject) { state.news.append(change(message, delivery, key)) }
      if delivery.waiting == 0, !state.isCaughtUp {
        state.isCaughtUp = true
        state.news.append(.caughtUp)
      }
      return false
    }
    if isLost { lose(round) } else { wake() }
  }

  private func change(_ message: NATSMessage, _ delivery: Delivery, _ key: ClaimKey) -> ClaimWatch {
    // One that is longer than any claim is no claim, and nobody can tell what it was.
    guard message.operation.isEmpty, let value = message.data else { return .deleted(key, delivery.revision) }
    return .stored(
      StoredClaim(
        key: key, value: value, revision: delivery.revision,
        replaced: ClaimRevision(UInt64(message.expected) ?? .max), time: delivery.time))
  }

  private func lose(_ round: UInt64) {
    let isLost = state.withLock { state in
      guard state.round == round, !state.isOver else { return false }
      // What it still sends is not taken.
      state.round += 1
      if state.consumer != nil { state.news.append(.interrupted) }
      return true
    }
    if isLost {
      dropConsumer()
      wake()
    }
  }
}
