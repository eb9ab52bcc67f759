import CLinux
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing
import WedgeReader

/// A serial port by a real pseudo-terminal; mocked wedges are in `MockedDeviceTests`.
private final class Port {
  let master: Int32
  let node: String
  private let slave: Int32

  init() throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    try #require(openpty(&master, &slave, &name, nil, nil) == 0)
    (self.master, self.slave) = (master, slave)
    node = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    close(slave)
    close(master)
  }

  var localFlags: tcflag_t {
    var settings = termios()
    tcgetattr(slave, &settings)
    return settings.c_lflag
  }

  func type(_ text: String) { _ = write(master, text, text.utf8.count) }
}

@Suite struct ScanIdentifierTests {
  @Test func aPortIsRawWhileItIsHeldAndAsBeforeAfterwards() throws {
    let port = try Port()
    let before = port.localFlags
    expect(before & tcflag_t(ICANON | ECHO) != 0)
    do {
      let terminal = try RawTerminal(node: port.node)
      expectEqual(port.localFlags & tcflag_t(ICANON | ECHO), 0)
      expectEqual(terminal.read(), [])
      port.type("AB\r")
      expectEqual(terminal.read(), Array("AB\r".utf8), "neither a whole line nor another end is waited for")
    }
    expectEqual(port.localFlags, before)
    #expect(throws: SystemError.self) { try RawTerminal(node: "/dev/null") }
  }

  @Test func aScanOnAPortIsTold() async throws {
    let port = try Port()
    let before = port.localFlags
    let identifier = try ScanIdentifier()
    let (stream, continuation) = AsyncStream<ScanIdentifier.News>.makeStream()
    var news = stream.makeAsyncIterator()
    let device = DeviceIdentity(node: port.node, sysfsPath: "/sys/tty", subsystem: "tty", isKeyboard: false)
    let absent = DeviceIdentity(node: "/dev/no-such-port", sysfsPath: "/sys/no", subsystem: "tty", isKeyboard: false)
    try await identifier.start([absent, device]) { continuation.yield($0) }
    guard case .closed(absent, let error)? = await news.next() else {
      Issue.record("not refused")
      return
    }
    expectEqual(error.errno, ENOENT)
    port.type("TICKET-42\r\n")
    guard case .scanned(device, let code, hasTerminator: true)? = await news.next() else {
      Issue.record("not scanned")
      return
    }
    expectEqual(code.text, "TICKET-42")
    port.type("TICKET-43")
    guard case .scanned(device, let second, hasTerminator: false)? = await news.next() else {
      Issue.record("not scanned by silence")
      return
    }
    expectEqual(second.text, "TICKET-43")
    await identifier.stop()
    expectEqual(port.localFlags, before)
  }
}
