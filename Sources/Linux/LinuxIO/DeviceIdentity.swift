package import ScanModel

/// What udev knows of a device node: enough to tell it from every other one, and to say where it is plugged in.
package struct DeviceIdentity: Hashable, Sendable {
  /// The device node, such as `/dev/input/event5`.
  package var node: String
  /// The place in sysfs; unique as long as the device is there.
  package var sysfsPath: String
  /// The subsystem, such as `input`.
  package var subsystem: String
  /// The sysfs path of the thing that one can hold in a hand: the USB device, or what stands for it on other buses.
  /// Nodes of one composite device share it.
  package var physicalPath: String
  /// The USB vendor, or that of the input device.
  package var vendor: UInt16?
  /// The USB product, or that of the input device.
  package var product: UInt16?
  /// The serial number as the device gives it; `nil` where it has none.
  package var serial: String?
  /// The name that the kernel gives the device.
  package var name: String?
  /// The USB port, such as `1-1.2`: bus, then hub ports. Stays the same when another device is plugged in there.
  package var port: String?
  /// udev's ID_PATH, such as `pci-0000:00:14.0-usb-0:1.2:1.0`; independent of the order in which buses are found.
  package var idPath: String?
  /// The number of the USB interface within a composite device.
  package var interface: Int?
  /// The classes of the USB device's interfaces, as udev tells them: `:030101:030000:`.
  package var usbInterfaces: String?
  /// The link in `/dev/input/by-id`, `/dev/serial/by-id` or the like.
  package var byIDLink: String?
  /// Whether it is a node that types: it has the digit keys, or udev says that it is a keyboard.
  package var isKeyboard: Bool
  /// Whether it is a serial line with hardware behind it: no console, and no port that the kernel only keeps room for.
  package var isSerialLine: Bool
  /// Whether it is the node of a camera that gives pictures, as far as udev tells: the first of the camera, and not the one
  /// for metadata.
  package var isCamera: Bool

  package init(
    node: String, sysfsPath: String, subsystem: String = "input", physicalPath: String? = nil, vendor: UInt16? = nil,
    product: UInt16? = nil, serial: String? = nil, name: String? = nil, port: String? = nil, idPath: String? = nil,
    interface: Int? = nil, usbInterfaces: String? = nil, byIDLink: String? = nil, isKeyboard: Bool = true,
    isSerialLine: Bool = false, isCamera: Bool = false
  ) {
    self.node = node
    self.sysfsPath = sysfsPath
    self.subsystem = subsystem
    self.physicalPath = physicalPath ?? sysfsPath
    self.vendor = vendor
    self.product = product
    self.serial = serial
    self.name = name
    self.port = port
    self.idPath = idPath
    self.interface = interface
    self.usbInterfaces = usbInterfaces
    self.byIDLink = byIDLink
    self.isKeyboard = isKeyboard
    self.isSerialLine = isSerialLine
    self.isCamera = isCamera
  }

  /// Whether the device is plugged in at `place`: its USB port (`1-1.2`), or its ID_PATH with or without the interface.
  package func isAt(_ place: String) -> Bool {
    if let port, port == place { return true }
    guard let idPath else { return false }
    if idPath == place { return true }
    guard interface != nil, let colon = idPath.lastIndex(of: ":") else { return false }
    return idPath[..<colon] == place
  }

  /// Vendor and product as people write them, such as `0c2e:0901`.
  package var model: String? {
    guard let vendor, let product else { return nil }
    return "\(Self.hex(vendor)):\(Self.hex(product))"
  }

  /// Name and node, for messages. Characters of the name that are not printable are left out.
  package var title: String {
    let shown = String(
      String.UnicodeScalarView((name ?? "").unicodeScalars.filter { (0x20...0x7E).contains($0.value) }))
    return shown.isEmpty ? node : "\(shown) (\(node))"
  }

  /// Four lower-case hexadecimal digits.
  package static func hex(_ value: UInt16) -> String { String(value, digits: 4, radix: 16) }
}

extension DeviceMatch {
  /// Whether the device is meant. An empty match means none.
  package func matches(_ device: DeviceIdentity) -> Bool {
    guard !isEmpty else { return false }
    return (vendor == nil || device.vendor == vendor)
      && (product == nil || device.product == product)
      && (serial == nil || device.serial == serial)
      && (port.map { device.isAt($0) } ?? true)
      && (name == nil || device.name == name)
      && (interface == nil || device.interface == interface)
  }
}
