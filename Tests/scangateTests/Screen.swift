import CMockDevices
import Foundation
import Glibc
import Synchronization
import Testing

/// What shows to a test what a program writes: a terminal, or what is none.
final class Screen: Sendable {
  /// What is given to the program.
  let end: Int32
  private let ours: Int32
  private let bytes = Mutex<[UInt8]>([])
  private let changes: AsyncStream<Void>

  /// A terminal.
  convenience init() throws {
    let master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    var name = [CChar](repeating: 0, count: 64)
    try #require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
    try #require(ptsname_r(master, &name, name.count) == 0)
    let end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(end >= 0)
    self.init(master, end)
  }

  /// What is no terminal.
  static func stream() throws -> Screen {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return Screen(ends[0], ends[1])
  }

  private init(_ ours: Int32, _ end: Int32) {
    self.ours = ours
    self.end = end
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    self.changes = changes
    Thread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        // It fails once nobody has the other end.
        let count = read(ours, &buffer, buffer.count)
        if count <= 0 { break }
        bytes.withLock { $0 += buffer[0..<count] }
        change.yield()
      }
      change.finish()
    }.start()
  }

  deinit { close(ours) }

  var shown: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

  /// Waits until it has been shown.
  func shows(_ words: String) async -> Bool {
    if shown.contains(words) { return true }
    for await _ in changes where shown.contains(words) { return true }
    return shown.contains(words)
  }

  /// Waits for the end of all that writes there.
  func ends() async { for await _ in changes {} }
}
