import CMockDevices
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Reading
import SerialReader
import Testing

@Suite(.timeLimit(.minutes(2))) struct SerialSourceTests {
  @Test func codesAreReadAndNothingIsWritten() async throws {
    let terminal = try PseudoTerminal()
    let listener = try await Listener(scanner(at: terminal.node))
    expect(try await listener.state("reading").contains(terminal.node))
    terminal.send("TICKET-1\r\n")
    try await expectEqual(listener.read(), "TICKET-1")
    for part in ["TIC", "K", "ET-2", "\r", "\n", "TICKET-3\r"] { terminal.send(part) }
    try await expectEqual(listener.read(), "TICKET-2")
    try await expectEqual(listener.read(), "TICKET-3")
    // What a terminal would act on, swallow or double.
    let all = (1...255).map { UInt8($0) }.filter { $0 != 0x0D && $0 != 0x0A }
    terminal.send([0x00] + all + [0x0D])
    try await expectEqual(listener.bytes(), [0x00] + all)
    expect(terminal.written.isEmpty)
    await listener.source.stop()
  }

  @Test func halfACodeAfterAttachNeverPasses() async throws {
    let terminal = try PseudoTerminal()
    let listener = try await Listener(scanner(at: terminal.node, framing: SerialFraming(quiet: .seconds(5))))
    expect(try await listener.state("waiting").contains("a short silence"))
    terminal.send("TAIL\rWHOLE\r")
    guard case .discarded(_, .afterAttach, 4, _) = try await listener.next() else {
      Issue.record("the tail was not discarded")
      return
    }
    try await expectEqual(listener.read(), "WHOLE")
    try await listener.state("reading")
  }

  @Test func silenceEndsACodeWithoutTerminator() async throws {
    let terminal = try PseudoTerminal()
    let framing = SerialFraming(terminators: [], silence: .milliseconds(50))
    let listener = try await Listener(scanner(at: terminal.node, framing: framing))
    try await listener.state("reading")
    terminal.send("ABC\r\n")
    try await expectEqual(listener.read(), "ABC\r\n")
  }

  @Test func aScannerThatGoesAndComesIsTakenAgain() async throws {
    let folder = try Folder()
    let first = try PseudoTerminal()
    let path = folder.link(to: first.node)
    let listener = try await Listener(scanner(at: path))
    try await listener.state("reading")
    // One write, so that the head has been read when the code has.
    first.send("A\rHEAD")
    try await expectEqual(listener.read(), "A")
    first.hangUp()
    guard case .discarded(_, .unplugged, 4, _) = try await listener.next() else {
      Issue.record("the head was not discarded")
      return
    }
    try await listener.state("parked")
    let second = try PseudoTerminal()
    expectEqual(folder.link(to: second.node), path)
    try await listener.state("reading")
    second.send("TAIL\r")
    try await expectEqual(listener.read(), "TAIL")
  }

  @Test func aScannerThatIsNotThereIsParkedUntilItComes() async throws {
    let folder = try Folder()
    let listener = try await Listener(scanner(at: folder.path + "/scanner"))
    try await listener.state("parked")
    let terminal = try PseudoTerminal()
    _ = folder.link(to: terminal.node)
    try await listener.state("reading")
  }

  @Test func whatIsNoLineIsSaidAndLeftAlone() async throws {
    let folder = try Folder()
    let file = open(folder.path + "/file", O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
    let listener = try await Listener(scanner("a", at: folder.path + "/file"), scanner("b", at: "/dev/null"))
    expect(try await listener.state("failed", of: "a").contains("is no serial line"))
    let other = try await Listener(scanner("b", at: "/dev/null"))
    expect(try await other.state("failed", of: "b").contains("correct match.path"))
  }

  @Test func aLineBelongsToOneProgram() async throws {
    let terminal = try PseudoTerminal()
    let other = open(terminal.node, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
    let listener = try await Listener(scanner(at: terminal.node))
    expect(try await listener.state("waiting").contains("another program to release"))
    close(other)
    try await listener.state("reading")
    #expect(throws: SystemError(errno: EBUSY, call: geteuid() == 0 ? "TIOCEXCL" : "open")) {
      _ = try SerialDevice(node: terminal.node, settings: SerialSettings())
    }
    await listener.source.stop()
    _ = try SerialDevice(node: terminal.node, settings: SerialSettings())
  }

  @Test func aLineThatTwoReadersNameIsReadByNeither() async throws {
    let folder = try Folder()
    let terminal = try PseudoTerminal()
    let listener = try await Listener(
      scanner("a", at: terminal.node), scanner("b", at: folder.link(to: terminal.node)))
    expect(try await listener.state("failed", of: "a").contains("the readers a and b both match \(terminal.node)"))
    try await listener.state("failed", of: "b")
    // The link goes elsewhere: now each has its own.
    let own = try PseudoTerminal()
    _ = folder.link(to: own.node)
    try await listener.state("reading", of: "b")
  }

  @Test func settingsArePutBackAndTheSourceStartsAgain() async throws {
    let terminal = try PseudoTerminal()
    let before = terminal.flags
    let listener = try await Listener(scanner(at: terminal.node))
    try await listener.state("reading")
    let during = terminal.flags
    expect(during[3] & tcflag_t(ECHO | ICANON | ISIG) == 0 && during[0] & tcflag_t(PARMRK | ICRNL) == tcflag_t(PARMRK))
    await listener.source.stop()
    expectEqual(terminal.flags, before)
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    try await listener.source.start { continuation.yield($0) }
    for await event in stream {
      if case .state(_, .reading) = event { break }
    }
    await listener.source.heartbeat()
  }

  @Test func noiseWithoutEndDoesNotStopReading() async throws {
    let terminal = try PseudoTerminal()
    let listener = try await Listener(scanner(at: terminal.node))
    try await listener.state("reading")
    var random = SystemRandomNumberGenerator()
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
    terminal.send(noise)
    terminal.send("\rOK\r")
    guard case .discarded(_, .tooLong, 300_000, _) = try await listener.next() else {
      Issue.record("the noise was not discarded")
      return
    }
    try await expectEqual(listener.read(), "OK")
  }

  @Test func wrongConfigurationsDoNotStart() async throws {
    let cases: [(SerialConfiguration, String)] = [
      (scanner(at: "/dev/ttyS0", settings: SerialSettings(speed: 12345)), "unusual speed"),
      (scanner(at: "ttyS0"), "no absolute path"),
      (scanner(at: "/dev/ttyS0", framing: SerialFraming(terminators: [])), "no code can ever end"),
      (SerialConfiguration(id: ReaderID("lane"), place: .match(DeviceMatch())), "its match is empty"),
    ]
    for (configuration, words) in cases {
      let source = try SerialSource([configuration])
      let error = await #expect(throws: DeviceError.self) { try await source.start { _ in } }
      expectEqual(error?.what.contains(words), true, "\(words)")
    }
    let twice = SerialConfiguration.problems(in: [scanner(at: "/dev/ttyS0"), scanner(at: "/dev/ttyS0")])
    expectEqual(twice.map(\.what).count, 2)
  }
}

/// Opens as a user who may not.
private actor Nobody {
  private let loop: DeviceLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: DeviceLoop) { self.loop = loop }

  func open(_ node: String) -> SystemError? {
    // Of this thread alone, and root's rights over files go with it.
    _ = setfsuid(65534)
    do throws(SystemError) {
      _ = try SerialDevice(node: node, settings: SerialSettings())
      return nil
    } catch {
      return error
    }
  }
}

@Test func aLineWithoutPermissionIsRefusedByTheSystem() async throws {
  let terminal = try PseudoTerminal()
  try #require(chmod(terminal.node, 0o600) == 0)
  let loop = try DeviceLoop(name: "nobody")
  defer { loop.stop() }
  let error = await Nobody(loop: loop).open(terminal.node)
  expectEqual(error, (geteuid() == 0 ? SystemError(errno: EACCES, call: "open") : nil))
}
