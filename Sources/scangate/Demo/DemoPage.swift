import Console
import FirstRun
import Gateway
import Glibc
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel
import ServiceLifecycle
import StationProtocol
import StationSocket
import Synchronization
import TicketSystemKit

/// The demo's gate as a browser on this machine sees it: the door page of a real console, on a real station's socket.
struct DemoPage {
  /// What the console is told of the demo: events tell it the rest.
  private final class Face: Sendable {
    private let passed = Mutex<UInt64>(0)
    private let time = SystemTime()
    private let began: MonotonicTime
    private let gate: GateID

    init(_ gate: GateID) {
      self.gate = gate
      began = time.now()
    }

    func take(_ event: GatewayEvent) {
      if case .scan(let decided) = event, decided.verdict == .admit { passed.withLock { $0 &+= 1 } }
    }

    var snapshot: StationSnapshot {
      var snapshot = StationSnapshot(
        station: "demo", version: Scangate.version, at: time.wall(), uptime: time.now() - began)
      var shown = StationSnapshot.Gate(
        id: gate, condition: .init(state: "ready"), ticketSystem: TicketSystemID("demo"))
      shown.readers = [ReaderID("terminal")]
      shown.passed = passed.withLock { $0 }
      snapshot.gates = [shown]
      snapshot.readers = [.init(id: ReaderID("terminal"), condition: .init(state: "reading"))]
      return snapshot
    }
  }

  private let socket: StationSocket
  private let service: ConsoleService
  private let face: Face

  /// Puts it together; nothing listens before `run`.
  /// - Parameters:
  ///   - port: where; 0 for one that is free.
  ///   - folder: of the process's own.
  ///   - onReady: told where it can be looked at.
  init(
    of gate: GateID, port: UInt16, events: EventHub, in folder: String, onReady: @escaping @Sendable (String) -> Void
  ) throws {
    let face = Face(gate)
    self.face = face
    let path = folder + "/station.sock"
    let (own, allowed) = (getuid(), ListenerRights(orders: [], names: false, isOwner: true))
    socket = try StationSocket(
      at: PacketListener(path: path, mode: 0o600),
      of: StationFace(
        name: { "demo" }, version: Scangate.version, snapshot: { face.snapshot },
        perform: { _, _ in .refused(.notAllowed, "The demo takes no orders: type codes into its terminal.") },
        rights: { $0 == own ? allowed : ListenerRights(orders: [], names: false) }), events: events)
    var draft = FirstRunDraft()
    draft.take(
      .init(type: TicketSystemRegistry.venue.name, address: "https://localhost", settings: ["apiKey: main"]))
    draft.gate.name = gate.name
    let text = draft.yaml + "\nconsole:\n  listen: 127.0.0.1:8088\n  pages: true\n"
    guard
      var configuration = try ConfigurationFile.parse(
        text: text, file: "demo", options: ConfigurationArgument.options
      ).configuration.console
    else { throw failure("The demo's page has no configuration.") }
    configuration.listen = ListenAddress(host: "127.0.0.1", port: Int(port))
    let logger = Logger(label: "demo", factory: { _ in SwiftLogNoOpLogHandler() })
    var setting = ConsoleSetting(
      configuration, version: Scangate.version, tokens: TokenBook([]), logger: logger)
    // Nobody signs in: a browser on this machine sees doors without.
    setting.access = PageAccess(folder: folder, stateFolder: folder, logger: logger)
    service = try ConsoleService(
      setting, of: "demo", kept: nil, secrets: ConsoleSecrets(folder: folder), folder: folder, station: path,
      onReady: { onReady("http://\($0)/door/\(gate.name)") })
  }

  /// Serves until the task is cancelled.
  func run(_ events: AsyncStream<GatewayEvent>) async {
    await socket.start()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [service] in
        let logger = Logger(label: "demo", factory: { _ in SwiftLogNoOpLogHandler() })
        do {
          try await ServiceGroup(configuration: .init(services: [service], logger: logger)).run()
        } catch is CancellationError {
          // The ordinary end.
        } catch {
          Terminal.error("The page has ended: \(TerminalText.clean("\(error)", limit: 500))")
        }
      }
      group.addTask { [face] in for await event in events { face.take(event) } }
    }
    await socket.stop()
  }
}
