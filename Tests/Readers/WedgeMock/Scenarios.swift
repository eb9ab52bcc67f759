import CMockDevices
import Glibc
import LinuxIO
import ScanModel
import Reading
import WedgeReader

private func lane(
  _ name: String = "lane", serial: String? = nil, port: String? = nil, framing: WedgeFraming = WedgeFraming()
) -> WedgeConfiguration {
  WedgeConfiguration(
    id: ReaderID(name), match: DeviceMatch(vendor: 0x0c2e, product: 0x0901, serial: serial, port: port),
    framing: framing)
}

/// By name. Each begins with an empty test bed.
nonisolated(unsafe) let scenarios: [String: () async throws -> Void] = [
  "reads": reads, "replug": replug, "permission": permission, "grabbed": grabbed, "keyDown": keyDown,
  "overflow": overflow, "lamps": lamps, "stranger": stranger, "identical": identical, "ambiguous": ambiguous,
  "contested": contested, "composite": composite, "ownClock": ownClock, "flood": flood, "devices": devices,
  "stop": stop, "broken": broken, "programmed": programmed, "hotplug": hotplug, "identify": identify,
  "serviceUser": serviceUser,
]

private func bed() { expect(mock_begin() == 1, "umockdev is not preloaded") }

private func reads() async throws {
  bed()
  let scanner = MockScanner(5, serial: "SN1")
  let station = try await Station([lane()])
  await station.state("reading", containing: "Honeywell Scanner (/dev/input/event5)")
  scanner.type("TICKET-4711x\n4006381333931\n")
  await station.read("TICKET-4711x")
  await station.read("4006381333931")
  expect(mock_grabbed(scanner.device) == 1, "grabbed while reading")
  await station.source.stop()
}

private func replug() async throws {
  bed()
  let station = try await Station([lane()])
  await station.state("parked")
  for round in 0..<5 {
    let scanner = MockScanner(5 + round)
    await station.state("reading")
    scanner.type("WHOLE\nHALF")
    await station.read("WHOLE")
    scanner.unplug()
    await station.discarded(.unplugged)
    await station.state("parked")
  }
}

private func permission() async throws {
  bed()
  let scanner = MockScanner(5, mode: 0)
  let station = try await Station([lane()])
  await station.state("waiting", containing: "group input")
  chmod(scanner.node, 0o600)
  await station.state("reading")
  scanner.type("a\n")
  await station.read("a")
}

private func grabbed() async throws {
  bed()
  let scanner = MockScanner(5, isBusy: true)
  let station = try await Station([lane()])
  await station.state("waiting", containing: "another program")
  let before = mock_opens(scanner.device)
  expect(before <= 3, "\(before) tries at once is spinning")
  mock_set_busy(scanner.device, 0)
  await station.state("reading")
  scanner.type("a\n")
  await station.read("a")
}

private func keyDown() async throws {
  bed()
  let scanner = MockScanner(5, isDown: 30)
  let station = try await Station([lane()])
  await station.state("waiting", containing: "a key of")
  expect(mock_grabbed(scanner.device) == 0, "not grabbed while a key is down")
  mock_set_down(scanner.device, 30, 0)
  await station.state("reading")
  scanner.type("b\n")
  await station.read("b")
}

private func overflow() async throws {
  bed()
  let scanner = MockScanner(5)
  let station = try await Station([lane()])
  await station.state("reading")
  scanner.type("FIRST")
  // Shift is held when events are lost, and its release is seen.
  mock_set_down(scanner.device, 42, 1)
  scanner.overflow()
  scanner.type("half\nwho")
  // Which keys are down is asked of the device when the loss is met.
  await station.discarded(.overflow)
  mock_set_down(scanner.device, 42, 0)
  scanner.release(42)
  scanner.type("le\n")
  await station.read("WHOle")
}

private func lamps() async throws {
  bed()
  let scanner = MockScanner(5)
  let station = try await Station([lane()])
  await station.state("reading")
  expect(scanner.lamps() == [0: 1, 1: 0, 2: 0], "Num Lock on, Caps Lock and Scroll Lock off at grab")
  scanner.press(58)
  scanner.release(58)
  scanner.type("a\n")
  await station.read("A")
  expect(scanner.lamps() == [0: 1, 1: 1, 2: 0], "Caps Lock typed by the scanner is followed")
}

private func stranger() async throws {
  bed()
  let keyboard = MockScanner(3, port: "1-2", vendor: 0x046d, product: 0xc31c, name: "Operator's Keyboard")
  let scanner = MockScanner(5)
  let station = try await Station([lane()])
  await station.state("reading")
  keyboard.type("SECRET\n")
  scanner.type("CODE\n")
  await station.read("CODE")
  expect(mock_opens(keyboard.device) == 0, "the operator's keyboard is never opened")
  expect(mock_grabbed(keyboard.device) == 0, "nor grabbed")
}

