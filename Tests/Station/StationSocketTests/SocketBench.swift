import Gateway
import Glibc
import LinuxIO
import ScanModel
import StationProtocol
import StationSocket
import Synchronization

/// A station's socket with a scripted station behind it; sockets and threads are real.
struct SocketBench: Sendable {
  let path: String
  let hub: EventHub
  let socket: StationSocket
  /// As the service manager has it: it stays, whoever listens.
  let listener: PacketListener
  let station: ScriptedStation

  /// - Parameters:
  ///   - former: whose place it takes, at the same address; one of its own where none is given.
  ///   - rights: what each user may do.
  ///   - rightsOf: the same, where it may change.
  init(
    after former: SocketBench? = nil, station: ScriptedStation = ScriptedStation(),
    rights: ListenerRights = ListenerRights(orders: Set(OrderKind.allCases), names: true, isOwner: true),
    rightsOf: (@Sendable (UInt32) -> ListenerRights)? = nil
  ) async throws {
    let path = former?.path ?? "@scangate-station-test-\(UInt64.random(in: .min ... .max))"
    let hub = EventHub()
    self.path = path
    listener = try former?.listener ?? PacketListener(path: path, mode: 0o660)
    self.hub = hub
    self.station = station
    socket = try StationSocket(
      at: listener,
      of: StationFace(
        name: { "bench" }, version: "0.1.0", snapshot: { await station.snapshot() },
        perform: { order, giver in await station.perform(order, giver) }, rights: rightsOf ?? { _ in rights },
        refused: { order, giver, _ in station.refused(order, giver) }, dropped: { hub.view.dropped($0) }), events: hub)
    await socket.start()
  }

  /// A repeat, which is an event that needs nothing.
  func emit(_ gate: String = "north") {
    hub.emit(
      .repeat(gate: GateID(gate), reader: ReaderID("left"), code: Code("some-code-1"), at: WallTime(seconds: 1)))
  }
}

/// A station that tells what it is told to.
final class ScriptedStation: Sendable {
  private struct State {
    var orders: [StationOrder] = []
    var givers: [OrderGiver] = []
    var refused: [(StationOrder, OrderGiver)] = []
    var held: [CheckedContinuation<Void, Never>] = []
    var isHolding = false
    var looks = 0
  }

  private let state = Mutex(State())
  private let came: AsyncStream<StationOrder>.Continuation
  /// Orders as they come, a repeated one as often as it does; for one test.
  let comings: AsyncStream<StationOrder>

  init() { (comings, came) = AsyncStream.makeStream() }

  var orders: [StationOrder] { state.withLock { $0.orders } }
  var givers: [OrderGiver] { state.withLock { $0.givers } }
  /// Orders that came from who may not give them.
  var refused: [(order: StationOrder, giver: OrderGiver)] { state.withLock { $0.refused.map { ($0.0, $0.1) } } }
  var looks: Int { state.withLock { $0.looks } }

  /// Orders are not answered before `release`.
  func hold() { state.withLock { $0.isHolding = true } }

  func release() {
    let held = state.withLock { state in
      state.isHolding = false
      return exchange(&state.held, with: [])
    }
    for waiting in held { waiting.resume() }
  }

  func refused(_ order: StationOrder, _ giver: OrderGiver) { state.withLock { $0.refused.append((order, giver)) } }

  func snapshot() async -> StationSnapshot {
    let looks = state.withLock { state in
      state.looks += 1
      return state.looks
    }
    return StationSnapshot(station: "bench \(looks)", version: "0.1.0", at: WallTime(seconds: 1), uptime: .seconds(1))
  }

  func perform(_ order: StationOrder, _ giver: OrderGiver) async -> OrderOutcome {
    let isHolding = state.withLock { state in
      state.orders.append(order)
      state.givers.append(giver)
      return state.isHolding
    }
    came.yield(order)
    if isHolding {
      await withCheckedContinuation { continuation in
        let isHeld = state.withLock { state in
          if state.isHolding { state.held.append(continuation) }
          return state.isHolding
        }
        if !isHeld { continuation.resume() }
      }
    }
    return .done("\(order.action.kind.rawValue)")
  }
}

/// One end of the socket, by hand: what a client would never do.
final class RawListener: Sendable {
  let socket: PacketSocket

  init(_ path: String) throws { socket = try PacketSocket(connectingTo: path) }

  @discardableResult func send(_ message: ListenerMessage) -> Bool { socket.send(message.bytes) }

  func greet(names: Bool = false) {
    send(.hello(version: StationLimits.version, program: "by hand", wants: ListenerWants(names: names)))
  }

  /// The next message; `nil` where the connection has ended, or nothing comes for 20 s.
  func next() async -> StationMessage? {
    await SystemThread.run("raw listener") { [socket] in
      while true {
        switch socket.receive(limit: StationLimits.maximumPacket) {
        case .packet(let bytes): return try? StationMessage(bytes: bytes)
        case .tooLong, .end: return nil
        case .nothing:
          var descriptor = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
          guard poll(&descriptor, 1, 20_000) > 0 else { return nil }
        }
      }
    }
  }
}
