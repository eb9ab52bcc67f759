import Reading
import CMockDevices
import Glibc
import LinuxIO
import ScanModel
import SerialReader

// The whole serial reader with libudev on mocked lines: found by identity, unplugged and plugged in again.
// `umockdev-wrapper serial-mock`; says `passed`, or what failed.

func say(_ text: String) { _ = write(1, text, text.utf8.count) }

func die(_ what: String) -> Never {
  say("FAILED: \(what)\n")
  exit(1)
}

/// A mocked USB scanner on a serial line.
struct MockLine {
  let node: String
  let path: String
  private let device: Int32

  init(_ number: Int, port: String, serial: String) {
    node = "/dev/ttyACM\(number)"
    let usb = "/devices/pci0000:00/0000:00:14.0/usb1/\(port)"
    path = "/sys\(usb)/\(port):1.0/tty/ttyACM\(number)"
    let parents = """
      P: \(usb)
      E: SUBSYSTEM=usb
      E: DEVTYPE=usb_device
      A: idVendor=0c2e
      A: idProduct=0aaa
      A: serial=\(serial)

      P: \(usb)/\(port):1.0
      E: SUBSYSTEM=usb
      E: DEVTYPE=usb_interface
      A: bInterfaceNumber=00


      """
    let line = """
      P: \(path.dropFirst(4))
      N: ttyACM\(number)
      E: SUBSYSTEM=tty
      E: DEVNAME=\(node)
      E: ID_MODEL=Scanner
      E: DEVLINKS=/dev/serial/by-id/usb-\(serial)-if00


      """
    if access("/sys\(usb)", F_OK) != 0, mock_add(parents) != 0 { die("the test bed takes no \(usb)") }
    guard mock_add(line) == 0 else { die("the test bed takes no \(node)") }
    device = mock_attach(node, "", 0, 0, 0)
    guard device >= 0 else { die("no ioctls for \(node)") }
    mock_tell(path, "add")
  }

  func send(_ text: String) {
    guard mock_send(device, text, Int32(text.utf8.count)) == 0 else { die("\(node) takes nothing") }
  }

  func unplug() {
    mock_tell(path, "remove")
    mock_remove(path)
    mock_detach(device)
  }
}

/// What the source told.
final class Listener {
  let source: SerialSource
  private var iterator: AsyncStream<ReaderEvent>.Iterator

  init(_ configurations: [SerialConfiguration]) async throws {
    source = try SerialSource(configurations)
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    iterator = stream.makeAsyncIterator()
    try await source.start { continuation.yield($0) }
  }

  /// Waits for an event; SIGALRM ends a wait in vain.
  func event(_ isWanted: (ReaderEvent) -> Bool) async {
    while let event = await iterator.next(isolation: #isolation) {
      if isWanted(event) { return }
      if case .state = event { continue }
      die("unexpected \(event)")
    }
  }

  func state(_ name: String, containing words: String = "") async {
    await event {
      guard case .state(_, let state) = $0, state.name == name else { return false }
      return "\(state)".contains(words)
    }
  }

  func read(_ text: String) async {
    await event { if case .read(let read) = $0 { read.bytes == [UInt8](text.utf8) } else { false } }
  }
}

alarm(60)
guard mock_begin() == 1 else { die("not under umockdev-wrapper") }
let lane = SerialConfiguration(
  id: ReaderID("lane"), place: .match(DeviceMatch(vendor: 0x0c2e, product: 0x0aaa, serial: "SN1", interface: 0)))
let any = SerialConfiguration(id: ReaderID("lane"), place: .match(DeviceMatch(vendor: 0x0c2e)))

let listener = try await Listener([lane])
await listener.state("parked")
let stranger = MockLine(1, port: "1-2", serial: "SN2")
let first = MockLine(0, port: "1-1", serial: "SN1")
await listener.state("reading", containing: "Scanner (/dev/ttyACM0)")
stranger.send("STRANGER\r")
first.send("TICKET-1\r\n")
await listener.read("TICKET-1")

let reports = try listSerialDevices([lane])
guard reports.map(\.device.node) == ["/dev/ttyACM0", "/dev/ttyACM1"], reports[1].outcome == .notMatched,
  reports[0].device.byIDLink == "/dev/serial/by-id/usb-SN1-if00", reports[0].device.port == "1-1",
  reports[0].device.model == "0c2e:0aaa", reports[0].device.serial == "SN1", reports[0].outcome == .grabbed
else { die("\(reports)") }

first.unplug()
await listener.state("parked")
let again = MockLine(7, port: "1-3", serial: "SN1")
await listener.state("reading", containing: "Scanner (/dev/ttyACM7)")
again.send("TICKET-2\r")
await listener.read("TICKET-2")
await listener.source.stop()

let doubtful = try await Listener([any])
await doubtful.state("failed", containing: "two devices match, Scanner (/dev/ttyACM1) and Scanner (/dev/ttyACM7)")
stranger.unplug()
await doubtful.state("reading", containing: "/dev/ttyACM7")
await doubtful.source.stop()
say("passed\n")
