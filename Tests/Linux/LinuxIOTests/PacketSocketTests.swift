import Expectations
import Glibc
import LinuxIO
import Testing

/// Packet sockets in a real folder.
@Suite struct PacketSocketTests {
  @Test func aFileThatIsNoSocketIsLeftAlone() throws {
    let folder = try Folder()
    let path = folder.path + "/victim"
    let file = try #require(fopen(path, "w"))
    fputs("precious", file)
    fclose(file)
    #expect(throws: SystemError(errno: EADDRINUSE, call: "bind")) { try PacketListener(path: path, mode: 0o600) }
    let kept = try #require(fopen(path, "r"))
    defer { fclose(kept) }
    var text = [CChar](repeating: 0, count: 32)
    expect(fgets(&text, 32, kept) != nil)
    expect(text.prefix(8).elementsEqual("precious".utf8.map { CChar(bitPattern: $0) }))
  }

  @Test func aSocketThatNobodyListensAtIsReplacedAndOneInUseIsNot() throws {
    let folder = try Folder()
    let path = folder.path + "/socket"
    var first: PacketListener? = try PacketListener(path: path, mode: 0o600)
    expect(first != nil)
    #expect(throws: SystemError(errno: EADDRINUSE, call: "bind")) { try PacketListener(path: path, mode: 0o600) }
    first = nil
    _ = try PacketListener(path: path, mode: 0o600)
  }
}

private final class Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/packet-socket-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    for name in ["victim", "socket"] { unlink(path + "/" + name) }
    rmdir(path)
  }
}
