import Expectations
import Testing

@testable import LinuxIO

@Test func nodesThatTypeAreToldByTheirKeys() {
  // A keyboard, the media keys of one, a power button, a mouse; and what no kernel writes.
  expect(DeviceMonitor.hasDigitKeys("1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe"))
  expect(
    !DeviceMonitor.hasDigitKeys(
      "3f000301ff 0 0 483ffff17aff32d bfd4444600000000 1 130ff38b17d000 677bfad9415fed 9ed68000004400 10000002"))
  expect(!DeviceMonitor.hasDigitKeys("10000000000000 0"))
  expect(!DeviceMonitor.hasDigitKeys("1f0000 0 0 0 0"))
  expect(!DeviceMonitor.hasDigitKeys(nil))
  expect(!DeviceMonitor.hasDigitKeys(""))
  expect(!DeviceMonitor.hasDigitKeys("digits"))
}

@Test func aPlaceIsAPortOrAPath() {
  let device = DeviceIdentity(
    node: "/dev/input/event5", sysfsPath: "/sys/a", port: "1-1.2", idPath: "pci-0000:00:14.0-usb-0:1.2:1.1",
    interface: 1)
  expect(device.isAt("1-1.2"))
  expect(device.isAt("pci-0000:00:14.0-usb-0:1.2:1.1"))
  expect(device.isAt("pci-0000:00:14.0-usb-0:1.2"))
  expect(!device.isAt("1-1"))
  expect(!device.isAt("pci-0000:00:14.0-usb-0:1"))
  expect(!device.isAt(""))
  let built = DeviceIdentity(node: "/dev/input/event0", sysfsPath: "/sys/b", idPath: "acpi-PNP0C0C:00")
  expect(!built.isAt("acpi-PNP0C0C"))
}

@Test func titlesArePrintable() {
  let device = DeviceIdentity(node: "/dev/input/event5", sysfsPath: "/sys/a", name: "Evil\u{1B}[2J\nName")
  expectEqual(device.title, "Evil[2JName (/dev/input/event5)")
  expectEqual(DeviceIdentity(node: "/dev/input/event5", sysfsPath: "/sys/a").title, "/dev/input/event5")
  expectEqual(DeviceIdentity.hex(0x0c2e), "0c2e")
}

@Test func linesWithHardwareAreToldFromRoomForThem() {
  expect(DeviceMonitor.isSerialLine("tty", "/sys/devices/pci0000:00/usb1/1-1/1-1:1.0/tty/ttyACM0", type: nil))
  expect(DeviceMonitor.isSerialLine("tty", "/sys/devices/pnp0/00:03/tty/ttyS0", type: "4"))
  expect(!DeviceMonitor.isSerialLine("tty", "/sys/devices/platform/serial8250/tty/ttyS1", type: "0"))
  expect(!DeviceMonitor.isSerialLine("tty", "/sys/devices/virtual/tty/tty1", type: nil))
  expect(!DeviceMonitor.isSerialLine("input", "/sys/devices/a", type: nil))
}
