internal import CNATS
internal import FleetBook
internal import LinuxIO
internal import ScanModel
internal import Synchronization

/// Connects to servers, on a thread of its own that may be kept for ever: it is left behind then, and what it brings at last is closed.
final class Connector: Sendable {
  /// How many threads are left behind at most; until one comes back, there are no more.
  private static let mostLeftBehind = 4

  private typealias Result = Swift.Result<NATSConnection, ClaimFault>

  private struct State: Sendable {
    var loop: DeviceLoop?
    var leftBehind = 0
  }

  private let state = Mutex(State())
  private let timers: DeviceLoop
  private let time: any TimeSource

  init(timers: DeviceLoop, time: any TimeSource) {
    self.timers = timers
    self.time = time
  }

  deinit { state.withLock { $0.loop?.stop() } }

  /// Connects to one server.
  func connect(
    to server: JetStreamSettings.Server, _ settings: JetStreamSettings, hearing hear: @escaping NATSConnection.Hearer
  ) async throws(ClaimFault) -> NATSConnection {
    if let wrong = cnats_load() {
      throw .otherVersion(
        "The client library of NATS cannot be used (\(TerminalText.clean(String(cString: wrong)))). Install it: libnats3.4 on Debian 12, libnats3.10 on Debian 13."
      )
    }
    let result = await withCheckedContinuation { (waiting: CheckedContinuation<Result, Never>) in
      let attempt = Attempt(waiting)
      guard let loop = self.loop() else {
        attempt.end(.failure(.noQuorum))
        return
      }
      _ = loop.at(time.now()) {
        let result = Self.connect(server, settings, hear)
        // Once connected it is not wanted again for hours.
        if case .success = result { self.letGo(loop) }
        if attempt.end(result) { return }
        // Nobody has waited for so long.
        if case .success(let connection) = result { connection.end() }
        self.state.withLock { $0.leftBehind -= 1 }
      }
      _ = timers.at(time.now() + JetStreamLimits.stuck) {
        if attempt.end(.failure(.noQuorum)) { self.leaveBehind(loop) }
      }
    }
    return try result.get()
  }

  private func loop() -> DeviceLoop? {
    state.withLock { state in
      if state.loop == nil, state.leftBehind < Self.mostLeftBehind {
        state.loop = try? DeviceLoop(name: "fleet-connect")
      }
      return state.loop
    }
  }

  private func letGo(_ loop: DeviceLoop) {
    let isOurs = state.withLock { state in
      guard state.loop === loop else { return false }
      state.loop = nil
      return true
    }
    if isOurs { loop.stop() }
  }

  private func leaveBehind(_ loop: DeviceLoop) {
    state.withLock { state in
      state.leftBehind += 1
      if state.loop === loop { state.loop = nil }
    }
    // It ends once its job has.
    loop.stop()
  }

  private static func connect(
    _ server: JetStreamSettings.Server, _ settings: JetStreamSettings, _ hear: @escaping NATSConnection.Hearer
  ) -> Result {
    do throws(NATSConnection.Fault) {
      return .success(try NATSConnection(server, settings, hearing: hear))
    } catch {
      switch error.status {
      case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
        return .failure(.refused("\(server) does not take the fleet's credential (\(error.words))."))
      case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED:
        return .failure(
          .refused(
            "TLS with \(server) fails (\(error.words)). Its certificate has to be of that name and signed by the fleet's authority, and not over."
          ))
      case NATS_INVALID_ARG:
        return .failure(.refused("\(server) cannot be connected to as the fleet is set up (\(error.words))."))
      default: return .failure(.noQuorum)
      }
    }
  }
}

/// Whoever waits for an attempt, answered once.
private final class Attempt: Sendable {
  private let waiting: Mutex<CheckedContinuation<Result<NATSConnection, ClaimFault>, Never>?>

  init(_ waiting: CheckedContinuation<Result<NATSConnection, ClaimFault>, Never>) {
    self.waiting = Mutex(waiting)
  }

  /// - Returns: whether it was waited for.
  @discardableResult func end(_ result: Result<NATSConnection, ClaimFault>) -> Bool {
    guard let waiting = waiting.withLock({ exchange(&$0, with: nil) }) else { return false }
    waiting.resume(returning: result)
    return true
  }
}

/// Places for answers.
enum Inbox {
  /// A name that nobody guesses.
  static func name() -> String {
    var source = SystemRandomNumberGenerator()
    return String(source.next(), radix: 36) + String(source.next(), radix: 36)
  }
}
