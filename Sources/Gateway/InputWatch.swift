internal import ScanConfiguration
internal import ScanModel
internal import ScanPipeline
internal import SignalOutputs
internal import Synchronization

/// What a gate's inputs mean: each change is an event, and buttons and switches for maintenance take the gate out of
/// service. Told from the inputs' thread; it never waits.
final class InputWatch: Sendable {
  private let gate: GateID
  private let maintenance: Mutex<MaintenanceInput>
  private let events: any EventSink
  private let time: any TimeSource
  private let onMaintenance: @Sendable (Bool) -> Void

  /// Makes the watch of a gate's configured inputs.
  init(
    _ gate: GateConfiguration, events: any EventSink, time: any TimeSource,
    onMaintenance: @escaping @Sendable (Bool) -> Void
  ) {
    self.gate = gate.id
    self.events = events
    self.time = time
    self.onMaintenance = onMaintenance
    let uses = inputs(of: gate).map { ($0.name, $0.use) }
    maintenance = Mutex(MaintenanceInput(Dictionary(uses) { _, last in last }))
  }

  /// An input's level was told.
  func level(of input: InputName, isActive: Bool) {
    events.emit(.input(gate: gate, input: input.name, isActive: isActive, at: time.wall()))
    if let isOn = maintenance.withLock({ $0.level(of: input, isActive: isActive) }) { onMaintenance(isOn) }
  }

  /// An input cannot be read any more.
  func lost(_ input: InputName) { maintenance.withLock { $0.lost(input) } }
}
