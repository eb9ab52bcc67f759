internal import Glibc
internal import LinuxIO
internal import ScanModel

/// A private key in its file, which its owner alone reads.
extension SigningKey {
  /// Why there is none: with which file, and what to do.
  package struct FileFault: Error, CustomStringConvertible {
    package let description: String
    /// Whether it could not be written; else it cannot be used.
    package let isOutput: Bool
  }

  /// Makes a key in a new file.
  package static func make(in path: String) throws(FileFault) -> SigningKey {
    let key = make()
    do throws(SystemError) {
      try NewFile.write([UInt8](key.fileText.utf8), to: path)
    } catch {
      let words = error.errno == EEXIST ? "something of that name is there, and is not overwritten" : error.words
      throw FileFault(description: "\(TerminalText.clean(path)): no key was made: \(words).", isOutput: true)
    }
    return key
  }

  /// Reads a key; one that others can read is no key any more.
  package static func read(_ path: String) throws(FileFault) -> SigningKey {
    let shown = TerminalText.clean(path)
    var status = stat()
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      guard fstat(file.number, &status) == 0 else { throw SystemError(errno: errno, call: "fstat") }
      bytes = try SmallFile.read(file.number, upTo: 200)
    } catch {
      throw FileFault(description: "\(shown) cannot be read: \(error.words).", isOutput: false)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw FileFault(
        description:
          "\(shown) can be read by others, who can then \(Purpose.danger). If nobody has: chmod 600 \(shown). Else make another.",
        isOutput: false)
    }
    do throws(Fault) {
      return try SigningKey(file: bytes)
    } catch {
      throw FileFault(description: "\(shown) cannot be used. \(error.description)", isOutput: false)
    }
  }
}
