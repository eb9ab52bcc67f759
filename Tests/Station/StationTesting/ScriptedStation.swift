internal import Foundation
internal import Glibc
internal import LinuxIO
internal import ScanModel
package import StationProtocol
internal import Synchronization

/// A service that says on a real socket what a test gives it: troubles, answers and ends that the real one does not have at will.
package final class ScriptedStation: Sendable {
  /// What it does when an order comes.
  package enum Reaction: Sendable {
    case answer(OrderOutcome)
    /// It ends without a word.
    case end
    /// It says nothing.
    case nothing
  }

  private struct Visitor {
    let socket: PacketSocket
    var isListening = false
    var wantsNames = false
  }

  private struct State {
    var snapshot: StationSnapshot
    var events: [String] = []
    var orders: [StationOrder] = []
    var listeners = 0
    var questions = 0
    var names: [Bool] = []
    var isEnded = false
  }

  private let state: Mutex<State>
  private let listener: PacketListener
  private let version: UInt16
  private let react: @Sendable (StationOrder) -> Reaction
  private let waker: (ours: Int32, theirs: Int32)
  private let ended = DispatchSemaphore(value: 0)

  /// Listens at once.
  package init(
    at path: String, _ snapshot: StationSnapshot = SampleStation.snapshot(), version: UInt16 = StationLimits.version,
    react: @escaping @Sendable (StationOrder) -> Reaction = { _ in .answer(.done("done as scripted")) }
  ) throws {
    state = Mutex(State(snapshot: snapshot))
    listener = try PacketListener(path: path, mode: 0o600)
    self.version = version
    self.react = react
    var ends: [Int32] = [-1, -1]
    let type = [SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK].reduce(0) { $0 | Int32($1.rawValue) }
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
    waker = (ends[0], ends[1])
    Thread { [self] in serve() }.start()
  }

  deinit {
    close(waker.ours)
    close(waker.theirs)
  }

  /// The orders that have come.
  package var orders: [StationOrder] { state.withLock { $0.orders } }
  /// How many want events now.
  package var listeners: Int { state.withLock { $0.listeners } }
  /// How often it was asked how it is.
  package var questions: Int { state.withLock { $0.questions } }
  /// Whether those who came wanted names.
  package var names: [Bool] { state.withLock { $0.names } }

  /// How it is from now on.
  package func become(_ snapshot: StationSnapshot) { state.withLock { $0.snapshot = snapshot } }

  /// An event for all who listen.
  package func tell(_ line: String) {
    state.withLock { $0.events.append(line) }
    wake()
  }

  /// Ends; returns when nobody listens there any more.
  package func end() {
    state.withLock { $0.isEnded = true }
    wake()
    ended.wait()
    // For whoever ends it once more.
    ended.signal()
  }

  private func wake() {
    var byte: UInt8 = 1
    _ = write(waker.theirs, &byte, 1)
  }

  private func serve() {
    var visitors: [Visitor] = []
    var number: UInt64 = 0
    while true {
      var waiting = [waker.ours, listener.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      waiting += visitors.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
      poll(&waiting, nfds_t(waiting.count), -1)
      var byte: UInt8 = 0
      while read(waker.ours, &byte, 1) > 0 {}
      while let socket = listener.accept() { visitors.append(Visitor(socket: socket)) }
      visitors = visitors.compactMap { take($0) }
      let (events, isEnded) = state.withLock { state in
        state.listeners = visitors.count { $0.isListening }
        // What happens while nobody listens is told nobody, as the real one has it.
        let events = state.listeners > 0 ? exchange(&state.events, with: []) : []
        return (events, state.isEnded)
      }
      for line in events {
        number += 1
        let bytes = StationMessage.event(StationEvent(number: number, line: line)).bytes
        for visitor in visitors where visitor.isListening { _ = visitor.socket.send(bytes) }
      }
      if isEnded { break }
    }
    // Whoever is connected is disconnected, and nobody can connect.
    visitors = []
    shutdown(listener.number, Int32(SHUT_RDWR))
    ended.signal()
  }

  /// - Returns: the visitor; `nil` where it is gone, or is sent away.
  private func take(_ visitor: Visitor) -> Visitor? {
    var visitor = visitor
    while true {
      switch visitor.socket.receive(limit: StationLimits.maximumPacket) {
      case .nothing: return visitor
      case .tooLong, .end: return nil
      case .packet(let bytes):
        guard let message = try? ListenerMessage(bytes: bytes), answer(message, &visitor) else { return nil }
      }
    }
  }

  private func answer(_ message: ListenerMessage, _ visitor: inout Visitor) -> Bool {
    func say(_ message: StationMessage) { _ = visitor.socket.send(message.bytes) }
    switch message {
    case .hello(let theirs, _, let wants):
      guard theirs == version else {
        say(.refused("This service speaks version \(version), and not \(theirs). Install both from one release."))
        return false
      }
      state.withLock { $0.names.append(wants.names) }
      say(
        .welcome(
          StationWelcome(
            version: version, station: "door", program: "0.1.0", orders: OrderKind.allCases, names: wants.names)))
    case .snapshot:
      let snapshot = state.withLock { state in
        state.questions += 1
        return state.snapshot
      }
      for part in snapshot.parts { say(.snapshot(part)) }
    case .listen: visitor.isListening = true
    case .order(let order):
      state.withLock { $0.orders.append(order) }
      switch react(order) {
      case .answer(let outcome): say(.answer(order.id, outcome))
      case .nothing: break
      case .end:
        state.withLock { $0.isEnded = true }
        return false
      }
    }
    return true
  }
}
