import DecodeProtocol
import Glibc
import LinuxIO

/// The bytes of a picture file, read without looking at them.
enum PictureFile {
  /// Why a file cannot be read.
  struct Failure: Error { var words: String }

  /// Reads a file, or standard input for `-`.
  /// - Throws: the reason in words; a file that is larger than a worker takes is refused before it fills the memory.
  static func read(_ path: String, limit: Int = DecodeLimits.maximumPicture) throws(Failure) -> [UInt8] {
    guard path != "-" else { return try read(STDIN_FILENO, limit: limit) }
    let number = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { throw failure(errno) }
    let file = OwnedDescriptor(owning: number)
    var status = stat()
    if fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > limit {
      throw tooLarge(limit)
    }
    return try read(file.number, limit: limit)
  }

  private static func read(_ number: Int32, limit: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(number, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(errno)
      }
      guard bytes.count + count <= limit else { throw tooLarge(limit) }
      bytes += piece.prefix(count)
    }
  }

  private static func failure(_ number: Int32) -> Failure {
    Failure(words: SystemError(errno: number, call: "read").words)
  }

  private static func tooLarge(_ limit: Int) -> Failure { Failure(words: "it is larger than \(limit >> 20) MB") }
}
