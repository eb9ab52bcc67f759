import StationSetUp
import EventSchedule
import Expectations
import Glibc
import KioskControl
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import ScriptedHTTP
import Sealing
import Synchronization
import Testing
import TicketSystemKit

@testable import Gateway

/// A kiosk service that answers each path as a test says, with literal bodies, and keeps what it was asked.
final class ScriptedKiosk: Sendable {
  /// What is answered to requests whose target begins so; the longest beginning counts.
  private let answers: Mutex<[String: (status: Int, body: String)]>
  private let server: Mutex<ScriptedServer?> = Mutex(nil)
  private let port = Mutex<Int?>(nil)
  private let asked = Mutex<[String]>([])
  private let bell = AsyncStream.makeStream(of: String.self)

  /// The document's own bodies.
  static let activated = """
    {"success":true,"token":"token-of-the-station","kioskId":"assigned-kiosk-id","expiresAt":"2099-07-15T12:00:00Z"}
    """
  static let configuration = """
    {"success":true,"data":{"id":"assigned-kiosk-id","name":"North door","roomName":"Foyer","location":"Berlin",\
    "mode":"custom","status":"active"},"timestamp":"2025-07-15T12:00:00Z"}
    """

  init() {
    answers = Mutex([
      "/api/kiosks/activate": (200, Self.activated),
      "/api/kiosks/configuration": (200, Self.configuration),
      "/api/kiosks/assigned-kiosk-id/status": (200, #"{"success":true,"data":{},"timestamp":"2025-07-15T12:00:00Z"}"#),
      "/api/health": (200, #"{"status":"ok"}"#),
    ])
  }

  func answer(_ path: String, _ status: Int, _ body: String) { answers.withLock { $0[path] = (status, body) } }

  /// The targets that were asked, with method.
  var requests: [String] { asked.withLock { $0 } }
  /// The whole of each connection that came.
  var connections: Int { server.withLock { $0?.connections ?? 0 } }

  /// The next request whose line has `text` in it; each is told once.
  func next(_ text: String) async {
    for await line in bell.stream where line.contains(text) { return }
  }

  /// Listens, where it does not yet, and tells the port.
  func start() async throws -> Int {
    if let port = port.withLock({ $0 }) { return port }
    let scripted = ScriptedServer { _, request, connection in
      let line = request.split(separator: "\r\n").first.map { String($0) } ?? ""
      self.asked.withLock { $0.append(line) }
      let target = line.split(separator: " ").dropFirst().first.map { String($0) } ?? ""
      let (status, body) = self.answers.withLock { answers in
        answers.filter { target.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value ?? (404, "{}")
      }
      connection.send(
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      self.bell.continuation.yield(line)
    }
    server.withLock { $0 = scripted }
    let number = try await scripted.start()
    port.withLock { $0 = number }
    return number
  }

  func stop() async { await server.withLock { $0 }?.stop() }
}

/// A station that is set up by a scan: everything real but its ticket system, its readers and its lamps.
struct SetUpBench {
  let folder: String
  let kiosk: ScriptedKiosk
  let setUp: StationSetUp
  let configuration: StationConfiguration
  let system: FakeTicketSystem
  let signals: RecordingSignals
  let gate: GateController
  let hub: EventHub
  let events: SetUpEvents
  private let seat: GateRegistry.Seat

  static let north = GateID("north")
  static let left = ReaderID("left")

  /// - Parameters:
  ///   - folder: the state folder of an earlier bench.
  ///   - more: lines of YAML below the sections that each station has.
  init(
    folder: String? = nil, kiosk: ScriptedKiosk = ScriptedKiosk(), window: String = "10 min", more: String = ""
  ) async throws {
    let folder = try folder ?? temporaryFolder()
    self.folder = folder
    self.kiosk = kiosk
    let port = try await kiosk.start()
    let text = """
      version: 1
      station: { name: bench }
      setUp: { window: \(window) }
      control: { type: kiosk, url: "http://127.0.0.1:\(port)" }
      ticketSystems: { main: { type: eventschedule, url: "https://tickets.example", apiKey: main } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } } }
      gates: { north: { readers: [left], ticketSystem: main } }
      \(more)
      """
    configuration = try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
    hub = EventHub()
    events = SetUpEvents(hub.subscribe())
    setUp = try StationSetUp(
      configuration, completed: EnrolmentBook.Completed(configuration: configuration), types: [.eventSchedule],
      version: "1",
      keys: SealKeySource(state: folder, given: nil),
      credentials: CredentialResolver { name throws(SetupError) in throw SetupError("no credential \(name)") },
      events: { [hub] in hub.emit(GatewayEvent($0)) },
      clockIsTrusted: { true })
    let time = SystemTime()
    system = FakeTicketSystem(id: TicketSystemID("main"), time: time)
    signals = RecordingSignals(time: time)
    let registry = setUp.registry
    gate = GateController(
      settings: GateSettings(gate: Self.north, deadline: .seconds(20), holdOff: .zero), system: system,
      ledger: try LedgerKeeper(server: "fake", dependencies: .inMemory(), time: time, events: hub), signals: signals,
      events: hub, time: time, watch: { registry.note($0, $1) })
    seat = GateRegistry.Seat(controller: gate, system: TicketSystemID("main"), readers: [Self.left])
  }

  /// Shows a code to the scanner, as `Station` leads it.
  func present(_ text: String) {
    let read = RawRead(reader: Self.left, bytes: [UInt8](text.utf8), readAt: SystemTime().now())
    if !setUp.takes(.read(read)) { gate.deliver(read) }
  }

  /// Waits until a step was shown; once in a test.
  func shows(_ step: SetUpSignal) async {
    for await played in signals.changes where played.contains(.setUp(step)) { return }
  }

  /// Runs the station around a test.
  func run(_ body: (SetUpBench) async throws -> Void) async throws {
    await setUp.start()
    setUp.registry.attach([Self.north: seat])
    let deciding = Task { await gate.run() }
    let settingUp = Task { await setUp.run() }
    do {
      try await body(self)
    } catch {
      settingUp.cancel()
      throw error
    }
    settingUp.cancel()
    await settingUp.value
    system.release()
    gate.finish()
    await deciding.value
  }
}

/// Reads a hub's events one by one. What a test asks for later is kept: gate, desk and keeper tell theirs in no fixed order.
actor SetUpEvents {
  private var kept: [GatewayEvent] = []
  private var stream: AsyncStream<GatewayEvent>.Iterator

  init(_ stream: AsyncStream<GatewayEvent>) { self.stream = stream.makeAsyncIterator() }

  private func next<Value: Sendable>(_ pick: @Sendable (GatewayEvent) -> Value?) async -> Value? {
    for (index, event) in kept.enumerated() {
      guard let value = pick(event) else { continue }
      kept.remove(at: index)
      return value
    }
    var stream = stream
    defer { self.stream = stream }
    while let event = await stream.next(isolation: self) {
      if let value = pick(event) { return value }
      kept.append(event)
    }
    return nil
  }

  func setUp(_ state: SetUpEvent.State) async -> SetUpEvent? {
    await next { if case .setUp(let event) = $0, event.state == state { event } else { nil } }
  }

  func control(_ state: ControlEvent.State) async -> ControlEvent? {
    await next { if case .control(let event) = $0, event.state == state { event } else { nil } }
  }

  func gate(_ matches: @escaping @Sendable (GateState) -> Bool) async -> GateState? {
    await next { if case .gate(_, let state, _) = $0, matches(state) { state } else { nil } }
  }

  func attempt(_ state: UnansweredAttempt.State) async -> UnansweredAttempt? {
    await next { if case .attempt(let attempt) = $0, attempt.state == state { attempt } else { nil } }
  }

  func scan() async -> DecidedScan? { await next { if case .scan(let scan) = $0 { scan } else { nil } } }
}

/// A fresh folder for one test.
private func temporaryFolder() throws -> String {
  var template = Array("\(temporaryRoot)/scangate-set-up-XXXXXX".utf8CString)
  return try #require(mkdtemp(&template).map { String(cString: $0) })
}
