import Reading
import CMockDevices
import Glibc
import ScanModel
import WedgeReader

/// A mocked scanner: a USB device, its interface and its input node.
struct MockScanner {
  let port: String
  let number: Int
  let device: Int32
  let eventPath: String
  let usbPath: String

  var node: String { "/dev/input/event\(number)" }

  /// Plugs a scanner in.
  init(
    _ number: Int, port: String = "1-1", interface: Int = 0, vendor: UInt16 = 0x0c2e, product: UInt16 = 0x0901,
    serial: String? = nil, name: String = "Honeywell Scanner", hasClock: Bool = true, isDown: UInt16? = nil,
    isBusy: Bool = false, mode: mode_t = 0o600
  ) {
    self.number = number
    self.port = port
    usbPath = "/sys/devices/pci0000:00/0000:00:14.0/usb1/\(port)"
    let interfacePath = "\(usbPath)/\(port):1.\(interface)"
    let inputPath = "\(interfacePath)/input/input\(number)"
    eventPath = "\(inputPath)/event\(number)"
    func hex(_ value: UInt16) -> String { String(String(UInt32(value) + 0x10000, radix: 16).dropFirst()) }
    func devpath(_ path: String) -> String { String(path.dropFirst(4)) }
    var usb = "P: \(devpath(usbPath))\nN: bus/usb/001/00\(port.last ?? "9")\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\n"
    usb += "E: DEVNAME=/dev/bus/usb/001/00\(port.last ?? "9")\n"
    usb += "A: idVendor=\(hex(vendor))\nA: idProduct=\(hex(product))\n"
    if let serial { usb += "A: serial=\(serial)\n" }
    let usbInterface =
      "P: \(devpath(interfacePath))\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\nA: bInterfaceNumber=0\(interface)\n"
    var event = "P: \(devpath(eventPath))\nN: input/event\(number)\nE: SUBSYSTEM=input\n"
    event += "E: DEVNAME=/dev/input/event\(number)\nE: ID_INPUT=1\nE: ID_INPUT_KEYBOARD=1\n"
    event += "E: ID_VENDOR_ID=\(hex(vendor))\nE: ID_MODEL_ID=\(hex(product))\n"
    event += "E: ID_PATH=pci-0000:00:14.0-usb-0:\(port.dropFirst(2)):1.\(interface)\n"
    if let serial {
      event += "E: ID_SERIAL_SHORT=\(serial)\nE: DEVLINKS=/dev/input/by-id/usb-\(serial)-event-kbd\n"
    }
    let input =
      "P: \(devpath(inputPath))\nE: SUBSYSTEM=input\nE: PRODUCT=3/c2e/901/110\nA: name=\(name)\nA: capabilities/key=1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe\n"
    // Parents may be there already: another interface of the same device, or the port's last one.
    for (path, part) in [(usbPath, usb), (interfacePath, usbInterface), (inputPath, input)]
    where access(path, F_OK) != 0 {
      guard mock_add(part + "\n") == 0 else { die("the test bed takes no \(path)") }
    }
    let node = "/dev/input/event\(number)"
    guard mock_add(event + "\n") == 0 else { die("the test bed takes no \(node)") }
    device = mock_attach(node, name, vendor, product, hasClock ? 1 : 0)
    guard device >= 0 else { die("no ioctls for \(node)") }
    if let isDown { mock_set_down(device, isDown, 1) }
    if isBusy { mock_set_busy(device, 1) }
    chmod(node, mode)
    mock_tell(eventPath, "add")
  }

  /// Pulls it out: the node hangs up, then udev tells.
  func unplug() {
    mock_tell(eventPath, "remove")
    mock_remove(eventPath)
    mock_detach(device)
  }

  /// Leaves the bus altogether, as when a programming barcode was shown to it.
  func leave() {
    unplug()
    mock_tell(usbPath, "remove")
    // From the leaf up: the test bed leaves the links of children behind.
    let parts = eventPath.split(separator: "/").dropLast()
    let input = "/" + parts.joined(separator: "/")
    let interface = "/" + parts.dropLast(2).joined(separator: "/")
    for path in [input, interface, usbPath] { mock_remove(path) }
  }

