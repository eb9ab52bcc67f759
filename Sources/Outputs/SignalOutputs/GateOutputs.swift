import Glibc
package import LinuxIO
package import ScanModel
package import Signalling
import Synchronization

/// The outputs of one gate: owns their driver and their sequencer, and lives on a device loop, which the gates of a
/// station may share.
///
/// The relay is off from `start`, and off when `stop` returns, whatever its safe state: once the devices are let go, nobody
/// holds a line, and what it then does is the chip's affair. Only outputs that are uncommanded hold the safe state. An output that fails is reported once, tried again every
/// second, and reported as recovered; a relay that cannot be switched off is tried again at once and every 100 ms.
package actor GateOutputs {
  /// How soon a lamp or a buzzer that failed is tried again.
  static let retry: Duration = .seconds(1)

  /// How soon it is noticed that the machine slept while a pulse ran.
  static let sleepLook: Duration = .milliseconds(250)
  /// How long after a sleep an admission may still be one from before it, on its way through a socket.
  static let afterSleep: Duration = .seconds(1)

  private struct Fault {
    var error: DeviceError
    var retry: MonotonicTime
    var isTold: Bool
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let gate: GateID
  private let kinds: [OutputName: OutputKind]
  private let timing: RelayTiming
  private let driver: any OutputDriver
  private nonisolated let loop: DeviceLoop
  private nonisolated let time = SystemTime()
  private let watching: Watching

  private var sequencer: SignalSequencer
  private var sleep = SleepWatch(asleep: SystemTime().asleep())
  private var isRunning = false
  private var isCommanded = true
  private var isOpen = false
  private var faults: [OutputName: Fault] = [:]
  private var pulses: [PulseID: @Sendable (PulseOutcome) -> Void] = [:]
  private var pulseCount: UInt64 = 0
  private var alarm: (timer: DeviceLoop.Timer, at: MonotonicTime)?
  private var stops: [@Sendable () -> Void] = []

  /// Signals on their way to the loop's thread, in their order; never more than one verdict and one background.
  private nonisolated let mailbox = Mutex<[Signal]>([])

  /// Why no admission could open the gate now; `nil` when one could. Kept beside the actor's state so that a gate can ask
  /// without waiting for the loop's thread.
  private nonisolated let obstacle: Mutex<String?>

  /// Who is told of what the outputs do. Everything is called on the loop's thread and must return at once.
  package struct Watching: Sendable {
    /// Told once when an output fails, and again when the cause changes.
    package var onFault: @Sendable (OutputName, DeviceError) -> Void = { _, _ in }
    /// Told when an output that failed works again.
    package var onRecovery: @Sendable (OutputName) -> Void = { _ in }
    /// Told when a pulse has begun, and its end.
    package var onPulse: @Sendable (MonotonicTime) -> Void = { _ in }
    /// Told when `admissionFault` changes.
    package var onObstacle: @Sendable (String?) -> Void = { _ in }
    /// Asked before an admission that waited is carried out: whether who asked for it still waits.
    package var isAwaited: @Sendable () -> Bool = { true }
    package init() {}
  }

  /// Makes the outputs of a gate; nothing is opened before `start`.
  /// - Parameters:
  ///   - outputs: the gate's outputs; one relay at most.
  ///   - loop: the thread to live on; stop the outputs before it.
  ///   - onFault: told once when an output fails, and again when the cause changes. Called on the loop's thread; it must return at once.
  ///   - onRecovery: told when an output that failed works again; likewise.
  /// - Throws: `SignalError` when there is more than one relay.
  package init(
    gate: GateID, outputs: [OutputName: OutputKind], timing: RelayTiming = .standard, patterns: SignalPatterns,
    driver: any OutputDriver, loop: DeviceLoop,
    onFault: @escaping @Sendable (OutputName, DeviceError) -> Void,
    onRecovery: @escaping @Sendable (OutputName) -> Void = { _ in }
  ) throws(SignalError) {
    var watching = Watching()
    watching.onFault = onFault
    watching.onRecovery = onRecovery
    try self.init(
      gate: gate, outputs: outputs, timing: timing, patterns: patterns, driver: driver, loop: loop, watching: watching)
  }

  /// Makes the outputs of a gate that may be left uncommanded; nothing is opened before `start`.
  /// - Parameters:
  ///   - outputs: the gate's outputs; one relay at most.
  ///   - safeState: what the relay is while nobody commands it.
  ///   - loop: the thread to live on; stop the outputs before it.
  /// - Throws: `SignalError` when there is more than one relay.
  package init(
    gate: GateID, outputs: [OutputName: OutputKind], timing: RelayTiming, safeState: SafeState = .secure,
    patterns: SignalPatterns, driver: any OutputDriver, loop: DeviceLoop, watching: Watching
  ) throws(SignalError) {
    sequencer = try SignalSequencer(outputs: outputs, timing: timing, safeState: safeState, patterns: patterns)
    self.timing = timing
    kinds = outputs
    obstacle = Mutex(Self.stoppedWords(gate))
    self.gate = gate
    self.driver = driver
    self.loop = loop
    self.watching = watching
  }

  // MARK: Life

  /// Opens the outputs: the relay at rest, lamps and sound as the background has them. What cannot be opened is reported,
  /// not thrown.
  /// - Parameters:
  ///   - commanded: whether somebody commands the outputs already; else they are in their safe state.
  ///   - end: when a pulse ends that a predecessor began; see `SignalSequencer.start`.
  package func start(commanded: Bool = true, resuming end: MonotonicTime? = nil) {
    if isRunning { return }
    isRunning = true
    isOpen = true
    isCommanded = commanded
    resumeStops()
    carryOut(sequencer.start(commanded: commanded, resuming: end, at: time.now()))
    // Told once even where it should be so: nobody knows how an earlier program left it.
    for (output, kind) in kinds.sorted(by: { $0.key < $1.key }) where kind != .relay && !sequencer.isOn(output) {
      write(output, on: false)
    }
    schedule()
    tellObstacle()
  }

  /// Somebody commands the outputs: admissions are taken, and a relay that was held on is released.
  package func command() {
    isCommanded = true
    carryOut(sequencer.command(at: time.now()))
    tellObstacle()
  }

  /// Nobody commands the outputs any more: they go to their safe state, after a pulse that runs.
  package func uncommand() {
    isCommanded = false
    mailbox.withLock { $0.removeAll() }
    carryOut(sequencer.uncommand(at: time.now()))
    tellObstacle()
  }

  /// Ends the outputs: admissions that wait fail, a running pulse ends at its end, everything is off, and the devices are
  /// let go. A relay that cannot be switched off is given up after some tries; it was reported.
  package func stop() async { await withCheckedContinuation { continuation in stop { continuation.resume() } } }

  /// The same without waiting.
  /// - Parameters:
  ///   - leavingSafeState: whether the relay is left in its safe state, for a successor that takes the line over.
  ///   - ended: called when it is done, on the loop's thread.
  package func stop(leavingSafeState: Bool = false, then ended: @escaping @Sendable () -> Void) {
    isRunning = false
    tellObstacle()
    stops.append(ended)
    carryOut(sequencer.stop(leavingSafeState: leavingSafeState))
  }

  private func close() {
    guard isOpen else { return }
    isOpen = false
    if let alarm { loop.cancel(alarm.timer) }
    alarm = nil
    faults = [:]
    driver.close()
  }

  /// Returns once the outputs' loop has answered: while it is stuck, it does not.
  package nonisolated func heartbeat() async { await loop.heartbeat() }

  /// Runs `body` on the loop's thread, after what was handed over before it; from any thread, without waiting.
  package nonisolated func perform(_ body: @escaping @Sendable (isolated GateOutputs) -> Void) {
    _ = loop.at(time.now()) { self.assumeIsolated { body($0) } }
  }

  // MARK: Signals

  /// Hands `signal` over to the loop's thread; from any thread, without waiting.
  nonisolated func post(_ signal: Signal) {
    mailbox.withLock { mailbox in
      // What a newer signal of its sort pre-empts need not be played.
      mailbox.removeAll { $0.isBackground == signal.isBackground }
      mailbox.append(signal)
    }
    _ = loop.at(time.now()) { self.assumeIsolated { $0.playPosted() } }
  }

  /// Plays `signal`; see `SignalOutput.play`.
  package func play(_ signal: Signal) { carryOut(sequencer.play(signal, at: time.now())) }

  /// See `SignalOutput.admissionFault`; from any thread, without waiting.
  package nonisolated var admissionFault: String? { obstacle.withLock { $0 } }

  /// Asks for one pulse; see `SignalOutput.admit`.
  func admit(isProvisional: Bool) async -> PulseOutcome {
    await withCheckedContinuation { continuation in
      admit(isProvisional: isProvisional) { continuation.resume(returning: $0) }
    }
  }

  /// The same without waiting: `answer` is called once, on the loop's thread.
  package func admit(isProvisional: Bool, _ answer: @escaping @Sendable (PulseOutcome) -> Void) {
    // What was asked for before is played before.
    playPosted()
    // Asked for before the machine slept, or just after: nobody can tell.
    lookForSleep()
    if sleep.hasSlept(since: time.now() - Self.afterSleep) { return answer(.failed(words(for: .late))) }
    pulseCount += 1
    let pulse = PulseID(pulseCount)
    pulses[pulse] = answer
    carryOut(sequencer.admit(pulse, isProvisional: isProvisional, at: time.now()))
  }

  /// Looks whether the machine slept since the last look.
  private func lookForSleep() {
    let now = time.now()
    guard let length = sleep.look(asleep: time.asleep(), at: now) else { return }
    carryOut(sequencer.slept(for: length, at: now))
  }

  private func playPosted() {
    for signal in mailbox.withLock({ exchange(&$0, with: []) }) { carryOut(sequencer.play(signal, at: time.now())) }
  }

  // MARK: Effects

  private func carryOut(_ effects: [SignalSequencer.Effect]) {
    // Answers bring further effects; they come after what was decided before them.
    var effects = effects
    var index = 0
    while index < effects.count {
      effects += carryOut(effects[index])
      index += 1
    }
    schedule()
    if !stops.isEmpty, !isRunning, sequencer.isStopped {
      close()
      resumeStops()
    }
  }

  private func resumeStops() { for stop in exchange(&stops, with: []) { stop() } }

  private func carryOut(_ effect: SignalSequencer.Effect) -> [SignalSequencer.Effect] {
    switch effect {
    case .set(let output, let on):
      // One that failed is left alone until its time has come.
      if faults[output] == nil { write(output, on: on) }
      return []
    case .driveRelay(let relay):
      // Noted before it is driven: a successor that finds no end would cut the pulse.
      let isPulse = sequencer.isBeginningPulse
      if isPulse { watching.onPulse(time.now() + timing.pulse) }
      do throws(DeviceError) {
        try driver.set(relay, on: true)
      } catch {
        if isPulse { watching.onPulse(time.now()) }
        failed(relay, error)
        return sequencer.relayDriveFailed(mayHaveSwitched: error.mayHaveHappened, at: time.now())
      }
      let now = time.now()
      recovered(relay)
      return sequencer.relayDriven(at: now)
    case .releaseRelay(let relay):
      do throws(DeviceError) {
        try driver.set(relay, on: false)
      } catch {
        failed(relay, sequencer.isOn(relay) ? Self.mayStandOpen(error) : error)
        return sequencer.relayReleaseFailed(at: time.now())
      }
      let now = time.now()
      recovered(relay)
      return sequencer.relayReleased(at: now)
    case .pulseStarted(let pulse, let start, let end):
      watching.onPulse(end)
      pulses.removeValue(forKey: pulse)?(.started(start: start, end: end))
      return []
    case .admittedWithoutRelay(let pulse):
      pulses.removeValue(forKey: pulse)?(.noRelay)
      return []
    case .pulseFailed(let pulse, let failure):
      let words = words(for: failure)
      pulses.removeValue(forKey: pulse)?(failure == .unsure ? .unanswered(words) : .failed(words))
      return []
    }
  }

  private func write(_ output: OutputName, on: Bool) {
    do throws(DeviceError) {
      try driver.set(output, on: on)
      recovered(output)
    } catch {
      failed(output, error)
    }
  }

  private static func mayStandOpen(_ error: DeviceError) -> DeviceError {
    var error = error
    error.what = "the relay cannot be switched off, the gate may stand open: \(error.what)"
    error.remedy = "Watch the gate now. \(error.remedy)"
    return error
  }

  private func words(for failure: PulseFailure) -> String {
    switch failure {
    case .notDriven, .stuck: relayWords
    case .unsure: "gate \(gate): it may have opened: \(relayWords)"
    case .tooManyWaiting:
      "gate \(gate): \(SignalSequencer.maximumWaiting) admissions wait for the relay already. Present again."
    case .late: "gate \(gate): the admission waited too long to be carried out; nothing was opened. Present again."
    case .uncommanded: uncommandedWords
    case .stopped: Self.stoppedWords(gate)
    }
  }

  private var relayWords: String {
    relayFault?.description ?? "gate \(gate): its relay does not work. Check it and its cable."
  }

  private var uncommandedWords: String {
    "gate \(gate): nobody commands its outputs; they are in their safe state. Start the gateway."
  }

  private static func stoppedWords(_ gate: GateID) -> String {
    "gate \(gate): its outputs are not running. Start the service."
  }

  private var relayFault: DeviceError? { faults.first { kinds[$0.key] == .relay }?.value.error }

  // MARK: Faults and time

  private func failed(_ output: OutputName, _ error: DeviceError) {
    let earlier = faults[output]
    // A device that has just appeared gets its permissions a moment later: a lamp's are not missed before the next try.
    let mayCome = error.errno == EACCES && earlier == nil && kinds[output] != .relay
    let isNew = earlier?.error != error || earlier?.isTold == false
    faults[output] = Fault(error: error, retry: time.now() + Self.retry, isTold: !mayCome)
    if !isNew || mayCome { return }
    tellObstacle()
    watching.onFault(output, error)
  }

  private func recovered(_ output: OutputName) {
    guard let fault = faults.removeValue(forKey: output) else { return }
    if !fault.isTold { return }
    tellObstacle()
    watching.onRecovery(output)
  }

  private func tellObstacle() {
    let words =
      !isRunning ? Self.stoppedWords(gate) : relayFault?.description ?? (isCommanded ? nil : uncommandedWords)
    let isNew = obstacle.withLock { exchange(&$0, with: words) } != words
    // Whoever takes command is told then; until then there is nobody to tell.
    if isNew, isCommanded || !isRunning { watching.onObstacle(words) }
  }

  private func wake() {
    alarm = nil
    lookForSleep()
    let now = time.now()
    if let due = sequencer.deadline, due <= now, !watching.isAwaited() { carryOut(sequencer.dropWaiting()) }
    carryOut(sequencer.advance(to: now))
    for (output, fault) in faults where fault.retry <= now && kinds[output] != .relay {
      write(output, on: sequencer.isOn(output))
    }
    schedule()
  }

  /// Sets the one timer to what is due next. A relay's retries are the sequencer's.
  private func schedule() {
    let retries = faults.filter { kinds[$0.key] != .relay }.map(\.value.retry)
    let look = sequencer.isPulsing ? time.now() + Self.sleepLook : nil
    let next = (retries + [sequencer.deadline, look].compactMap(\.self)).min()
    if next == alarm?.at { return }
    if let alarm { loop.cancel(alarm.timer) }
    // The timer holds the outputs: a pulse that runs is ended even if everybody else has forgotten them.
    alarm = next.map { next in (loop.at(next) { self.assumeIsolated { $0.wake() } }, next) }
  }
}
