import LinuxIO
import ScanModel
import ScanPipeline

/// A node that belongs to a reader: waited for, or read.
///
/// ```
///            grabbed                       ENODEV, hang-up
///   waiting ─────────▶ session ────────────────────────────┐
///    ▲  │ permission, grab of another program,             │
///    │  │ key down: again after a pause that grows         │
///    └──┘                                                  ▼
///    ▲          still in sysfs: waiting            gone from sysfs: forgotten
///    └─────────────────────────────────────────────────────┘
/// ```
final class WedgeNode {
  let identity: DeviceIdentity
  let lane: Int
  /// What is waited for, in words; `nil` while the device does not answer at all (parked).
  var waitsFor: String?
  var retry: DeviceLoop.Timer?
  var pause = Duration.zero
  var session: WedgeSession?

  init(identity: DeviceIdentity, lane: Int) {
    self.identity = identity
    self.lane = lane
  }
}

/// A grabbed node.
final class WedgeSession {
  let device: EventDevice
  private let translator: KeyTranslator
  private var assembler: WedgeAssembler
  private var lamps: Set<EventDevice.Lamp>
  var watch: DeviceLoop.Watch?
  var silence: DeviceLoop.Timer?

  /// How many events are read in one turn, so that one device cannot starve the others.
  private static let turn = 2048

  init(device: EventDevice, translator: KeyTranslator, assembler: WedgeAssembler) {
    self.device = device
    self.translator = translator
    self.assembler = assembler
    lamps = translator.lamps
    // A device that is gone again tells so at the next read.
    try? device.light(lamps)
  }

  var isSettled: Bool { assembler.isSettled }
  var deadline: MonotonicTime? { assembler.deadline }

  /// Reads what there is, and where that was all tells the assembler that it is `now`.
  func read(now: MonotonicTime, _ tell: (ReaderEvent) -> Void) -> EventDevice.End {
    let end = device.drain(limit: Self.turn) { event in
      switch event {
      case .key(let code, let isDown, let time):
        pass(until: time, tell)
        assembler.take(translator.key(code, isDown: isDown), at: time).forEach(tell)
      case .dropped(let time):
        translator.rebuild(keysDown: device.keysDown)
        assembler.take(.overflow, at: time).forEach(tell)
      }
    }
    // Only now: a key that the kernel had stamped before `now` must not be taken for silence.
    if end == .drained { pass(until: now, tell) }
    showLamps()
    return end
  }

  func unplug(at time: MonotonicTime, _ tell: (ReaderEvent) -> Void) { assembler.unplug(at: time).forEach(tell) }

  private func pass(until time: MonotonicTime, _ tell: (ReaderEvent) -> Void) {
    let wasDiscarding = assembler.isDiscarding
    assembler.advance(to: time).forEach(tell)
    if wasDiscarding && !assembler.isDiscarding { translator.resetLocks() }
  }

  private func showLamps() {
    guard lamps != translator.lamps else { return }
    lamps = translator.lamps
    try? device.light(lamps)
  }
}