private func identical() async throws {
  bed()
  let first = MockScanner(5, port: "1-1", serial: "SN1")
  let second = MockScanner(6, port: "1-2", serial: "SN2")
  let third = MockScanner(7, port: "1-3.4")
  let station = try await Station([
    lane("north", serial: "SN1"), lane("south", port: "1-2"), lane("west", port: "pci-0000:00:14.0-usb-0:3.4"),
  ])
  for name in ["north", "south", "west"] {
    while !station.log.contains(where: {
      if case .state(let id, .reading) = $0 { id.name == name } else { false }
    }) {
      await station.event { _ in true }
    }
  }
  third.type("three\n")
  await station.read("three", of: "west")
  second.type("two\n")
  await station.read("two", of: "south")
  first.type("one\n")
  await station.read("one", of: "north")
}

private func ambiguous() async throws {
  bed()
  let first = MockScanner(5, port: "1-1")
  let second = MockScanner(6, port: "1-2")
  let station = try await Station([lane()])
  await station.state("failed", containing: "two devices match")
  expect(mock_opens(first.device) == 0 && mock_opens(second.device) == 0, "neither is opened")
  first.unplug()
  await station.state("reading")
  second.type("one\n")
  await station.read("one")
  let third = MockScanner(7, port: "1-3")
  await station.state("reading", containing: "two devices match")
  third.type("wrong\n")
  second.type("two\n")
  await station.read("two")
}

private func contested() async throws {
  bed()
  _ = MockScanner(5, serial: "SN1")
  let station = try await Station([lane("a"), lane("b", serial: "SN1")])
  await station.state("failed", of: "a", containing: "a and b both match")
  await station.state("failed", of: "b", containing: "add serial or port")
}

private func composite() async throws {
  bed()
  let first = MockScanner(5, interface: 0)
  let second = MockScanner(6, interface: 1)
  let station = try await Station([lane()])
  await station.state("reading")
  second.type("two\n")
  await station.read("two")
  first.type("o")
  second.type("t")
  first.type("ne\n")
  second.type("hree\n")
  var reads: Set<String> = []
  while reads.count < 2 {
    if case .read(let read) = await station.event({ if case .read = $0 { true } else { false } }) {
      reads.insert(String(decoding: read.bytes, as: UTF8.self))
    }
  }
  expect(reads == ["one", "three"], "nodes do not mix: \(reads)")
}

private func ownClock() async throws {
  bed()
  let scanner = MockScanner(5, hasClock: false)
  let station = try await Station([lane(framing: WedgeFraming(terminators: [], silence: .milliseconds(200)))])
  await station.state("reading")
  scanner.type("silent")
  await station.read("silent")
}

/// More than a code can be, then a code.
private func flood() async throws {
  bed()
  let scanner = MockScanner(5)
  // A process that is held up for the usual 100 ms would end the flood, and with it put the lamps out.
  let station = try await Station([lane(framing: WedgeFraming(quiet: .seconds(5), abandonAfter: .seconds(60)))])
  await station.state("reading")
  _ = scanner.lamps()
  for _ in 0..<250 {
    scanner.type("01234567890123456789")
    // The lamp tells that the reader has come so far.
    scanner.press(58)
    scanner.release(58)
    _ = scanner.lamps()
  }
  scanner.type("\nafter\n")
  await station.discarded(.tooLong)
  await station.read("after")
}

private func devices() async throws {
  bed()
  _ = MockScanner(3, port: "1-2", vendor: 0x046d, product: 0xc31c, name: "Operator's Keyboard")
  _ = MockScanner(5, serial: "SN1")
  _ = MockScanner(6, port: "1-3", serial: "SN2", mode: 0)
  _ = MockScanner(7, port: "1-4", serial: "SN3", isBusy: true)
  let all = try listInputDevices([lane("a", serial: "SN1"), lane("b", serial: "SN2"), lane("c", serial: "SN3")])
  expect(all.map(\.outcome) == [.notMatched, .taken, .noPermission, .grabbed], "\(all.map(\.outcome))")
  expect(all.map { $0.reader?.name } == [nil, "a", "b", "c"], "the readers")
  let scanner = all[1].device
  expect(scanner.node == "/dev/input/event5" && scanner.model == "0c2e:0901", "\(scanner)")
  expect(scanner.serial == "SN1" && scanner.port == "1-1" && scanner.interface == 0, "\(scanner)")
  expect(scanner.name == "Honeywell Scanner" && scanner.isKeyboard, "\(scanner)")
  expect(scanner.byIDLink == "/dev/input/by-id/usb-SN1-event-kbd", "\(scanner)")
  expect(scanner.isAt("pci-0000:00:14.0-usb-0:1:1.0") && scanner.isAt("pci-0000:00:14.0-usb-0:1"), "\(scanner)")
  let both = try listInputDevices([lane("a")])
  expect(both.filter { $0.outcome == .ambiguous }.count == 3, "\(both.map(\.outcome))")
}

