import Reading
import Expectations
import LinuxIO
import ScanModel
import Testing

@testable import WedgeReader

private func device(
  _ number: Int, physical: String, vendor: UInt16 = 1, serial: String? = nil, port: String? = nil,
  interface: Int? = nil, isKeyboard: Bool = true
) -> DeviceIdentity {
  DeviceIdentity(
    node: "/dev/input/event\(number)", sysfsPath: "/sys/\(physical)/event\(number)", physicalPath: physical,
    vendor: vendor, product: 2, serial: serial, name: "Scanner", port: port, interface: interface,
    isKeyboard: isKeyboard)
}

private func reader(_ name: String, _ match: DeviceMatch) -> WedgeConfiguration {
  WedgeConfiguration(id: ReaderID(name), match: match)
}

@Test func anEmptyMatchTakesNothing() {
  expect(!DeviceMatch().matches(device(1, physical: "a")))
}

@Test func everyGivenFieldMustMatch() {
  let scanner = DeviceIdentity(
    node: "/dev/input/event5", sysfsPath: "/sys/e5", vendor: 0x0c2e, product: 0x0901, serial: "SN1", name: "Honeywell",
    port: "1-1.2", idPath: "pci-0000:00:14.0-usb-0:1.2:1.0", interface: 0)
  let whole = DeviceMatch(
    vendor: 0x0c2e, product: 0x0901, serial: "SN1", port: "1-1.2", name: "Honeywell", interface: 0)
  expect(whole.matches(scanner))
  let wrong: [(inout DeviceMatch) -> Void] = [
    { $0.vendor = 1 }, { $0.product = 1 }, { $0.serial = "SN" }, { $0.port = "1-1" }, { $0.name = "Honey" },
    { $0.interface = 1 },
  ]
  for change in wrong {
    var match = whole
    change(&match)
    expect(!match.matches(scanner), "\(match)")
  }
  expect(DeviceMatch(port: "pci-0000:00:14.0-usb-0:1.2").matches(scanner))
  expect(!DeviceMatch(port: "pci-0000:00:14.0-usb-0:1").matches(scanner))
  expectEqual(scanner.model, "0c2e:0901")
}

@Test func nodesOfOneDeviceGoToOneReader() {
  let devices = [
    device(5, physical: "a", interface: 0), device(6, physical: "a", interface: 1),
    device(7, physical: "a", interface: 2, isKeyboard: false), device(8, physical: "b", vendor: 9),
  ]
  let assignment = DeviceAssignment(devices: devices, configurations: [reader("lane", DeviceMatch(vendor: 1))])
  expectEqual(
    devices.map { assignment.fates[$0.sysfsPath] }, [.taken(lane: 0), .taken(lane: 0), .unfit(lane: 0), .unmatched])
  expect(assignment.problems.isEmpty)
  let one = DeviceAssignment(devices: devices, configurations: [reader("lane", DeviceMatch(vendor: 1, interface: 1))])
  expectEqual(devices.map { one.fates[$0.sysfsPath] }, [.unmatched, .taken(lane: 0), .unmatched, .unmatched])
}

@Test func twoDevicesOfOneReaderAreBothLeftUnlessOneIsHeld() {
  let devices = [device(5, physical: "a"), device(6, physical: "b")]
  let readers = [reader("lane", DeviceMatch(vendor: 1))]
  let fresh = DeviceAssignment(devices: devices, configurations: readers)
  expectEqual(devices.map { fresh.fates[$0.sysfsPath] }, [.ambiguous(lane: 0), .ambiguous(lane: 0)])
  expectEqual(fresh.problems[0]?.contains("two devices match"), true)
  let held = DeviceAssignment(devices: devices, configurations: readers, held: [0: "b"])
  expectEqual(devices.map { held.fates[$0.sysfsPath] }, [.ambiguous(lane: 0), .taken(lane: 0)])
}

@Test func oneDeviceOfTwoReadersIsLeft() {
  let scanner = device(5, physical: "a", serial: "SN1")
  let assignment = DeviceAssignment(
    devices: [scanner],
    configurations: [reader("a", DeviceMatch(vendor: 1)), reader("b", DeviceMatch(serial: "SN1"))])
  expectEqual(assignment.fates[scanner.sysfsPath], .contested(lanes: [0, 1]))
  expectEqual(assignment.problems.count, 2)
  expectEqual(assignment.problems[0]?.contains("a and b both match Scanner (/dev/input/event5)"), true)
}

@Test func obstaclesPauseLongerAndLongerButNotTooLong() {
  for obstacle: WedgeObstacle in [.permission, .absent, .keyDown] {
    expect(obstacle.pauses.lowerBound >= .milliseconds(50))
    expect(obstacle.pauses.upperBound <= .milliseconds(500), "back within 1.5 s of the node")
  }
  expectEqual(WedgeObstacle(SystemError(errno: 13, call: "open")), .permission)
  expectEqual(WedgeObstacle(SystemError(errno: 16, call: "EVIOCGRAB")), .grabbed)
  expectEqual(WedgeObstacle(SystemError(errno: 19, call: "read")), .absent)
}

/// Whatever is plugged in and configured: no device has two readers, no reader two devices, and nothing is taken that does
/// not match.
@Test(arguments: 0..<20) func assignmentNeverMixes(round: Int) {
  let seed = UInt64.random(in: .min ... .max)
  var state = seed
  func pick(_ count: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % count
  }
  for _ in 0..<200 {
    let devices = (0..<Int(pick(6))).map { number in
      let physical = pick(3)
      return device(
        number, physical: "p\(physical)", vendor: UInt16(1 + physical % 2), serial: "S\(physical)",
        interface: Int(pick(2)), isKeyboard: pick(4) != 0)
    }
    let readers = (0..<Int(pick(4))).map { number in
      reader(
        "r\(number)",
        DeviceMatch(
          vendor: pick(2) == 0 ? nil : UInt16(1 + pick(2)), serial: pick(2) == 0 ? nil : "S\(pick(3))",
          interface: pick(3) == 0 ? Int(pick(2)) : nil))
    }
    let held = pick(2) == 0 ? [:] : [0: "p\(pick(3))"]
    let assignment = DeviceAssignment(devices: devices, configurations: readers, held: held)
    expectEqual(assignment.fates.count, devices.count, "seed \(seed)")
    var physical: [Int: String] = [:]
    for device in devices {
      guard case .taken(let lane) = assignment.fates[device.sysfsPath] else { continue }
      expect(readers[lane].match.matches(device) && device.isKeyboard, "seed \(seed)")
      expectEqual(readers.count { $0.match.matches(device) }, 1, "seed \(seed)")
      expect(physical[lane] == nil || physical[lane] == device.physicalPath, "seed \(seed)")
      physical[lane] = device.physicalPath
    }
  }
}
