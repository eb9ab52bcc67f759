import Glibc
import HolderProtocol
import LinuxIO
import ScanModel
import SignalOutputs

/// When the running pulse of one relay ends, in a file of the runtime directory: a holder that was killed leaves the end to
/// its successor. The directory goes with the boot, and so does the clock.
///
/// The file is written over in place: it is small, on a file system in memory, and a torn one is told by its checksum.
struct PulseRecord: Sendable {
  private final class File: Sendable {
    let descriptor: OwnedDescriptor
    init(_ path: String) throws(SystemError) {
      descriptor = try OwnedDescriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600), by: "open")
    }
  }

  private let file: File

  /// Opens the record of a gate's relay; `nil` where the gate has none.
  init?(of gate: OutputPlan.Gate, in directory: String) throws(SystemError) {
    guard let relay = gate.outputs.first(where: { $0.kind == .relay }) else { return nil }
    // Of this relay at this gate: a plan that moves the relay must not end another one's pulse.
    let target = if case .gpio(let line) = relay.target { GPIOLines.name(of: line) } else { relay.target.description }
    let name = StableHash.digits("\(gate.id)\u{0}\(target)")
    file = try File("\(directory)/pulse-\(name)")
  }

  /// The end that is recorded; `nil` where there is none, or a damaged one. May be past.
  func end() -> MonotonicTime? {
    var words = [UInt64](repeating: 0, count: 2)
    guard pread(file.descriptor.number, &words, 16, 0) == 16, words[1] == Self.check(words[0]) else { return nil }
    return MonotonicTime(nanoseconds: Int64(bitPattern: words[0]))
  }

  /// Records an end. That it cannot be is no reason to keep a gate shut: it matters only where the holder then dies too.
  func record(_ end: MonotonicTime) {
    let word = UInt64(bitPattern: end.nanoseconds)
    let words = [word, Self.check(word)]
    _ = pwrite(file.descriptor.number, words, 16, 0)
  }

  private static func check(_ word: UInt64) -> UInt64 { withUnsafeBytes(of: word) { StableHash.of($0) } }
}
