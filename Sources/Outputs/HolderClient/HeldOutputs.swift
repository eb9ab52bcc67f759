package import HolderProtocol
package import LinuxIO
package import ScanModel
import Synchronization
import WireCoding

/// The outputs of a station's gates in the hands of the output holder: the gateway's end of its socket.
///
///              connected             welcome
///     offline ──────────▶ greeting ──────────▶ commanding
///        ▲ ◀─────────────────┘                     │
///        └─────────────────────────────────────────┘ closed, refused, silent for 1 s, a full socket
///
/// Offline it tries again for ever, after 100 ms, then up to 1 s. Lives on a thread of its own, so that its heartbeat does
/// not depend on what else the gateway does.
package actor HeldOutputs {
  /// Who is told; everything is called on the thread of the outputs and must return at once.
  package struct Watching: Sendable {
    /// Told when a gate's `admissionFault` may have changed, or one of its devices fails or works again.
    package var onGateChanged: @Sendable (GateID) -> Void = { _ in }
    /// Told that a gate's device fails, such as `output relay` or `input door`, and what happened.
    package var onFault: @Sendable (_ gate: GateID, _ device: String, _ words: String) -> Void = { _, _, _ in }
    /// Told that a device that failed works again.
    package var onRecovery: @Sendable (_ gate: GateID, _ device: String) -> Void = { _, _ in }
    /// Takes lines for the operator: what is not in order.
    package var log: @Sendable (String) -> Void = { _ in }
    /// Takes lines for the operator: what is worth knowing.
    package var note: @Sendable (String) -> Void = { _ in }
    /// Told an input's level, and since when it has it; told again after each connect.
    package var onInput: @Sendable (_ gate: GateID, _ input: InputName, _ isActive: Bool, _ at: MonotonicTime) -> Void =
      { _, _, _, _ in }
    package init() {}
  }

  private struct Connection {
    let socket: PacketSocket
    let watch: DeviceLoop.Watch
    var isCommanding = false
    var silence: Silence
  }

  private struct Pending {
    let gate: GateID
    let continuation: CheckedContinuation<PulseOutcome, Never>
  }

  private static let firstRetry: Duration = .milliseconds(100)
  private static let lastRetry: Duration = .seconds(1)

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let path: String
  private var plan: OutputPlan
  private var watching: Watching
  private nonisolated let loop: DeviceLoop
  private nonisolated let time = SystemTime()

  private var isRunning = false
  private var connection: Connection?
  private var retry = firstRetry
  private var alarm: DeviceLoop.Timer?
  private var pending: [UInt64: Pending] = [:]
  private var admissionCount: UInt64 = 0
  private var lastWords = ""
  /// The gates whose state the holder has not told since the start.
  private var untold: Set<GateID> = []
  private var settling: [CheckedContinuation<Void, Never>] = []
  /// The background of each gate, to be told again to a holder that was away.
  private var backgrounds: [GateID: Signal] = [:]

  /// Signals on their way to the thread, in their order.
  private nonisolated let mailbox = Mutex<[(gate: GateID, signal: Signal)]>([])
  /// Why no admission could open a gate now, for those that have an obstacle.
  private nonisolated let obstacles: Mutex<[GateID: String]>

  /// Makes the outputs; nothing is connected before `start`.
  /// - Parameters:
  ///   - path: the holder's socket.
  ///   - plan: what it is to hold.
  /// - Throws: where no thread can be started.
  package init(path: String, plan: OutputPlan, watching: Watching) throws(SystemError) {
    self.path = path
    self.plan = plan
    self.watching = watching
    loop = try DeviceLoop(name: "holder")
    let words = Self.words(path, "it was not asked yet")
    obstacles = Mutex(Dictionary(plan.gates.map { ($0.id, words) }) { first, _ in first })
  }

  deinit { loop.stop() }

  private static func words(_ path: String, _ why: String) -> String {
    "the output holder at \(path) does not answer: \(why). See `systemctl status scangate-outputs`."
  }

  // MARK: Life

  /// Connects, and stays connected until `stop`; returns at once. A plan with a problem is told as every gate's obstacle.
  package func start() {
    if isRunning { return }
    isRunning = true
    untold = Set(plan.gates.map(\.id))
    connect()
    beat()
  }

  /// Returns when the holder has told every gate's state, when it cannot be had, or after `limit`: a gateway that starts so
  /// does not tell of obstacles that last some milliseconds.
  package func settle(within limit: Duration) async {
    if untold.isEmpty || connection == nil { return }
    _ = loop.at(time.now() + limit) { self.assumeIsolated { $0.settled() } }
    await withCheckedContinuation { settling.append($0) }
  }

  private func settled() { for waiting in exchange(&settling, with: []) { waiting.resume() } }

  /// Holds another plan from now on, for others who are told; what the plans have in common is not touched. Started or not.
  package func hold(_ plan: OutputPlan, watching: Watching) {
    self.plan = plan
    self.watching = watching
    backgrounds = [:]
    let words = Self.words(path, "it was not asked yet")
    obstacles.withLock { $0 = Dictionary(plan.gates.map { ($0.id, words) }) { first, _ in first } }
    untold = Set(plan.gates.map(\.id))
    guard isRunning, connection != nil else { return }
    // Until the next welcome: what is on its way was said of the old plan.
    connection?.isCommanding = false
    send(.plan(plan))
  }

  /// Tells nobody any more, and goes on holding what it holds: between two stations of one process.
  package func rest() { watching = Watching() }

  /// Takes leave of the holder: its gates go to their safe state. Admissions without an answer are `unanswered`.
  package func stop() {
    guard isRunning else { return }
    isRunning = false
    if let alarm { loop.cancel(alarm) }
    alarm = nil
    sendPosted()
    _ = connection?.socket.send(GatewayMessage.bye.bytes)
    end("the gateway is stopping")
    // Whoever is told may hold us: the thread ends when nobody does any more.
    watching = Watching()
  }

  /// Returns when the thread has answered: a gateway whose watchdog asks so knows that its heartbeat lives.
  package nonisolated func heartbeat() async { await loop.heartbeat() }

  /// The face of one gate.
  package nonisolated func output(of gate: GateID) -> HeldGateOutput { HeldGateOutput(self, gate) }

  private func connect() {
    alarm = nil
    guard isRunning, connection == nil else { return }
    if let problem = plan.problem { return end("the plan cannot be carried out: \(problem)") }
    let bytes = GatewayMessage.plan(plan).bytes
    guard bytes.count <= HolderLimits.maximumPacket else {
      return end("the plan of \(bytes.count) bytes is too long; shorten the patterns of the signals")
    }
    do throws(SystemError) {
      let socket = try PacketSocket(connectingTo: path)
      let watch = loop.watch(socket.number, for: .readable) { _ in self.assumeIsolated { $0.read() } }
      connection = Connection(socket: socket, watch: watch, silence: Silence(since: time.now()))
      send(.hello(version: HolderLimits.version, heartbeat: HolderLimits.heartbeat))
      send(.plan(plan))
    } catch {
      end("\(error.call): \(error.words)")
    }
  }

  private func beat() {
    guard isRunning else { return }
    review()
    send(.beat)
    _ = loop.at(time.now() + HolderLimits.heartbeat) { self.assumeIsolated { $0.beat() } }
  }

  /// Judges the holder's silence, after what it has said: this process may have been stopped meanwhile.
  private func review() {
    read()
    let now = time.now()
    guard connection?.silence.isTooLong(at: now) == true, let connection else { return }
    end("it was silent for \((now - connection.silence.since).milliseconds) ms")
  }

  // MARK: Signals

  /// Hands a signal over; from any thread, without waiting.
  nonisolated func play(_ signal: Signal, at gate: GateID) {
    mailbox.withLock { mailbox in
      // What a newer signal of its sort pre-empts need not be played.
      mailbox.removeAll { $0.gate == gate && $0.signal.isBackground == signal.isBackground }
      mailbox.append((gate, signal))
    }
    _ = loop.at(time.now()) { self.assumeIsolated { $0.sendPosted() } }
  }

  nonisolated func admissionFault(at gate: GateID) -> String? { obstacles.withLock { $0[gate] } }

  /// Whoever waits is woken once, when the outcome is there: the thread of the outputs is entered by a handler, not by the caller's
  /// task, which would have to leave it again.
  nonisolated func admit(at gate: GateID, isProvisional: Bool) async -> PulseOutcome {
    await withCheckedContinuation { continuation in
      _ = loop.at(time.now()) {
        self.assumeIsolated { $0.admit(at: gate, isProvisional: isProvisional, continuation) }
      }
    }
  }

  private func admit(
    at gate: GateID, isProvisional: Bool, _ continuation: CheckedContinuation<PulseOutcome, Never>
  ) {
    sendPosted()
    review()
    guard connection?.isCommanding == true else {
      return continuation.resume(
        returning: .failed(admissionFault(at: gate) ?? Self.words(path, "it is not connected")))
    }
    admissionCount += 1
    let number = admissionCount
    // What the socket did not take cannot open the gate; from here on anything else may.
    guard send(.admit(gate, id: number, sentAt: time.now(), isProvisional: isProvisional)) else {
      return continuation.resume(returning: .failed(Self.words(path, "it does not read what it is told")))
    }
    pending[number] = Pending(gate: gate, continuation: continuation)
  }

  private func sendPosted() {
    for (gate, signal) in mailbox.withLock({ exchange(&$0, with: []) }) {
      if signal.isBackground { backgrounds[gate] = signal }
      if connection?.isCommanding == true { send(.play(gate, signal)) }
    }
  }

  @discardableResult private func send(_ message: GatewayMessage) -> Bool {
    guard let connection else { return false }
    if connection.socket.send(message.bytes) { return true }
    // It may have closed after a word of why.
    read()
    if self.connection != nil { end("it does not read what it is told") }
    return false
  }

  // MARK: What the holder says

  private func read() {
    for _ in 0..<64 {
      guard let socket = connection?.socket else { return }
      switch socket.receive(limit: HolderLimits.maximumPacket) {
      case .packet(let bytes):
        connection?.silence.broken(at: time.now())
        do throws(WireError) {
          take(try HolderMessage(bytes: bytes))
        } catch {
          end("what it says is not understood (\(error.description)); install both from one release")
        }
      case .tooLong(let count): end("a message of \(count) bytes is too long")
      case .nothing: return
      case .end: end("it closed the connection")
      }
    }
  }

  private func take(_ message: HolderMessage) {
    switch message {
    case .welcome:
      connection?.isCommanding = true
      retry = Self.firstRetry
      lastWords = ""
      watching.note("The output holder at \(path) takes our commands.")
      for (gate, background) in backgrounds { send(.play(gate, background)) }
    case .refused(let words): end("", saying: "the output holder at \(path) refuses us: \(words)")
    case .admitted(let number, let outcome):
      pending.removeValue(forKey: number)?.continuation.resume(returning: outcome)
    case .gateState(let gate, let fault):
      setObstacle(fault, at: gate)
      untold.remove(gate)
      if untold.isEmpty { settled() }
    case .fault(let gate, let device, let words):
      watching.onFault(gate, device, words)
      watching.onGateChanged(gate)
    case .recovered(let gate, let device):
      watching.onRecovery(gate, device)
      watching.onGateChanged(gate)
    case .notice(let words): watching.note(words)
    case .input(let gate, let input, let isActive, let at): watching.onInput(gate, input, isActive, at)
    case .beat: break
    }
  }

  private func setObstacle(_ words: String?, at gate: GateID) {
    if obstacles.withLock({ exchange(&$0[gate], with: words) }) != words { watching.onGateChanged(gate) }
  }

  /// There is no connection, or none any more: every gate has an obstacle, and nobody can tell what became of admissions.
  private func end(_ why: String, saying said: String? = nil) {
    if let connection { loop.unwatch(connection.watch) }
    connection = nil
    settled()
    let words = said ?? Self.words(path, why)
    for gate in plan.gates { setObstacle(words, at: gate.id) }
    for (_, asked) in exchange(&pending, with: [:]).sorted(by: { $0.key < $1.key }) {
      asked.continuation.resume(
        returning: .unanswered(
          "gate \(asked.gate): it may have opened: the answer did not come, \(words)"))
    }
    if isRunning, words != lastWords { watching.log("\(words.prefix(1).uppercased())\(words.dropFirst())") }
    lastWords = words
    guard isRunning, alarm == nil else { return }
    alarm = loop.at(time.now() + retry) { self.assumeIsolated { $0.connect() } }
    retry = min(retry * 2, Self.lastRetry)
  }
}

/// The face of one gate's outputs that the holder drives.
package final class HeldGateOutput: SignalOutput {
  private let outputs: HeldOutputs
  private let gate: GateID

  init(_ outputs: HeldOutputs, _ gate: GateID) {
    self.outputs = outputs
    self.gate = gate
  }

  /// See `SignalOutput.play`. What is played while the holder is away is lost, but for the background, which it is told when
  /// it is back.
  package func play(_ signal: Signal) { outputs.play(signal, at: gate) }

  /// See `SignalOutput.admissionFault`: the relay's fault, or that the holder does not answer.
  package var admissionFault: String? { outputs.admissionFault(at: gate) }

  /// Opens the gate for one person; see `SignalOutput.admit`. Where the holder falls silent between question and answer, the
  /// outcome is `unanswered`.
  package func admit(isProvisional: Bool) async -> PulseOutcome {
    await outputs.admit(at: gate, isProvisional: isProvisional)
  }
}
