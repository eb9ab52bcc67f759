internal import LinuxIO
internal import Reading
package import ScanModel

/// Codes to try before doors: a file of them, one a line.
package struct OpeningCodes: Sendable, Equatable {
  /// Why there are none; never a word of what the file holds.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// A code, and where it stands.
  package struct Line: Sendable, Equatable {
    /// The line, from 1.
    package var number: Int
    /// The code as a reader would give it.
    package var code: Code
  }

  /// The codes, in the order of the file.
  package let lines: [Line]
  /// Lines that hold no text at all, or one that no reader gives.
  package let unreadable: [Int]

  /// The most bytes of such a file, and the most codes.
  package static let mostBytes = 1 << 20, most = 10_000

  /// Reads a file; blank lines are left out.
  /// - Throws: that it cannot be read, or is none.
  package init(path: String) throws(Fault) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try SmallFile.read(path, limit: Self.mostBytes + 1)
    } catch {
      throw Fault(description: "\(path) cannot be read: \(error.words).")
    }
    guard bytes.count <= Self.mostBytes else {
      throw Fault(description: "\(path) is larger than 1 MB: a few codes of each kind are enough.")
    }
    try self.init(bytes, file: path)
  }

  init(_ bytes: [UInt8], file: String) throws(Fault) {
    var (lines, unreadable): ([Line], [Int]) = ([], [])
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 <= 0x20 }) { continue }
      guard let code = Normaliser.normalise([UInt8](line)) else {
        unreadable.append(index + 1)
        continue
      }
      lines.append(Line(number: index + 1, code: code))
    }
    guard !lines.isEmpty || !unreadable.isEmpty else { throw Fault(description: "There is no code in \(file).") }
    guard lines.count + unreadable.count <= Self.most else {
      throw Fault(description: "There are more than \(Self.most) codes in \(file): a few of each kind are enough.")
    }
    (self.lines, self.unreadable) = (lines, unreadable)
  }
}
