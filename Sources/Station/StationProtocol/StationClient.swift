package import LinuxIO
internal import ScanModel
internal import WireCoding

/// A listener's end of the station's socket: told how the station is and what happens, and gives orders.
///
///              connected             welcome
///     away ──────────▶ greeting ──────────▶ here
///      ▲ ◀─────────────────┘                 │
///      └─────────────────────────────────────┘ closed, refused, not understood
///
/// Away it tries again for ever, after 100 ms, then up to 1 s: it outlives restarts of the service. What was asked and not answered
/// is asked again, an order with its number, so that it is done once. Lives on a thread of its own.
package actor StationClient {
  /// What comes by itself, in its order.
  package enum News: Sendable, Equatable {
    /// The service is there, for the first time or again. What is told follows; what happened meanwhile is in the next snapshot alone.
    case here(StationWelcome)
    /// It is not, and why; the same words are told once.
    case away(StationAbsence)
    /// An event.
    case event(StationEvent)
    /// So many events before the next one were dropped, because we were too slow.
    case dropped(UInt64)
  }

  private struct Connection {
    let socket: PacketSocket
    let watch: DeviceLoop.Watch
    var welcome: StationWelcome?
    var assembly = SnapshotAssembly()
    /// How many snapshots were asked for and have not come.
    var snapshots = 0
  }

  private struct Asking<Value: Sendable> {
    let answer: OneAnswer<Result<Value, StationAbsence>>
    /// Whether it fails when nobody listens: it was never otherwise.
    let isHasty: Bool
  }

  private struct Given {
    let order: StationOrder
    let asking: Asking<OrderOutcome>
    /// Whether it was sent, over whatever connection: then it may have been done.
    var isSent = false
  }

  private static let firstRetry: Duration = .milliseconds(100)
  private static let lastRetry: Duration = .seconds(1)
  /// By how many news whoever takes them may fall behind.
  private static let mostNews = 4_096

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// What comes by itself; to be taken by one. The oldest is lost where that one is too slow.
  package nonisolated let news: AsyncStream<News>

  private nonisolated let feed: AsyncStream<News>.Continuation
  private nonisolated let loop: DeviceLoop
  private nonisolated let time = SystemTime()
  private let path: String
  private let program: String
  private let wants: ListenerWants
  private var isListening = false
  private var isRunning = false
  private var connection: Connection?
  private var retry = firstRetry
  private var alarm: DeviceLoop.Timer?
  private var lastAbsence: StationAbsence?
  /// Whether the socket's queue was full: the service is there, and others come as well.
  private var isCrowded = false
  /// Who waits for a snapshot.
  private var lookers: [Asking<StationSnapshot>] = []
  /// By who waits: the same order may be asked for twice at a time.
  private var orders: [UInt64: Given] = [:]
  private var lastOrder: UInt64 = 0

  /// Makes the client; nothing is connected before `start`.
  /// - Parameters:
  ///   - path: the station's socket.
  ///   - program: who asks, for the service's log, such as `scangate watch`.
  /// - Throws: where no thread can be started.
  package init(
    path: String = StationLimits.path, program: String, wants: ListenerWants = ListenerWants()
  ) throws(SystemError) {
    self.path = path
    self.program = program
    self.wants = wants
    loop = try DeviceLoop(name: "station")
    (news, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.mostNews))
  }

  deinit { loop.stop() }

  // MARK: Life

  /// Connects, and stays connected until `stop`; returns at once.
  /// - Parameter listening: whether events are wanted.
  package func start(listening: Bool = false) {
    isListening = listening
    if isRunning { return }
    isRunning = true
    connect()
  }

  /// Ends the connection; `news` ends, and who waits is told that the service is silent.
  package func stop() {
    isRunning = false
    if let alarm { loop.cancel(alarm) }
    alarm = nil
    if let connection { loop.unwatch(connection.watch) }
    connection = nil
    fail(.silent(at: path), all: true)
    feed.finish()
  }

  /// What the service has said of itself; `nil` while it is away.
  package var welcome: StationWelcome? { connection?.welcome }

  private func connect() {
    alarm = nil
    guard isRunning, connection == nil else { return }
    do throws(SystemError) {
      let socket = try PacketSocket(connectingTo: path)
      let watch = loop.watch(socket.number, for: .readable) { _ in self.assumeIsolated { $0.read() } }
      connection = Connection(socket: socket, watch: watch)
      isCrowded = false
      send(.hello(version: StationLimits.version, program: program, wants: wants))
    } catch {
      let absence = StationAbsence(error, at: path)
      isCrowded = absence.kind == .silent
      end(absence)
    }
  }

  /// - Returns: whether it was sent.
  @discardableResult private func send(_ message: ListenerMessage) -> Bool {
    guard let connection else { return false }
    if connection.socket.send(message.bytes) { return true }
    // It may have closed after a word of why.
    read()
    if self.connection != nil { end(.silent(at: path)) }
    return false
  }

  // MARK: What is asked

  /// How the station is now.
  /// - Throws: why nobody tells, at once where nobody listens, else after `limit`.
  package func snapshot(within limit: Duration = .seconds(2)) async throws(StationAbsence) -> StationSnapshot {
    let asking = Asking<StationSnapshot>(answer: OneAnswer(), isHasty: true)
    if let absence = hastyAbsence { throw absence }
    lookers.append(asking)
    askForSnapshot()
    return try await wait(for: asking.answer, limit)
  }

  /// Gives an order, over reconnects as well; it is done once.
  /// - Parameter patience: whether a service that does not run is waited for; else that is told at once.
  /// - Throws: why nothing is known of it: nobody listens, or no answer came within `limit`; `mayBeDone` says whether it was sent. The
  ///   same order may be given again, and is not done twice.
  package func perform(
    _ order: StationOrder, within limit: Duration = .seconds(10), patience: Bool = false
  ) async throws(StationAbsence) -> OrderOutcome {
    if !patience, let absence = hastyAbsence { throw absence }
    // An answer bears the number alone.
    if orders.values.contains(where: { $0.order.id == order.id && $0.order.action != order.action }) {
      return .refused(.numberUsed, OrderRefusal.numberIsUsed)
    }
    let asking = Asking<OrderOutcome>(answer: OneAnswer(), isHasty: !patience)
    lastOrder &+= 1
    let number = lastOrder
    orders[number] = Given(order: order, asking: asking)
    defer { orders[number] = nil }
    if connection?.welcome != nil { give(number) }
    do throws(StationAbsence) {
      return try await wait(for: asking.answer, limit)
    } catch {
      var absence = error
      absence.mayBeDone = orders[number]?.isSent ?? true
      throw absence
    }
  }

  private func give(_ number: UInt64) {
    guard let order = orders[number]?.order, send(.order(order)) else { return }
    orders[number]?.isSent = true
  }

  /// Why nobody is there to be asked, where that is known and no connection is being made.
  private var hastyAbsence: StationAbsence? { connection == nil && !isCrowded ? lastAbsence : nil }

  private nonisolated(nonsending) func wait<Value>(
    for answer: OneAnswer<Result<Value, StationAbsence>>, _ limit: Duration
  ) async throws(StationAbsence) -> Value {
    try await answer.first(within: limit, else: .failure(.silent(at: path)), on: loop).get()
  }

  private func askForSnapshot() {
    guard connection?.welcome != nil else { return }
    connection?.snapshots += 1
    send(.snapshot)
  }

  // MARK: What the station says

  private func read() {
    for _ in 0..<64 {
      guard let socket = connection?.socket else { return }
      switch socket.receive(limit: StationLimits.maximumPacket) {
      case .packet(let bytes):
        do throws(WireError) {
          try take(try StationMessage(bytes: bytes))
        } catch {
          end(
            StationAbsence(
              .refused,
              "What the service at \(path) says is not understood (\(error.description)). Install both from one release, and start "
                + "the service anew."))
        }
      case .tooLong(let count):
        end(StationAbsence(.refused, "The service at \(path) sends a message of \(count) bytes, which is too long."))
      case .nothing: return
      case .end: end(StationAbsence(.nobody, "The service at \(path) has closed the connection."))
      }
    }
  }

  private func take(_ message: StationMessage) throws(WireError) {
    switch message {
    case .welcome(let welcome):
      guard welcome.version == StationLimits.version else { throw WireError("version \(welcome.version)") }
      connection?.welcome = welcome
      retry = Self.firstRetry
      lastAbsence = nil
      // First of all: what happens from now on is told.
      if isListening, !send(.listen) { return }
      feed.yield(.here(welcome))
      if !lookers.isEmpty { askForSnapshot() }
      // In the order in which they were given.
      for (number, _) in orders.sorted(by: { $0.value.order.givenAt < $1.value.order.givenAt }) { give(number) }
    case .refused(let words): end(StationAbsence(.refused, words))
    case .snapshot(let part):
      guard let snapshot = try connection?.assembly.take(part) else { return }
      connection?.snapshots -= 1
      // A later answer is as good for who asked earlier.
      for looker in exchange(&lookers, with: []) { looker.answer.give(.success(snapshot)) }
    case .event(let event): feed.yield(.event(event))
    case .dropped(let count): feed.yield(.dropped(count))
    case .answer(let id, let outcome):
      for given in orders.values where given.order.id == id { given.asking.answer.give(.success(outcome)) }
    }
  }

  /// There is no connection, or none any more.
  private func end(_ absence: StationAbsence) {
    let wasHere = connection?.welcome != nil
    if let connection { loop.unwatch(connection.watch) }
    connection = nil
    if absence != lastAbsence || wasHere { feed.yield(.away(absence)) }
    lastAbsence = absence
    // Who was answered before is away for a moment only: what is asked then is asked again.
    // Nor is anybody sent away because others come in crowds.
    if !wasHere, !isCrowded { fail(absence, all: false) }
    guard isRunning, alarm == nil else { return }
    alarm = loop.at(time.now() + retry) { self.assumeIsolated { $0.connect() } }
    retry = isCrowded ? Self.firstRetry : min(retry * 2, Self.lastRetry)
  }

  private func fail(_ absence: StationAbsence, all: Bool) {
    for looker in exchange(&lookers, with: []) { looker.answer.give(.failure(absence)) }
    for given in orders.values where all || given.asking.isHasty { given.asking.answer.give(.failure(absence)) }
  }
}
