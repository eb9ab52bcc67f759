import Glibc
import LinuxIO

/// Text or bytes for standard output, or for a file that is there wholly or not at all.
final class ReplacedFile {
  private static let pieces = 65_536

  /// `nil` for standard output.
  private var new: FileReplacement?
  private var buffer: [UInt8] = []

  /// Begins the file.
  /// - Parameters:
  ///   - path: where it will be; `nil` for standard output.
  ///   - mode: who may read it, before the process's mask.
  /// - Throws: why it cannot be made; `EEXIST` where something is in its place that is no plain file.
  init(_ path: String?, mode: mode_t) throws(SystemError) {
    guard let path else { return }
    // A device or a link of that name must not be replaced by a file.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw SystemError(errno: EEXIST, call: "open")
    }
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    new = try FileReplacement(of: path, ending: ".\(number)\(FileReplacement.ending)", mode: mode)
  }

  /// Adds text.
  func write(_ text: String) throws(SystemError) { try write(bytes: text.utf8) }

  /// Adds bytes.
  func write(bytes: some Sequence<UInt8>) throws(SystemError) {
    buffer += bytes
    if buffer.count >= Self.pieces { try flush() }
  }

  /// Has everything written, and the file in its place for good.
  func finish() throws(SystemError) {
    try flush()
    try new?.finish()
  }

  private func flush() throws(SystemError) {
    try SmallFile.write(new?.file.number ?? STDOUT_FILENO, buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