  /// Types text that a layout `us` has without Shift, or with it for capitals.
  func type(_ text: String) {
    for character in text.utf8 {
      let isCapital = (65...90).contains(character)
      guard let key = Self.keys[isCapital ? character + 32 : character] else { die("no key for \(character)") }
      if isCapital { press(42) }
      press(key)
      release(key)
      if isCapital { release(42) }
    }
  }

  func press(_ key: UInt16) { event(1, key, 1) }
  func release(_ key: UInt16) { event(1, key, 0) }

  private func event(_ type: UInt16, _ code: UInt16, _ value: Int32) {
    guard mock_write(device, type, code, value) == 0, mock_write(device, 0, 0, 0) == 0 else {
      die("\(node) takes nothing")
    }
  }

  /// The kernel's word that its buffer overflowed; returns when the reader has asked for the keys that are down.
  func overflow() {
    let before = mock_key_queries(device)
    guard mock_write(device, 0, 3, 0) == 0, mock_write(device, 0, 0, 0) == 0 else { die("\(node) takes nothing") }
    // libevdev throws away what is there when it catches up, as it should.
    while mock_key_queries(device) == before { usleep(1000) }
  }

  /// The lamps that are written next, all three of them, by LED number.
  func lamps() -> [UInt16: Int32] {
    var lamps: [UInt16: Int32] = [:]
    var (type, code, value): (UInt16, UInt16, Int32) = (0, 0, 0)
    while lamps.count < 3 {
      guard mock_take(device, &type, &code, &value) == 1 else {
        usleep(1000)
        continue
      }
      if type == 0x11 { lamps[code] = value }
    }
    return lamps
  }

  private static let keys: [UInt8: UInt16] = {
    var keys: [UInt8: UInt16] = [10: 28, 45: 12, 47: 53]
    for (row, first) in [("1234567890", 2), ("qwertyuiop", 16), ("asdfghjkl", 30), ("zxcvbnm", 44)] {
      for (index, character) in row.utf8.enumerated() { keys[character] = UInt16(first + index) }
    }
    return keys
  }()
}

/// A running source and what it told.
final class Station {
  let source: WedgeSource
  private var iterator: AsyncStream<ReaderEvent>.Iterator
  private(set) var log: [ReaderEvent] = []

  init(_ configurations: [WedgeConfiguration]) async throws {
    source = try WedgeSource(configurations)
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    iterator = stream.makeAsyncIterator()
    try await source.start { continuation.yield($0) }
  }

  /// Waits for an event; the watchdog of the process ends a wait in vain.
  @discardableResult func event(_ isWanted: (ReaderEvent) -> Bool) async -> ReaderEvent {
    while let event = await iterator.next(isolation: #isolation) {
      log.append(event)
      if isWanted(event) { return event }
    }
    die("the source ended")
  }

  func state(_ name: String, of reader: String = "lane", containing words: String = "") async {
    await event {
      guard case .state(let id, let state) = $0, id.name == reader, state.name == name else { return false }
      return "\(state)".contains(words)
    }
  }

  func read(_ text: String, of reader: String = "lane") async {
    let event = await event { if case .read = $0 { true } else { false } }
    guard case .read(let read) = event, read.bytes == [UInt8](text.utf8), read.reader.name == reader else {
      die("read \(event) and not \(text)")
    }
    expect(abs((SystemTime().now() - read.readAt).milliseconds) < 60_000, "the time of \(event)")
  }

  func discarded(_ reason: DiscardReason) async {
    let event = await event { if case .discarded = $0 { true } else { false } }
    guard case .discarded(_, reason, _, _) = event else { die("\(event) and not \(reason)") }
  }
}

func expect(_ condition: Bool, _ what: String) {
  if !condition { die(what) }
}

nonisolated(unsafe) private var scenario = "start"

func begin(_ name: String) {
  scenario = name
  // A scenario that waits in vain is ended by SIGALRM.
  alarm(60)
}

func pass() { say("passed \(scenario)\n") }

func die(_ what: String) -> Never {
  say("FAILED \(scenario): \(what)\n")
  exit(1)
}

func say(_ text: String) { _ = write(1, text, text.utf8.count) }
