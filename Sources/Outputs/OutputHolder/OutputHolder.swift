package import HolderProtocol
package import LinuxIO
package import ScanModel
package import SignalOutputs

/// Holds the outputs of all gates, whatever becomes of the gateway: one gateway at a time commands them over a socket, and
/// without one they are in the safe state that the last plan names.
///
///               hello            plan                          plan
///     nobody ──────▶ greeted ─────────▶ commanding ──────────────┐
///       ▲ ▲             │                   │  ▲                 │ what changed is stopped after its pulse and made anew,
///       │ └─────────────┘                   │  └─────────────────┘ the rest is not touched
///       └───────────────────────────────────┘ closed, bye, silent for 1 s, not understood: every gate is uncommanded
///
/// The socket has this actor's thread, each gate one of its own: a stuck board holds up neither the other gates nor the
/// heartbeat.
package actor OutputHolder {
  /// Where the holder keeps what outlives it.
  package struct Directories: Sendable {
    /// For the plan; `nil` where it is not kept.
    package var state: String?
    /// For running pulses, gone at the next boot; `nil` where they are not kept.
    package var runtime: String?
    package init(state: String? = nil, runtime: String? = nil) {
      self.state = state
      self.runtime = runtime
    }
  }

  /// The devices that the holder drives; tests put a record in their place.
  package struct Devices: Sendable {
    /// Makes a gate's driver; the closure takes words for the operator.
    package var driver: @Sendable (OutputPlan.Gate, @escaping @Sendable (String) -> Void) -> any OutputDriver
    /// Lets go of every GPIO line that is not among these.
    package var keepOnly: @Sendable (Set<GPIOLineConfiguration>) -> Void
    package init(
      driver: @escaping @Sendable (OutputPlan.Gate, @escaping @Sendable (String) -> Void) -> any OutputDriver,
      keepOnly: @escaping @Sendable (Set<GPIOLineConfiguration>) -> Void = { _ in }
    ) {
      self.driver = driver
      self.keepOnly = keepOnly
    }
  }

  struct Connection {
    let number: UInt64
    let socket: PacketSocket
    let peer: PacketSocket.Peer?
    let watch: DeviceLoop.Watch
    var isGreeted = false
    var isCommanding = false
    var silence: Silence
    /// Since it was accepted, whatever it says: how long it does not command.
    var visit: Silence
  }

  /// How soon a plan that could not be kept is tried again.
  private static let saveAgain: Duration = .seconds(30)

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  nonisolated let loop: DeviceLoop
  nonisolated let time = SystemTime()
  nonisolated let presence = Presence()
  let listener: PacketListener
  private let directories: Directories
  private let devices: Devices
  private let manager: ServiceManager?
  nonisolated let log: HolderLog

  var plan = OutputPlan(gates: [])
  var gates: [GateID: HeldGate] = [:]
  var stopping: Set<GateID> = []
  private var starting = 0
  /// What fails now, by gate and device, to be told to a gateway that comes later.
  var faults: [GateID: [String: String]] = [:]
  /// The levels of inputs, likewise.
  var levels: [GateID: [InputName: (isActive: Bool, at: MonotonicTime)]] = [:]
  var connection: Connection?
  var connectionCount: UInt64 = 0
  private var listening: DeviceLoop.Watch?
  private var saver: DeviceLoop?
  /// The plan that is on the disk, as far as is known.
  private var savedPlan: OutputPlan?
  private var savingAt: MonotonicTime?
  private var hasToldReady = false
  /// The gates whose threads have not turned since the watchdog was last fed.
  private var waitingForTurn: [HeldGate] = []
  private var ended: [@Sendable () -> Void]?

  /// Makes the holder; nothing happens before `start`.
  /// - Parameters:
  ///   - manager: is told of readiness and life; `nil` where nobody is.
  ///   - loop: the socket's thread.
  package init(
    listener: PacketListener, directories: Directories, devices: Devices, manager: ServiceManager?, loop: DeviceLoop,
    log: @escaping HolderLog
  ) {
    self.listener = listener
    self.directories = directories
    self.devices = devices
    self.manager = manager
    self.loop = loop
    self.log = log
  }

  // MARK: Life

  /// Holds the safe state of the plan that was kept, and takes gateways from then on.
  package func start() {
    if let directory = directories.state {
      switch PlanFile(directory: directory).load() {
      case .plan(let kept):
        plan = kept
        savedPlan = kept
      case .nothing: log(.notice, "There is no plan yet; nothing is held until a gateway comes.")
      case .damaged(let words): log(.error, words)
      }
    }
    reconcile()
    listening = loop.watch(listener.number, for: .readable) { _ in self.assumeIsolated { $0.accept() } }
    beat()
  }

  /// Lets pulses end, leaves every gate in its safe state for a successor, and then calls `ended`.
  package func stop(then ended: @escaping @Sendable () -> Void) {
    manager?.notify("STOPPING=1")
    if let listening { loop.unwatch(listening) }
    listening = nil
    self.ended = (self.ended ?? []) + [ended]
    end("The output holder is stopped.")
    reconcile()
  }

  /// Hands over to the holder's thread; from any thread, without waiting.
  package nonisolated func perform(_ body: @escaping @Sendable (isolated OutputHolder) -> Void) {
    _ = loop.at(time.now()) { self.assumeIsolated { body($0) } }
  }

  /// Gives signs of life every `HolderLimits.heartbeat`, and looks for the gateway's.
  private func beat() {
    // Whatever kept us, the gateway may have spoken meanwhile: what it said comes first.
    read()
    let now = time.now()
    if connection?.silence.isTooLong(at: now) == true, let connection {
      let silence = now - connection.silence.since
      refuse("The gateway (\(Self.name(connection.peer))) was silent for \(silence.milliseconds) ms.")
    }
    if connection?.isCommanding == false, connection?.visit.isTooLong(at: now) == true {
      refuse("\(Self.name(connection?.peer)) has not said what to hold.")
    }
    send(.beat)
    if plan != savedPlan, let savingAt, now - savingAt > Self.saveAgain { save(plan) }
    if starting == 0, stopping.isEmpty, !hasToldReady, let manager { hasToldReady = manager.notify("READY=1") }
    feedWatchdog()
    _ = loop.at(now + HolderLimits.heartbeat) { self.assumeIsolated { $0.beat() } }
  }

  /// Fed only when each gate's thread has turned since; this one turns now.
  private func feedWatchdog() {
    guard let manager, manager.watchdogInterval != nil else { return }
    // A gate that has ended turns no more, and need not.
    waitingForTurn = waitingForTurn.filter { gates[$0.part.id] === $0 && !$0.takeTurn() }
    if !waitingForTurn.isEmpty { return }
    manager.notify("WATCHDOG=1")
    waitingForTurn = Array(gates.values)
  }

  func tellStatus() {
    let who = connection.map {
      $0.isCommanding ? "commanded by \(Self.name($0.peer))" : "greeted by \(Self.name($0.peer))"
    }
    manager?.notify("STATUS=\(gates.count) gates, \(who ?? "no gateway: safe state")")
  }

  // MARK: Gates

  /// Brings what is held to what is wanted: first what does not belong ends, then what is missing begins.
  func reconcile() {
    let isEnding = ended != nil
    let wanted = isEnding ? [:] : Dictionary(plan.gates.map { ($0.id, $0) }) { first, _ in first }
    for (id, gate) in gates where wanted[id] != gate.part && !stopping.contains(id) {
      stopping.insert(id)
      // A gate that is commanded is off; it must not be opened by being set up anew.
      let leaving = isEnding || connection?.isCommanding != true
      gate.stop(leavingSafeState: leaving && (isEnding || wanted[id] != nil)) {
        self.perform { holder in
          holder.gates[id] = nil
          holder.faults[id] = nil
          holder.levels[id] = nil
          holder.stopping.remove(id)
          holder.reconcile()
        }
      }
    }
    guard stopping.isEmpty else { return }
    if isEnding { return finish() }
    devices.keepOnly(plan.outputLines)
    for part in plan.gates where gates[part.id] == nil { begin(part) }
    tellStatus()
  }

  private func begin(_ part: OutputPlan.Gate) {
    let id = part.id
    let listener = HeldGate.Listener(
      told: { message in self.perform { $0.told(message) } }, log: log,
      isAwaited: { [presence, time] in presence.isSure(at: time.now()) })
    let driver = devices.driver(part) { words in
      self.log(.notice, "Gate \(id): \(words)")
      self.perform { $0.send(.notice("Gate \(id): \(words)")) }
    }
    do throws(SystemError) {
      let gate = try HeldGate(part, runtime: directories.runtime, driver: driver, listener: listener)
      gates[id] = gate
      starting += 1
      gate.start(commanded: connection?.isCommanding == true) {
        self.perform { holder in
          holder.starting -= 1
          // The connection may have come or gone while it started.
          holder.tellCommand(gate)
        }
      }
    } catch {
      let words = "Gate \(id): its thread cannot be started (\(error.words)). Free memory or threads."
      log(.error, words)
      send(.gateState(id, admissionFault: words))
    }
  }

  /// Tells a gate whether it is commanded, and the gateway how the gate is.
  func tellCommand(_ gate: HeldGate) {
    let isCommanded = connection?.isCommanding == true
    let id = gate.part.id
    // By another name: Swift 6.2 crashes where what runs on one actor has a `self` that is another.
    let holder = self
    gate.outputs.perform { outputs in
      if isCommanded { outputs.command() } else { outputs.uncommand() }
      let fault = outputs.admissionFault
      if isCommanded { holder.perform { $0.send(.gateState(id, admissionFault: fault)) } }
    }
  }

  private func told(_ message: HolderMessage) {
    switch message {
    case .fault(let gate, let device, let words):
      faults[gate, default: [:]][device] = words
      // What an input that fails was last is not what it is.
      if device.hasPrefix("input ") { levels[gate]?[InputName(String(device.dropFirst(6)))] = nil }
    case .recovered(let gate, let device): faults[gate]?[device] = nil
    case .input(let gate, let input, let isActive, let at): levels[gate, default: [:]][input] = (isActive, at)
    case .welcome, .refused, .admitted, .gateState, .notice, .beat: break
    }
    send(message)
  }

  private func finish() { for callback in exchange(&ended, with: []) ?? [] { callback() } }

  // MARK: The plan's file

  /// On a thread of its own: a worn card can take seconds to sync.
  func save(_ plan: OutputPlan) {
    guard let directory = directories.state, plan != savedPlan else { return }
    savingAt = time.now()
    do throws(SystemError) {
      if saver == nil { saver = try DeviceLoop(name: "plan file") }
      _ = saver?.at(time.now()) { [log] in
        do throws(SystemError) {
          try PlanFile(directory: directory).save(plan)
          self.perform { $0.savedPlan = plan }
        } catch {
          log(
            .error,
            "The plan cannot be kept in \(directory) (\(error.description)): after a restart the old one is held. "
              + "Free space there, or let the holder write there.")
        }
      }
    } catch {
      log(.error, "The plan cannot be kept: no thread can be started (\(error.words)).")
    }
  }
}
