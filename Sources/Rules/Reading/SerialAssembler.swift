package import ScanModel

/// Assembles the bytes of a serial line into raw reads; a part of a code never becomes one.
///
/// Pure: time is an argument. The rules are those of `WedgeAssembler`, whose machine does the work; this one tells it what
/// bytes mean. Two things differ. Bytes carry no time of their own: those that waited for a thread that was late look as
/// if they came after a silence. So only a look at the line that found nothing proves silence (`advance`), and bytes
/// never do (`take`). And bytes can be damaged: the line is read with PARMRK, which sends
///
/// ```
///   FF FF      the byte FF
///   FF 00 x    a byte with a parity or framing error; a break where x is 00
/// ```
package struct SerialAssembler: Sendable {
  /// How much of a mark has come.
  private enum Mark: Sendable { case none, begun, damaged }

  /// What a byte means, once its mark is known.
  private enum Meaning { case data, terminator, nothing, damaged }

  private let framing: SerialFraming
  private var machine: WedgeAssembler
  private var mark = Mark.none

  /// Makes the machine for a line that was opened at `attachedAt`.
  package init(reader: ReaderID, framing: SerialFraming, attachedAt: MonotonicTime) {
    self.framing = framing
    machine = WedgeAssembler(reader: reader, framing: framing.rules, countsBytes: true, attachedAt: attachedAt)
  }

  /// Whether the first end of input after attach has passed: from now on whole codes are read.
  package var isSettled: Bool { machine.isSettled }

  /// Whether input is being thrown away now.
  package var isDiscarding: Bool { machine.isDiscarding }

  /// When silence will have lasted long enough to end something; `nil` where nothing is pending.
  package var deadline: MonotonicTime? { machine.deadline }

  /// Takes bytes that were read at `time`; they may have come earlier.
  /// - Returns: what the reader has to tell, in order.
  package mutating func take(_ bytes: some Sequence<UInt8>, at time: MonotonicTime) -> [ReaderEvent] {
    var events = doubt(at: time)
    var run: [UInt8] = []
    func flush(_ run: inout [UInt8], _ machine: inout WedgeAssembler) -> [ReaderEvent] {
      defer { run.removeAll(keepingCapacity: true) }
      return run.isEmpty ? [] : machine.accept(.text(run), at: time)
    }
    for byte in bytes {
      switch meaning(of: byte) {
      case .data: run.append(byte)
      case .nothing: break
      case .terminator:
        events += flush(&run, &machine)
        events += machine.accept(.terminator, at: time)
      case .damaged:
        events += flush(&run, &machine)
        events += machine.accept(.damaged, at: time)
      }
    }
    events += flush(&run, &machine)
    return events
  }

  /// Bytes were lost: before these, between them or right after them. No end among them counts.
  package mutating func lose(_ bytes: some Sequence<UInt8>, at time: MonotonicTime) -> [ReaderEvent] {
    var events = machine.accept(.overflow, at: time)
    // Marks are followed all the same, so that a damaged end that comes next is not taken for a real one.
    let data = bytes.filter { meaning(of: $0) == .data }
    events += machine.accept(.text(data), at: time)
    return events
  }

  /// Tells that at `time` nothing was left to be read.
  /// - Returns: what the reader has to tell: at most one event.
  package mutating func advance(to time: MonotonicTime) -> [ReaderEvent] {
    guard let deadline, deadline <= time else { return [] }
    if mark != .none {
      // The rest of a mark never came: what it stood for is missing.
      mark = .none
      if !isDiscarding { return machine.accept(.damaged, at: time) }
    }
    return machine.advance(to: time)
  }

  /// The line is gone. The machine is finished.
  package mutating func unplug(at time: MonotonicTime) -> [ReaderEvent] { machine.finish(at: time) }

  /// Where silence ends codes and nobody looked in time, whether these bytes belong to what is pending cannot be known.
  private mutating func doubt(at time: MonotonicTime) -> [ReaderEvent] {
    guard framing.silence != nil, !isDiscarding, let deadline, deadline <= time else { return [] }
    return machine.accept(.broken, at: time)
  }

  private mutating func meaning(of byte: UInt8) -> Meaning {
    switch mark {
    case .none where byte == 0xFF:
      mark = .begun
      return .nothing
    case .none: return framing.terminators.contains(byte) ? .terminator : .data
    case .begun where byte == 0x00:
      mark = .damaged
      return .nothing
    case .begun:
      mark = .none
      // No line discipline sends another byte here.
      return byte == 0xFF ? .data : .damaged
    case .damaged:
      mark = .none
      return .damaged
    }
  }
}
