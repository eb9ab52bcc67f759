/// Which devices belong to a reader. Every field that is given must match; at least one is given.
package struct DeviceMatch: Hashable, Sendable {
  /// USB vendor.
  package var vendor: UInt16?
  /// USB product.
  package var product: UInt16?
  /// Serial number, exactly.
  package var serial: String?
  /// The USB port (`1-1.2`) or udev's ID_PATH.
  package var port: String?
  /// The kernel's name of the device, exactly.
  package var name: String?
  /// The USB interface of a composite device; only its nodes are taken.
  package var interface: Int?

  /// Makes a match.
  package init(
    vendor: UInt16? = nil, product: UInt16? = nil, serial: String? = nil, port: String? = nil, name: String? = nil,
    interface: Int? = nil
  ) {
    self.vendor = vendor
    self.product = product
    self.serial = serial
    self.port = port
    self.name = name
    self.interface = interface
  }

  /// Whether no field is given: it would match the operator's keyboard.
  package var isEmpty: Bool {
    vendor == nil && product == nil && serial == nil && port == nil && name == nil && interface == nil
  }

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

/// Which device is a reader's.
package enum DevicePlace: Sendable, Hashable {
  /// The one that udev knows by this; all fields that are given must match.
  case match(DeviceMatch)
  /// What stands at this absolute path, or where its links lead.
  case path(String)
}
