package import FleetBook
package import LinuxIO
package import ScanModel
internal import Synchronization
internal import WireText

/// A fleet's claims in a key-value bucket of NATS JetStream, on one server or several.
///
/// Nothing is believed of a server before it has told its version and that it syncs before it acknowledges, and of a bucket before it has
/// told what it is: see `Judgement`. Both are asked again each five seconds.
package final class JetStreamClaimStore: ClaimStore {
  let link: JetStreamLink
  private let rate: Mutex<WriteRate>

  /// Makes the store; nothing is connected before `start`.
  /// - Parameters:
  ///   - marks: where the station remembers the book, so that it refuses one that has gone back; `nil` of who only looks.
  ///   - onOrder: told the order for the whole fleet that lies in the book, as bytes that nobody has judged, each time that the book is
  ///     looked at, and before anything is claimed in it; from any thread, and to return at once.
  /// - Throws: where no thread can be had.
  package init(
    _ settings: JetStreamSettings, marks: (any BookMarks)? = nil, time: any TimeSource = SystemTime(),
    onOrder: (@Sendable ([UInt8]) -> Void)? = nil
  ) throws(SystemError) {
    link = try JetStreamLink(settings, marks: marks, time: time, onOrder: onOrder)
    rate = Mutex(WriteRate(settings.writeRate))
  }

  /// Connects, and stays connected until `stop`.
  package func start() { link.start() }

  /// Ends the connection, every call and every watch.
  package func stop() async { await link.stop() }

  package nonisolated(nonsending) func create(
    _ key: ClaimKey, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision { try await write(key, value, .none, end) }

  package nonisolated(nonsending) func update(
    _ key: ClaimKey, _ value: [UInt8], at revision: ClaimRevision, until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision { try await write(key, value, revision, end) }

  private nonisolated(nonsending) func write(
    _ key: ClaimKey, _ value: [UInt8], _ revision: ClaimRevision, _ end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision {
    try link.check()
    let settings = link.settings
    let now = link.time.now()
    // Who has waited too long asks for nothing; that is no sign of asking for too much.
    guard now < end else { throw .noQuorum }
    guard let place = rate.withLock({ $0.place(at: now, until: end) }) else {
      throw .refused(
        "This station asks the fleet for more than \(settings.writeRate) writes a second. Look at its readers: does one of them deliver what nobody presents?"
      )
    }
    if place > now { try? await Task.sleep(for: place - now) }
    let request = NATSRequest(
      subject: settings.subject(key),
      headers: [
        ("Nats-Expected-Last-Subject-Sequence", String(revision.number)), ("Nats-Expected-Stream", settings.stream),
      ], data: value)
    let before = link.highest
    let written = try ClaimAnswer.written(await link.ask(request, until: end)).get()
    guard link.wrote(key, written, after: before) else { throw .lostAnswer }
    return written
  }

  package nonisolated(nonsending) func read(
    _ key: ClaimKey, until end: MonotonicTime
  ) async throws(ClaimFault) -> StoredClaim? {
    try link.checkReading()
    let settings = link.settings
    let request = NATSRequest(
      subject: "$JS.API.STREAM.MSG.GET.\(settings.stream)",
      data: JSONText.object(("last_by_subj", settings.subject(key))).bytes)
    return try ClaimAnswer.read(await link.ask(request, until: end), key, settings).get()
  }

  package func watch(after revision: ClaimRevision) -> AsyncStream<ClaimWatch> {
    let watcher = ClaimWatcher(link, after: revision)
    return AsyncStream(unfolding: { await watcher.next() }, onCancel: { watcher.end() })
  }

  /// Asks servers and leader how they are, whether they may be relied on or not.
  /// - Parameter end: when what was told until then is all.
  package func facts(until end: MonotonicTime) async -> FleetFacts {
    // With the keys that are no claims named, so that they are not counted as such.
    var wish = JSONText()
    wish.add("subjects_filter", "$KV.\(link.settings.bucket).\(ClaimKey.Kind.word.rawValue).*")
    async let stream = link.ask(
      NATSRequest(subject: "$JS.API.STREAM.INFO.\(link.settings.stream)", data: wish.bytes), until: end)
    let sent = link.time.wall()
    // Nobody knows how many will answer: those that are there do at once.
    let servers = await link.ask(
      NATSRequest(subject: ServerAnswer.subject), until: min(end, link.time.now() + JetStreamLimits.gathering),
      enough: { _ in false })
    let answered = link.time.wall()
    var facts = FleetFacts(servers: servers, stream: await stream, asked: (sent, answered))
    do throws(ClaimFault) { try link.check() } catch { facts.fault = error }
    return facts
  }

  package var states: AsyncStream<ClaimStoreState> { link.states }

  package var clocks: AsyncStream<Duration?> { link.clocks }

  package var tasks: (any TaskExecutor)? { link.timers.tasks }

  package var format: BookFormat { link.state.withLock { $0.format } }

  /// Makes the bucket, where there is none; one that was made so before stays as it is. Only who administers the servers may.
  /// - Parameter bytes: what it may take on each server's disk.
  package func makeBucket(bytes: Int64, until end: MonotonicTime) async throws(ClaimFault) {
    let rules = StreamRules(settings: link.settings)
    let stream = link.settings.stream
    while true {
      let answer = StreamAnswer(
        await link.ask(
          NATSRequest(subject: "$JS.API.STREAM.CREATE.\(stream)", data: [UInt8](rules.made(bytes: bytes).utf8)),
          until: min(end, link.time.now() + .seconds(5))))
      switch answer {
      case .stream(let made, _, _, _):
        if let fault = rules.fault(made) { throw fault }
        return
      // There is one, with other words: it was accepted since, has an order, was made by another version, or is another. Where there would be no
      // room for one more, servers say that instead.
      case .error(let number, let words) where [10_058, 10_047].contains(number):
        let there = StreamAnswer(
          await link.ask(
            NATSRequest(subject: "$JS.API.STREAM.INFO.\(stream)"), until: min(end, link.time.now() + .seconds(5))))
        if case .stream(let found, _, _, let told) = there {
          if let fault = rules.fault(found) { throw fault }
          if told.accepted > 0 || found["max_bytes"]?.integer == bytes { return }
        }
        guard number == 10_058 else { throw notMade(number, words) }
        throw .otherVersion("There is a bucket \(link.settings.bucket) already, which was made otherwise.")
      case .error(let number, let words) where ![10_005, 10_008, 10_009].contains(number):
        throw notMade(number, words)
      case .error, .silence, .unheard:
        // Servers that have just begun have no leader yet.
        guard link.time.now() < end else { throw .noQuorum }
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  private func notMade(_ number: Int64, _ words: String) -> ClaimFault {
    .refused("The bucket \(link.settings.bucket) is not made (\(number), \(TerminalText.clean(words))).")
  }
}
