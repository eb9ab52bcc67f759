package import LinuxIO
package import Logging
package import ScanModel
package import StationProtocol
internal import WireText

/// The bridge: a station's socket on one side, a broker on the other.
///
/// What comes from either is taken one by one. What the broker is to keep stands on a board of which only the latest counts; verdicts wait
/// in a short queue; so neither a broker that does not read nor a station that tells much makes it grow.
package actor MQTTBridge {
  /// What the bridge has to know of the configuration.
  package struct Settings: Sendable {
    /// The station's name.
    package var station: String
    /// What all topics begin with.
    package var prefix: String
    /// What may be ordered.
    package var orders: Set<OrderKind>
    /// Whether Home Assistant is told what there is.
    package var homeAssistant: Bool

    package init(station: String, prefix: String, orders: Set<OrderKind>, homeAssistant: Bool) {
      self.station = station
      self.prefix = prefix
      self.orders = orders
      self.homeAssistant = homeAssistant
    }

    /// Its topics.
    package var topics: BridgeTopics { BridgeTopics(prefix: prefix, station: station) }
  }

  private enum Input: Sendable {
    case station(StationClient.News)
    case snapshot(StationSnapshot?)
    case broker(BrokerLink.News)
    case done(BridgeCommand, Result<OrderOutcome, StationAbsence>)
    case tick
    case end
  }

  /// How long old things of ours at the broker are listened for, once it is there.
  private static let searchTime: Duration = .seconds(3)
  private static let mostFound = 1_024

  private let settings: Settings
  private let topics: BridgeTopics
  private let station: StationClient
  private let broker: BrokerLink
  private let logger: Logger
  private let time: any TimeSource
  private let inputs: AsyncStream<Input>
  private nonisolated let input: AsyncStream<Input>.Continuation

  private var desk: CommandDesk
  private var words = Ration(burst: BridgeLimits.wordBurst, interval: BridgeLimits.wordInterval)
  private var unsaid = 0
  private var board = RetainedBoard()
  private var verdicts: [BrokerMessage] = []
  private var droppedVerdicts: UInt64 = 0
  private var isBrokerHere = false
  /// When the broker came, as long as old things of ours are listened for.
  private var searchingSince: MonotonicTime?
  private var found: Set<String> = []
  private var snapshot: StationSnapshot?
  /// What the service lets this user order.
  private var rights: Set<OrderKind> = []
  /// Whether something has happened since the station was asked how it is.
  private var isStale = true
  private var isAsking = false
  private var askedAt: MonotonicTime?
  private var openCommands = 0

  /// - Parameters:
  ///   - station: not started yet; told to whom else it may not be.
  ///   - broker: likewise.
  package init(
    _ settings: Settings, station: StationClient, broker: BrokerLink, logger: Logger,
    time: any TimeSource = SystemTime()
  ) {
    self.settings = settings
    topics = settings.topics
    self.station = station
    self.broker = broker
    self.logger = logger
    self.time = time
    desk = CommandDesk(topics: topics, orders: settings.orders)
    (inputs, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(8_192))
  }

  /// The broker's end for these settings, with the last will that belongs to it.
  /// - Throws: where no thread can be started.
  package static func broker(_ broker: BrokerSettings, for settings: Settings) throws(SystemError) -> BrokerLink {
    let topics = settings.topics
    return try BrokerLink(
      broker, will: BrokerMessage(topics.availability, text: "offline", isRetained: true),
      // What is not allowed is not listened to.
      filters: (settings.orders.isDisjoint(with: CommandDesk.possible) ? [] : [topics.commands]) + searched(topics))
  }

  /// Runs until `end`.
  package func run() async {
    await station.start(listening: true)
    await broker.start()
    let tasks = [
      Task { [station, input] in for await news in station.news { input.yield(.station(news)) } },
      Task { [broker, input] in for await news in broker.news { input.yield(.broker(news)) } },
      Task { [input] in
        while !Task.isCancelled {
          input.yield(.tick)
          try? await Task.sleep(for: .milliseconds(500))
        }
      },
    ]
    board.set(topics.service, "offline")
    for await one in inputs {
      if case .end = one { break }
      take(one)
      await tell()
    }
    for task in tasks { task.cancel() }
    // Whoever reads it later does not take it for a station that answers.
    let last = [topics.service, topics.availability].map { BrokerMessage($0, text: "offline", isRetained: true) }
    // A name server that does not answer keeps the broker's thread, and nobody from ending.
    let parted = OneAnswer<Void>()
    Task { [broker] in
      await broker.stop(saying: last)
      parted.give(())
    }
    await parted.first(within: .seconds(2), else: ())
    await station.stop()
  }

  /// Ends `run`: the broker is told that nobody is here any more.
  package nonisolated func end() { input.yield(.end) }

  // MARK: What comes

  private func take(_ one: Input) {
    switch one {
    case .station(let news): take(news)
    case .snapshot(let station): take(station)
    case .broker(let news): take(news)
    case .done(let command, let result): conclude(command, result)
    case .tick: tick()
    case .end: break
    }
  }

  private func take(_ news: StationClient.News) {
    switch news {
    case .here(let welcome):
      rights = Set(welcome.orders)
      logger.notice("The service of \(TerminalText.clean(welcome.station)) answers.")
      let missing = settings.orders.intersection(CommandDesk.possible).subtracting(rights)
      if !missing.isEmpty {
        let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
        logger.warning("The service does not let this user order \(names). Reload it: systemctl reload scangate")
      }
      board.set(topics.service, "online")
      isStale = true
    case .away(let absence):
      board.set(topics.service, "offline")
      logger.warning("\(TerminalText.clean(absence.description, limit: 1_000))")
    case .event(let event):
      isStale = true
      guard let verdict = VerdictPayload.of(event.line) else { return }
      queue(BrokerMessage(topics.verdict(verdict.gate), text: verdict.text))
    case .dropped: isStale = true
    }
  }

  private func queue(_ verdict: BrokerMessage) {
    // Nobody hears later of what was decided while nobody could be told.
    guard isBrokerHere else { return }
    verdicts.append(verdict)
    if verdicts.count > BridgeLimits.waitingVerdicts {
      verdicts.removeFirst()
      droppedVerdicts &+= 1
    }
  }

  private func take(_ station: StationSnapshot?) {
    isAsking = false
    guard let station else { return }
    snapshot = station
    var texts = StatePayloads.all(station, topics)
    if settings.homeAssistant {
      texts.merge(
        HomeAssistant.entities(
          station, name: settings.station, topics, orders: settings.orders.intersection(CommandDesk.possible))
      ) { first, _ in first }
    }
    let service = topics.service
    let availability = topics.availability
    board.want(texts) { $0 != service && $0 != availability }
    if searchingSince == nil { forgetFound() }
  }

  private func take(_ news: BrokerLink.News) {
    switch news {
    case .here:
      isBrokerHere = true
      logger.notice("The broker takes us.")
      board.set(topics.availability, "online")
      board.renew()
      searchingSince = time.now()
    case .away(let fault):
      isBrokerHere = false
      searchingSince = nil
      verdicts = []
      logger.warning("\(TerminalText.clean(fault.description, limit: 1_000))")
    case .denied:
      logger.warning(
        "The broker does not let us listen to all that we ask for: commands may not come, and old topics may stay.")
    case .message(let message): take(message)
    case .lost(let count):
      if words.take(time.now()) { logger.warning("The broker floods us: \(count) messages were thrown away unread.") }
    case .room: break
    }
  }

  private func tick() {
    let now = time.now()
    if let since = searchingSince, now - since > Self.searchTime {
      searchingSince = nil
      let filters = Self.searched(topics)
      Task { [broker] in for filter in filters { await broker.ignore(filter) } }
      forgetFound()
    }
    let interval = isStale ? BridgeLimits.busyInterval : BridgeLimits.restInterval
    if !isAsking, askedAt.map({ now - $0 >= interval }) ?? true {
      isAsking = true
      isStale = false
      askedAt = now
      Task { [station, input] in input.yield(.snapshot(try? await station.snapshot())) }
    }
    if unsaid > 0, words.take(now) {
      logger.warning("\(unsaid) more messages were refused.")
      unsaid = 0
    }
    if droppedVerdicts > 0, words.take(now) {
      logger.warning("\(droppedVerdicts) verdicts were not told: the broker does not read as fast as people come.")
      droppedVerdicts = 0
    }
  }

  // MARK: Old things of ours

  /// Where something of ours may have stayed at the broker: of gates and readers that are gone.
  private static func searched(_ topics: BridgeTopics) -> [String] {
    ["\(topics.base)/+/+/state", HomeAssistant.filter(topics)]
  }

  private func isOurs(_ topic: String) -> Bool {
    HomeAssistant.isOurs(topic, topics)
      || (topic.hasPrefix("\(topics.base)/") && topic.hasSuffix("/state") && topics.command(of: topic) == nil)
  }

  private func forgetFound() {
    guard snapshot != nil else { return }
    for topic in found { board.found(topic) }
    found = []
  }

  // MARK: Commands

  private func take(_ message: BrokerMessage) {
    if isOurs(message.topic) {
      // What we tell comes back while we listen; only what was kept is old.
      if message.isRetained, found.count < Self.mostFound { found.insert(message.topic) }
      return
    }
    switch desk.take(message, now: time.now(), wall: time.wall()) {
    case .repeated: break
    case .refused(let refusal, let number, let words):
      let place = TerminalText.clean(message.topic, limit: 100)
      refuse("A command at \(place) is refused: \(words).", number, refusal.rawValue, words)
    case .perform(let command, let order):
      guard openCommands < BridgeLimits.openCommands else {
        let words = "too many commands are under way"
        return refuse("A command is refused: \(words).", command.number, "tooMany", words)
      }
      openCommands += 1
      Task { [station, input] in
        do throws(StationAbsence) {
          let outcome = try await station.perform(order, within: BridgeLimits.orderLimit)
          input.yield(.done(command, .success(outcome)))
        } catch {
          input.yield(.done(command, .failure(error)))
        }
      }
    }
  }

  /// Tells of a refusal, in the log and to whoever ordered; no more of them than somebody can read.
  private func refuse(_ line: String, _ number: String?, _ reason: String, _ detail: String) {
    guard words.take(time.now()) else {
      unsaid += 1
      return
    }
    logger.warning("\(line)")
    if let number { answer(number, order: nil, outcome: "refused", reason: reason, detail: detail) }
  }

  private func conclude(_ command: BridgeCommand, _ result: Result<OrderOutcome, StationAbsence>) {
    openCommands -= 1
    isStale = true
    let order = command.action.kind.rawValue
    let what = [order, command.action.gate.map { "of gate \($0)" }, command.action.detail].compactMap(\.self)
    let name: String
    let reason: String?
    let detail: String?
    switch result {
    case .success(let outcome): (name, reason, detail) = (outcome.name, outcome.refusal?.rawValue, outcome.words)
    case .failure(let absence) where absence.mayBeDone: (name, reason, detail) = ("unknown", nil, absence.description)
    case .failure(let absence):
      (name, reason, detail) = (
        "refused", "stationAway", "Nothing was done: the station is away. \(absence.description)"
      )
    }
    answer(command.number, order: order, outcome: name, reason: reason, detail: detail)
    let said = detail.map { ": \(TerminalText.clean($0, limit: 400))" } ?? ""
    logger.notice("\(what.joined(separator: " ")) (command \(command.number)): \(name)\(said)")
  }

  private func answer(_ number: String, order: String?, outcome: String, reason: String?, detail: String?) {
    var line = JSONText()
    line.add("id", number)
    line.add("order", order)
    line.add("outcome", outcome)
    line.add("reason", reason)
    line.add("detail", detail)
    queue(BrokerMessage(topics.results, text: line.text))
  }

  // MARK: What goes

  /// Tells the broker what it does not know, as far as it takes it.
  private func tell() async {
    guard isBrokerHere else { return }
    while let (topic, text) = board.next() {
      guard await broker.publish(BrokerMessage(topic, text: text, isRetained: true)) else { return }
      board.tell(topic, text)
    }
    while let verdict = verdicts.first {
      guard await broker.publish(verdict) else { return }
      verdicts.removeFirst()
    }
  }
}
