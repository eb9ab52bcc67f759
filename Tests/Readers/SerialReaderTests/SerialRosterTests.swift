import Reading
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing

@testable import SerialReader

private func line(_ node: String, vendor: UInt16 = 1, serial: String? = nil, port: String? = nil, interface: Int? = nil)
  -> DeviceIdentity
{
  DeviceIdentity(
    node: "/dev/\(node)", sysfsPath: "/sys/devices/usb/\(node)", subsystem: "tty", physicalPath: "/sys/devices/usb",
    vendor: vendor, product: 2, serial: serial, name: "Scanner", port: port, interface: interface, isKeyboard: false,
    isSerialLine: true)
}

private func reader(_ name: String, _ match: DeviceMatch) -> SerialConfiguration {
  SerialConfiguration(id: ReaderID(name), place: .match(match))
}

@Suite struct SerialRosterTests {
  @Test func linesGoToTheReaderThatMatches() {
    let devices = [line("ttyACM0", serial: "A"), line("ttyACM1", serial: "B"), line("ttyUSB0", vendor: 9)]
    let roster = DeviceRoster(
      known: devices, configurations: [reader("a", DeviceMatch(serial: "A")), reader("b", DeviceMatch(serial: "B"))])
    expectEqual(devices.map { roster.assignment.fates[$0.sysfsPath] }, [.taken(lane: 0), .taken(lane: 1), .unmatched])
  }

  /// The lines of one adapter are several scanners, unlike the nodes of one keyboard.
  @Test func twoLinesOfOneAdapterAreReadByNeitherUnlessOneIsHeld() {
    let devices = [line("ttyUSB0", interface: 0), line("ttyUSB1", interface: 1)]
    let readers = [reader("lane", DeviceMatch(vendor: 1))]
    let fresh = DeviceRoster(known: devices, configurations: readers)
    expectEqual(devices.map { fresh.assignment.fates[$0.sysfsPath] }, [.ambiguous(lane: 0), .ambiguous(lane: 0)])
    expectEqual(fresh.assignment.problems[0]?.contains("add serial, port or interface; none of them is read"), true)
    let held = DeviceRoster(known: devices, configurations: readers, held: [0: devices[1].sysfsPath])
    expectEqual(devices.map { held.assignment.fates[$0.sysfsPath] }, [.ambiguous(lane: 0), .taken(lane: 0)])
    let one = DeviceRoster(known: devices, configurations: [reader("lane", DeviceMatch(vendor: 1, interface: 1))])
    expectEqual(devices.map { one.assignment.fates[$0.sysfsPath] }, [.unmatched, .taken(lane: 0)])
  }

  @Test func aPathAndAMatchForOneLineAreContested() {
    // A node that is there on every machine stands for the line.
    var device = line("null", serial: "A")
    device.node = "/dev/null"
    let roster = DeviceRoster(
      known: [device],
      configurations: [
        reader("a", DeviceMatch(serial: "A")), SerialConfiguration(id: ReaderID("b"), place: .path("/dev/null")),
      ])
    expectEqual(roster.assignment.fates[device.sysfsPath], .contested(lanes: [0, 1]))
  }

  @Test func portsWithoutHardwareAreNotListed() {
    var room = line("ttyS7")
    room.isSerialLine = false
    let roster = DeviceRoster(known: [room], configurations: [reader("a", DeviceMatch(vendor: 1))])
    expect(roster.devices.isEmpty && roster.assignment.fates.isEmpty)
  }

  @Test func whatThisMachineHasIsListed() throws {
    let devices = try listSerialDevices([])
    expect(devices.allSatisfy { $0.outcome == .notMatched && !$0.device.node.hasPrefix("/dev/tty0") })
  }

  @Test func obstaclesPauseLongerAndLongerButNotTooLong() {
    for obstacle: SerialObstacle in [.permission, .absent, .held, .notSerial, .settings, .other("x")] {
      expect(obstacle.pauses.lowerBound >= .milliseconds(50))
      expect(obstacle.pauses.upperBound <= .seconds(1), "back within 1.5 s")
    }
    expectEqual(SerialObstacle(SystemError(errno: EACCES, call: "open")), .permission)
    expectEqual(SerialObstacle(SystemError(errno: EBUSY, call: "open")), .held)
    expectEqual(SerialObstacle(SystemError(errno: EIO, call: "open")), .absent)
    let words = SerialObstacle.permission.words(line("ttyACM0"), for: scanner(at: "/dev/ttyACM0"))
    expectEqual(words?.contains("Scanner (/dev/ttyACM0)"), true)
  }

  @Test func aPathIsListedWithWhatBecomesOfIt() throws {
    let terminal = try PseudoTerminal()
    let configurations = [scanner(at: terminal.node), scanner("other", at: "/dev/null")]
    let reports = try listSerialDevices(configurations)
    expectEqual(reports.first { $0.device.node == terminal.node }?.outcome, .taken)
    expectEqual(reports.first { $0.device.node == "/dev/null" }?.outcome, .unusable)
    let holder = try SerialDevice(node: terminal.node, settings: SerialSettings())
    let held = try listSerialDevices(configurations).first { $0.device.node == terminal.node }
    expectEqual(held?.outcome, .grabbed)
    expect(holder.isPseudo)
  }
}
