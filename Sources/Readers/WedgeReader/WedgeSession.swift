import LinuxIO
import ReaderKit
import ScanModel
internal import Reading

/// A grabbed node.
final class WedgeSession: ReadSession {
  private let device: EventDevice
  private let translator: KeyTranslator
  private var assembler: WedgeAssembler
  private var lamps: Set<EventDevice.Lamp>
  private let time = SystemTime()

  /// How many events are read in one turn, so that one device cannot starve the others.
  private static let turn = 2048

  init(device: EventDevice, keymap: Keymap, configuration: WedgeConfiguration) {
    self.device = device
    translator = KeyTranslator(
      keymap: keymap, page: configuration.oemPage, terminators: configuration.framing.terminators,
      capsLock: configuration.startsWithCapsLock, numLock: configuration.startsWithNumLock)
    assembler = WedgeAssembler(reader: configuration.id, framing: configuration.framing, attachedAt: time.now())
    lamps = translator.lamps
    // A device that is gone again tells so at the next read.
    try? device.light(lamps)
  }

  var descriptor: Int32 { device.descriptor }
  var phase: ReadPhase { assembler.isSettled ? .reading : .settling }
  var deadline: MonotonicTime? { assembler.deadline }

  /// Reads what there is, and where that was all tells the assembler what time it is.
  func read(isGone: Bool, _ tell: Tell) -> ReadEnd<WedgeObstacle> {
    let now = time.now()
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
    switch end {
    case .drained: return isGone ? .gone : .open
    case .turn: return .open
    case .gone: return .gone
    }
  }

  func unplug(_ tell: Tell) { assembler.unplug(at: time.now()).forEach(tell) }

  private func pass(until time: MonotonicTime, _ tell: Tell) {
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
