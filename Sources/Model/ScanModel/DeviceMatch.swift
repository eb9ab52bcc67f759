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

  /// Whether every device that `other` fits is fitted by this one too.
  package func includes(_ other: Self) -> Bool {
    func fits<Field: Equatable>(_ field: KeyPath<Self, Field?>) -> Bool {
      self[keyPath: field] == nil || self[keyPath: field] == other[keyPath: field]
    }
    return fits(\.vendor) && fits(\.product) && fits(\.serial) && fits(\.port) && fits(\.name) && fits(\.interface)
  }
}

/// Which device is a reader's.
package enum DevicePlace: Sendable, Hashable {
  /// The one that udev knows by this; all fields that are given must match.
  case match(DeviceMatch)
  /// What stands at this absolute path, or where its links lead.
  case path(String)

  /// Whether every device that `other` fits is fitted by this one too.
  package func includes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.match(let match), .match(let other)): match.includes(other)
    default: self == other
    }
  }
}
