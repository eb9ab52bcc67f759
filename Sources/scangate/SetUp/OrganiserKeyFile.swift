import ScanModel
import Glibc
import LinuxIO
import SetUpCodes

/// An organiser's key in its file.
enum OrganiserKeyFile {
  /// Makes a key in a new file.
  static func make(_ path: String) throws -> OrganiserKey {
    let key = OrganiserKey.make()
    do throws(SystemError) {
      try NewFile.write([UInt8](key.fileText.utf8), to: path)
    } catch {
      let words = error.errno == EEXIST ? "something of that name is there, and is not overwritten" : error.words
      throw failure("\(TerminalText.clean(path)): no key was made: \(words).", Exit.output)
    }
    return key
  }

  /// Reads a key; one that others can read is no key any more.
  static func read(_ path: String) throws -> OrganiserKey {
    let shown = TerminalText.clean(path)
    var status = stat()
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      guard fstat(file.number, &status) == 0 else { throw SystemError(errno: errno, call: "fstat") }
      bytes = try SmallFile.read(file.number, upTo: 200)
    } catch {
      throw failure("\(shown) cannot be read: \(error.words).", Exit.data)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw failure(
        "\(shown) can be read by others, who can then set stations up. If nobody has: chmod 600 \(shown). Else make another.",
        Exit.data)
    }
    return try Result { () throws(OrganiserKey.Fault) in try OrganiserKey(file: bytes) }
      .mapError { failure("\(shown) cannot be used. \($0.description)", Exit.data) }.get()
  }
}
