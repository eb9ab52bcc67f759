import Glibc
import LinuxIO

/// Lines of a descriptor, one at a time and none ahead: each is a code, typed by hand or by a wedge into the terminal.
///
/// It waits on a thread of its own, so that a terminal that stays silent holds nothing up.
actor LineReader {
  /// What the descriptor brought.
  enum Input: Sendable, Equatable {
    /// A line, without its end.
    case line([UInt8])
    /// A line longer than any code; its length in bytes.
    case tooLong(Int)
  }

  /// More bytes than 4,096 characters of UTF-8 can have are no code.
  private static let longest = 4 * 4_096

  private let loop: DeviceLoop
  private let descriptor: Int32
  private var chunk = [UInt8](repeating: 0, count: 65_536)
  private var unread: ArraySlice<UInt8> = []
  private var isAtEnd = false
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let keepsBlank: Bool

  /// Reads from a descriptor that stays the caller's.
  /// - Parameter keepsBlank: whether a blank line is one, too: somebody agrees by it.
  init(descriptor: Int32, keepsBlank: Bool = false) throws(SystemError) {
    self.descriptor = descriptor
    self.keepsBlank = keepsBlank
    loop = try DeviceLoop(name: "lines")
  }

  deinit { loop.stop() }

  /// The next line, without blank ones unless they are kept; `nil` at the end of input. A last line without a line feed counts.
  func next() -> Input? {
    var line: [UInt8] = []
    var length = 0
    while true {
      guard let byte = nextByte() else { return length == 0 ? nil : finished(line, length) }
      if byte == 0x0A || byte == 0x0D {
        if let input = finished(line, length) { return input }
        line.removeAll(keepingCapacity: true)
        length = 0
      } else {
        length += 1
        if length <= Self.longest { line.append(byte) }
      }
    }
  }

  private func finished(_ line: [UInt8], _ length: Int) -> Input? {
    if length > Self.longest { return .tooLong(length) }
    return !keepsBlank && line.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : .line(line)
  }

  private func nextByte() -> UInt8? {
    while unread.isEmpty {
      if isAtEnd { return nil }
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        isAtEnd = true
        return nil
      }
      unread = chunk.prefix(count)
    }
    return unread.popFirst()
  }
}