private func stop() async throws {
  bed()
  let scanner = MockScanner(5)
  let station = try await Station([lane()])
  await station.state("reading")
  scanner.type("half")
  await station.source.stop()
  let again = try await Station([lane()])
  await again.state("reading")
  scanner.type("whole\n")
  await again.read("whole")
}

/// Reading fails while udev says nothing, as with a descriptor that was revoked: the reader tries again by itself.
private func broken() async throws {
  bed()
  let scanner = MockScanner(5)
  let station = try await Station([lane()])
  await station.state("reading")
  scanner.type("WHOLE\nHALF")
  await station.read("WHOLE")
  expect(mock_break(scanner.device) == 0, "it takes nothing")
  await station.discarded(.unplugged)
  await station.state("parked")
  await station.state("reading")
  scanner.type("AGAIN\n")
  await station.read("AGAIN")
}

/// A reader's scanner leaves after a read and comes back at its port as another product.
private func programmed() async throws {
  bed()
  let scanner = MockScanner(5, serial: "SN1")
  mock_tell(scanner.usbPath, "add")
  let station = try await Station([lane()])
  await station.state("reading")
  scanner.type("ticket\n")
  await station.read("ticket")
  scanner.leave()
  await station.state("parked")
  let after = MockScanner(6, product: 0x0907, serial: "SN1", name: "Honeywell HID POS")
  mock_tell(after.usbPath, "add")
  let event = await station.event { if case .identityChanged = $0 { true } else { false } }
  guard case .identityChanged(let reader, let before, let now, _) = event else { die("\(event)") }
  expect(reader.name == "lane" && before.model == "0c2e:0901" && now.model == "0c2e:0907", "\(event)")
}

/// What comes and goes is told with what it was; what was there before is not.
private func hotplug() async throws {
  bed()
  _ = MockScanner(5, port: "1-1")
  let watch = try HotplugWatch(subsystems: ["input"])
  let (stream, continuation) = AsyncStream<HotplugWatch.News>.makeStream()
  var news = stream.makeAsyncIterator()
  try await watch.start { continuation.yield($0) }
  let scanner = MockScanner(6, port: "1-2", serial: "SN2")
  guard case .plugged(let came) = await news.next(isolation: #isolation) else { die("nothing came") }
  expect(came.node == scanner.node && came.serial == "SN2", "\(came)")
  mock_tell(scanner.eventPath, "change")
  scanner.unplug()
  guard case .unplugged(let went) = await news.next(isolation: #isolation) else { die("nothing went") }
  expect(went.node == scanner.node && went.serial == "SN2", "\(went)")
  await watch.stop()
}

/// Two nodes that type, nobody's: the one that is faster than a person is named, and nothing is grabbed.
private func identify() async throws {
  bed()
  let keyboard = MockScanner(3, port: "1-2", vendor: 0x046d, product: 0xc31c, name: "Operator's Keyboard")
  let scanner = MockScanner(5)
  let closed = MockScanner(6, port: "1-3", mode: 0)
  let devices = try listInputDevices([]).map(\.device)
  let identifier = try ScanIdentifier()
  let (stream, continuation) = AsyncStream<ScanIdentifier.News>.makeStream()
  var news = stream.makeAsyncIterator()
  try await identifier.start(devices) { continuation.yield($0) }
  guard case .closed(let refused, let error) = await news.next(isolation: #isolation) else { die("no refusal") }
  expect(refused.node == closed.node && error.errno == EACCES, "\(refused.node) \(error)")
  keyboard.type("hi")
  scanner.type("TICKET-42\n")
  guard case .scanned(let found, let code, let hasTerminator) = await news.next(isolation: #isolation) else {
    die("nothing was scanned")
  }
  expect(found.node == scanner.node && code.text == "TICKET-42" && hasTerminator, "\(found.node) \(code)")
  expect(mock_grabbed(scanner.device) == 0 && mock_grabbed(keyboard.device) == 0, "nothing is grabbed")
  await identifier.stop()
}

/// The service's user is judged by owner, group and mode, whoever asks.
private func serviceUser() async throws {
  bed()
  let scanner = MockScanner(5, mode: 0o660)
  let access = NodeAccess(node: scanner.node)
  let service = UserAccount(name: "scangate", id: 4_000_001, groups: [4_000_001])
  let report = try listInputDevices([lane()], as: service)
  expect(report.map(\.outcome) == [.noPermission], "\(report.map(\.outcome))")
  expect(report.first?.words.contains("scangate may not open it (\(access?.title ?? "?"))") == true, "\(report)")
  let member = UserAccount(name: "scangate", id: 4_000_001, groups: [access?.group ?? 0])
  expect(try listInputDevices([lane()], as: member).map(\.outcome) == [.taken], "the group opens it")
}
