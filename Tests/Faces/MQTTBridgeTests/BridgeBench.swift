import Expectations
import Foundation
import Glibc
import LinuxIO
import Logging
import ScanModel
import StationProtocol
import StationSocket
import Synchronization
import WireText

@testable import Gateway
@testable import MQTTBridge

/// A bridge between a real broker and a real station's socket, with a scripted station behind it.
final class BridgeBench: Sendable {
  static let settings = MQTTBridge.Settings(
    station: "door", prefix: "scangate", orders: [.maintenance, .listRefresh], homeAssistant: true)
  static let topics = settings.topics

  let station: SeenStation
  let bridge: MQTTBridge
  let lines: LogLines
  private let running: Task<Void, Never>

  init(
    _ broker: BrokerSettings, _ settings: MQTTBridge.Settings = settings,
    rights: Set<OrderKind> = Set(OrderKind.allCases),
    time: any TimeSource = SystemTime()
  ) async throws {
    station = try await SeenStation(rights: rights)
    let lines = LogLines()
    self.lines = lines
    bridge = MQTTBridge(
      settings, station: try StationClient(path: station.path, program: "scangate mqtt"),
      broker: try MQTTBridge.broker(broker, for: settings), logger: Logger(label: "test") { _ in lines }, time: time)
    running = Task { [bridge] in await bridge.run() }
  }

  /// Ends the bridge as its unit does.
  func stop() async {
    bridge.end()
    await running.value
    await station.stop()
  }

  /// A command as somebody would publish it now.
  static func command(
    _ kind: OrderKind, id: String = UUID().uuidString, at: Double = Date().timeIntervalSince1970, _ members: String = ""
  ) -> BrokerMessage {
    let time = String(format: "%.3f", at)
    return BrokerMessage(topics.command(kind), text: #"{"id":"\#(id)","at":\#(time)\#(members)}"#)
  }
}

/// A station's socket with a scripted station behind it; sockets and threads are real.
final class SeenStation: Sendable {
  let path = "@scangate-mqtt-test-\(UInt64.random(in: .min ... .max))"
  let hub = EventHub()
  private let listener: PacketListener
  private let socket = Mutex<StationSocket?>(nil)
  private let rights: Set<OrderKind>
  private let state = Mutex((orders: [StationOrder](), snapshot: SeenStation.sample()))

  init(rights: Set<OrderKind>) async throws {
    self.rights = rights
    listener = try PacketListener(path: path, mode: 0o660)
    try await start()
  }

  func start() async throws {
    let rights = ListenerRights(orders: rights, names: true)
    let socket = try StationSocket(
      at: listener,
      of: StationFace(
        name: { "door" }, version: "0.1.0", snapshot: { self.snapshot }, perform: { order, _ in self.perform(order) },
        rights: { _ in rights }), events: hub)
    await socket.start()
    self.socket.withLock { $0 = socket }
  }

  /// The service ends; who listens stays.
  func stop() async { await socket.withLock { exchange(&$0, with: nil) }?.stop() }

  /// The service is stopped, and its socket goes with it.
  func vanish() async {
    await stop()
    _ = shutdown(listener.number, Int32(SHUT_RDWR))
  }

  var orders: [StationOrder] { state.withLock { $0.orders } }

  var snapshot: StationSnapshot {
    get { state.withLock { $0.snapshot } }
    set { state.withLock { $0.snapshot = newValue } }
  }

  private func perform(_ order: StationOrder) -> OrderOutcome {
    state.withLock { state in
      state.orders.append(order)
      guard case .maintenance(let gate, let isOn) = order.action else { return .done("The lists are fetched.") }
      guard let index = state.snapshot.gates.firstIndex(where: { $0.id == gate }) else {
        return .refused(.unknown, "There is no gate \(gate).")
      }
      state.snapshot.gates[index].isMaintenanceOrdered = isOn
      state.snapshot.gates[index].condition = .init(state: isOn ? "maintenance" : "ready")
      return .done("Gate \(gate) is \(isOn ? "out of" : "in") service.")
    }
  }

  /// A scan with everything in it that nobody else may read.
  func scan(_ verdict: Verdict = .admit, code: String = "good-ticket-1") {
    hub.emit(
      .scan(
        DecidedScan(
          scan: Scan(
            gate: GateID("north"), reader: ReaderID("left"), code: Code(code),
            readAt: MonotonicTime(nanoseconds: 5)),
          verdict: verdict, readAt: WallTime(seconds: 1), decidedIn: .milliseconds(3),
          details: TicketDetails(holder: "Anna Example", event: "An Evening of Strings"), admitted: 1, allowance: 2,
          decider: .server, isProvisional: false)))
  }

  static func sample() -> StationSnapshot {
    var station = StationSnapshot(station: "door", version: "0.1.0", at: WallTime(seconds: 1), uptime: .seconds(9))
    var gate = StationSnapshot.Gate(
      id: GateID("north"), condition: .init(state: "ready"), ticketSystem: TicketSystemID("main"))
    gate.readers = [ReaderID("left")]
    gate.passed = 7
    station.gates = [gate]
    station.readers = [.init(id: ReaderID("left"), condition: .init(state: "reading"))]
    var system = StationSnapshot.TicketSystem(id: TicketSystemID("main"), type: "eventschedule")
    system.owed = 3
    station.ticketSystems = [system]
    station.outbox.owed = 3
    station.counters.scans = [
      .init(gate: GateID("north"), verdict: "admit", reason: nil, decider: .server, count: 7),
      .init(gate: GateID("north"), verdict: "refuse", reason: "alreadyUsed", decider: .server, count: 2),
      .init(gate: GateID("north"), verdict: "refuse", reason: "notFound", decider: .server, count: 1),
    ]
    return station
  }
}

/// A log that is kept.
final class LogLines: LogHandler {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func has(_ words: String) -> Bool { all.contains { $0.contains(words) } }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .debug }
    set {}
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }
  func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
}
