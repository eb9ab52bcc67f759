import Glibc

/// A directory of its own for one test; removed with everything in it.
final class TemporaryDirectory {
  let path: String
  private var made: [(path: String, isDirectory: Bool)] = []

  init() throws {
    var template = [CChar]("/tmp/scangate-outputs-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Failure(errno: errno) }
    path = String(cString: made)
  }

  deinit {
    for entry in made.reversed() {
      if entry.isDirectory { rmdir(entry.path) } else { unlink(entry.path) }
    }
    rmdir(path)
  }

  struct Failure: Error { let errno: Int32 }

  func directory(_ name: String) throws {
    guard mkdir("\(path)/\(name)", 0o755) == 0 else { throw Failure(errno: errno) }
    made.append(("\(path)/\(name)", true))
  }

  func file(_ name: String, _ text: String) throws {
    let number = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard number >= 0 else { throw Failure(errno: errno) }
    made.append(("\(path)/\(name)", false))
    defer { close(number) }
    guard write(number, text, text.utf8.count) == text.utf8.count else { throw Failure(errno: errno) }
  }

  func link(_ name: String, to target: String) throws {
    guard symlink(target, "\(path)/\(name)") == 0 else { throw Failure(errno: errno) }
    made.append(("\(path)/\(name)", false))
  }

  func text(_ name: String) throws -> String {
    let number = open("\(path)/\(name)", O_RDONLY)
    guard number >= 0 else { throw Failure(errno: errno) }
    defer { close(number) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(number, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  func remove(_ name: String) { unlink("\(path)/\(name)") }
}
