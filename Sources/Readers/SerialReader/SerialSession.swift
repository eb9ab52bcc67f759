import LinuxIO
import ReaderKit
import ScanModel
internal import Reading

/// An open line.
final class SerialSession: ReadSession {
  private let device: SerialDevice
  private var assembler: SerialAssembler
  private let time = SystemTime()

  /// How many bytes are read in one turn, so that one line cannot starve the others.
  private static let turn = 16 << 10

  init(device: SerialDevice, configuration: SerialConfiguration) {
    self.device = device
    assembler = SerialAssembler(reader: configuration.id, framing: configuration.framing, attachedAt: time.now())
  }

  var descriptor: Int32 { device.descriptor }
  var phase: ReadPhase { assembler.isSettled ? .reading : .settling }
  var deadline: MonotonicTime? { assembler.deadline }

  /// Reads what there is, and where that was all tells the assembler so.
  func read(isGone: Bool, _ tell: Tell) -> ReadEnd<SerialObstacle> {
    let end = device.drain(limit: Self.turn) { input in
      switch input {
      case .bytes(let bytes, let time): assembler.take(bytes, at: time).forEach(tell)
      case .overrun(let bytes, let time): assembler.lose(bytes, at: time).forEach(tell)
      }
    }
    switch end {
    case .drained(let time):
      assembler.advance(to: time).forEach(tell)
      return isGone ? .gone : .open
    case .turn: return .open
    case .gone: return .gone
    }
  }

  func unplug(_ tell: Tell) { assembler.unplug(at: time.now()).forEach(tell) }
}
