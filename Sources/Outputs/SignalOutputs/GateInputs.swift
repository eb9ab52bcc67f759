package import LinuxIO
package import ScanModel

/// The inputs of one gate: buttons, switches and sensors on GPIO lines. Lives on a device loop, which the outputs and other
/// gates of a station may share.
///
/// The kernel debounces the lines and tells their changes. A line that fails is reported once, tried again every second,
/// and reported as recovered.
package actor GateInputs {
  /// How soon an input that failed is tried again.
  static let retry: Duration = .seconds(1)
  /// How often a line is read though nothing was told of it: older kernels do not tell that a chip is gone.
  static let recheck: Duration = .seconds(5)

  /// The least time between two words of one input in the long run: a wire that picks up noise, or is made to, floods nobody.
  static let pace: Duration = .milliseconds(50)
  /// How many changes are told at once however soon they come: a bouncing press, a turnstile's arm.
  static let burst = 8

  typealias Opener = @Sendable (InputConfiguration) throws(DeviceError) -> GPIOInput

  private struct Line {
    let input: GPIOInput
    let watch: DeviceLoop.Watch
    var tracker: EdgeTracker
    /// What was told last.
    var told: Bool
    /// When everything that was told would have been told at the pace.
    var paid: MonotonicTime
    /// A change that is too soon to be told.
    var waits: MonotonicTime?
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let inputs: [InputConfiguration]
  private nonisolated let loop: DeviceLoop
  private nonisolated let time = SystemTime()
  private let open: Opener
  private let onChange: @Sendable (InputName, Bool, MonotonicTime) -> Void
  private let onFault: @Sendable (InputName, DeviceError) -> Void
  private let onRecovery: @Sendable (InputName) -> Void

  private var isRunning = false
  private var lines: [Int: Line] = [:]
  private var faults: [Int: DeviceError] = [:]
  private var alarm: (timer: DeviceLoop.Timer, at: MonotonicTime)?

  /// Makes the inputs of a gate; nothing is opened before `start`.
  /// - Parameters:
  ///   - inputs: the gate's inputs; names are unique.
  ///   - loop: the thread to live on; stop the inputs before it.
  ///   - onChange: told the level of each input (whether it is active) when it was opened, at the start and after a
  ///     failure, and then each change with the kernel's time of it. Called on the loop's thread; it must return at once.
  ///   - onFault: told once when an input fails, and again when the cause changes; likewise.
  ///   - onRecovery: told when an input that failed works again, before its level; likewise.
  package init(
    gate: GateID, inputs: [InputConfiguration], loop: DeviceLoop,
    onChange: @escaping @Sendable (_ input: InputName, _ isActive: Bool, _ at: MonotonicTime) -> Void,
    onFault: @escaping @Sendable (InputName, DeviceError) -> Void,
    onRecovery: @escaping @Sendable (InputName) -> Void = { _ in }
  ) {
    self.init(
      gate: gate, inputs: inputs, loop: loop,
      open: { (input) throws(DeviceError) in try GPIOInput(input) }, onChange: onChange, onFault: onFault,
      onRecovery: onRecovery)
  }

  init(
    gate: GateID, inputs: [InputConfiguration], loop: DeviceLoop, open: @escaping Opener,
    onChange: @escaping @Sendable (InputName, Bool, MonotonicTime) -> Void,
    onFault: @escaping @Sendable (InputName, DeviceError) -> Void,
    onRecovery: @escaping @Sendable (InputName) -> Void
  ) {
    self.inputs = inputs
    self.loop = loop
    self.open = open
    self.onChange = onChange
    self.onFault = onFault
    self.onRecovery = onRecovery
  }

  // MARK: Life

  /// Opens the inputs and tells their levels. What cannot be opened is reported, not thrown.
  package func start() {
    if isRunning || inputs.isEmpty { return }
    isRunning = true
    for index in inputs.indices { take(index) }
    schedule()
  }

  /// Lets go of the inputs; nothing is told after it.
  package func stop() {
    isRunning = false
    if let alarm { loop.cancel(alarm.timer) }
    alarm = nil
    for index in inputs.indices { letGo(index) }
    faults = [:]
  }

  private func take(_ index: Int) {
    let configuration = inputs[index]
    do throws(DeviceError) {
      let input = try open(configuration)
      // After the request: whatever changes from here on is told.
      let isActive = try input.isActive()
      let watch = loop.watch(input.descriptor, for: .readable) { readiness in
        self.assumeIsolated { $0.ready(index, readiness) }
      }
      lines[index] = Line(
        input: input, watch: watch, tracker: EdgeTracker(isActive: isActive), told: isActive, paid: time.now())
      if faults.removeValue(forKey: index) != nil { onRecovery(configuration.name) }
      onChange(configuration.name, isActive, time.now())
    } catch {
      failed(index, error)
    }
  }

  private func letGo(_ index: Int) {
    // The watch ends before the descriptor is closed.
    if let line = lines[index] { loop.unwatch(line.watch) }
    lines[index] = nil
  }

  // MARK: Events

  private func ready(_ index: Int, _ readiness: DeviceLoop.Readiness) {
    read(index, isRechecked: false)
    if readiness.isGone, let line = lines[index] { failed(index, line.input.gone) }
    schedule()
  }

  /// Takes the events that wait, and reads the level where some were lost or where it is to be checked.
  private func read(_ index: Int, isRechecked: Bool) {
    guard let input = lines[index]?.input else { return }
    do throws(DeviceError) {
      var mustRead = isRechecked
      for edge in try input.edges() {
        switch lines[index]?.tracker.event(sequence: edge.sequence, isActive: edge.isActive) {
        case .changed(let isActive): changed(index, isActive, at: min(edge.at, time.now()))
        case .lost: mustRead = true
        case .same, nil: break
        }
      }
      guard mustRead else { return }
      let isActive = try input.isActive()
      if lines[index]?.tracker.level(isActive) == true { changed(index, isActive, at: time.now()) }
    } catch {
      failed(index, error)
    }
  }

  /// Tells a change, or, soon after another, the level that the line has when it is time.
  private func changed(_ index: Int, _ isActive: Bool, at: MonotonicTime) {
    guard let line = lines[index] else { return }
    let next = line.paid - Self.pace * Self.burst
    if line.waits == nil, next <= time.now() { return tell(index, isActive, at: at) }
    lines[index]?.waits = at
    if line.waits == nil { _ = loop.at(next) { self.assumeIsolated { $0.tellNewest(index) } } }
  }

  private func tellNewest(_ index: Int) {
    guard let line = lines[index], let at = line.waits else { return }
    lines[index]?.waits = nil
    if line.tracker.isActive != line.told { tell(index, line.tracker.isActive, at: at) }
  }

  private func tell(_ index: Int, _ isActive: Bool, at: MonotonicTime) {
    guard let line = lines[index] else { return }
    lines[index]?.told = isActive
    lines[index]?.paid = max(line.paid, time.now()) + Self.pace
    onChange(inputs[index].name, isActive, at)
  }

  // MARK: Faults and time

  private func failed(_ index: Int, _ error: DeviceError) {
    letGo(index)
    let isNew = faults[index] != error
    faults[index] = error
    if isNew { onFault(inputs[index].name, error) }
  }

  private func wake() {
    alarm = nil
    for index in inputs.indices {
      if lines[index] == nil { take(index) } else { read(index, isRechecked: true) }
    }
    schedule()
  }

  /// Sets the one timer; a fault brings it forward, and nothing puts it off.
  private func schedule() {
    guard isRunning else { return }
    let next = time.now() + (faults.isEmpty ? Self.recheck : Self.retry)
    if let alarm {
      if alarm.at <= next { return }
      loop.cancel(alarm.timer)
    }
    alarm = (loop.at(next) { self.assumeIsolated { $0.wake() } }, next)
  }
}
