internal import ScanConfiguration
internal import ScanModel
internal import Signalling
internal import Synchronization

/// What a gate's inputs mean: each change is an event, buttons and switches for maintenance take the gate out of service, a held button
/// lets the station take set-up codes, and passage sensors tell whether somebody has passed. Told from the inputs' thread; it never waits.
final class InputWatch: Sendable {
  private struct State {
    var maintenance: MaintenanceInput
    var button: HeldButton
    var sensor: PassageSensor
    var levels: [InputName: Bool] = [:]
  }

  private let gate: GateID
  private let state: Mutex<State>
  private let events: any EventSink
  private let time: any TimeSource
  private let onMaintenance: @Sendable (Bool) -> Void
  private let onSetUpButton: @Sendable () -> Void

  /// Makes the watch of a gate's configured inputs.
  init(
    _ gate: GateConfiguration, events: any EventSink, time: any TimeSource,
    onMaintenance: @escaping @Sendable (Bool) -> Void, onSetUpButton: @escaping @Sendable () -> Void
  ) {
    self.onSetUpButton = onSetUpButton
    self.gate = gate.id
    self.events = events
    self.time = time
    self.onMaintenance = onMaintenance
    let uses = gate.inputs.map { ($0.name, $0.use) }
    let byName = Dictionary(uses) { _, last in last }
    state = Mutex(
      State(maintenance: MaintenanceInput(byName), button: HeldButton(byName), sensor: PassageSensor(byName)))
  }

  /// An input's level was told, changed or not.
  func level(of input: InputName, isActive: Bool) {
    let now = time.now()
    let (isNew, maintenance, isHeld, due) = state.withLock { state in
      state.sensor.level(of: input, isActive: isActive, at: now)
      return (
        state.levels.updateValue(isActive, forKey: input) != isActive,
        state.maintenance.level(of: input, isActive: isActive),
        state.button.level(of: input, isActive: isActive, at: now), state.button.deadline
      )
    }
    if isHeld { onSetUpButton() }
    if let due {
      Task {
        try? await Task.sleep(for: due - now)
        if self.state.withLock({ $0.button.advance(to: self.time.now()) }) { self.onSetUpButton() }
      }
    }
    if isNew { events.emit(.input(gate: gate, input: input.name, isActive: isActive, at: time.wall())) }
    if let maintenance { onMaintenance(maintenance) }
  }

  /// An input cannot be read any more.
  func lost(_ input: InputName) {
    state.withLock { state in
      state.maintenance.lost(input)
      state.button.lost(input)
      state.sensor.lost(input)
    }
  }

  /// Whether somebody has passed since a moment; from any thread, returns at once.
  func passage(since moment: MonotonicTime) -> PassageSensor.Passage {
    state.withLock { $0.sensor.passage(since: moment) }
  }
}
