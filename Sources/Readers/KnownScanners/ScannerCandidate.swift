/// A device that is plugged in and looks like a scanner.
package struct ScannerCandidate: Hashable, Sendable {
  /// How it shows itself to this machine; what is there, not what a database says.
  package enum Kind: String, Sendable {
    /// Nodes that type.
    case wedge
    /// A serial port.
    case serial
    /// A HID point-of-sale scanner: no keyboard, no port.
    case hidPOS
    /// A camera.
    case camera
  }

  /// How it shows itself.
  package var kind: Kind
  /// The node, such as `/dev/input/event5`.
  package var node: String
  /// The sysfs path of the thing that one can hold in a hand; nodes of one device share it.
  package var physicalPath: String
  /// The USB vendor.
  package var vendor: UInt16?
  /// The USB product.
  package var product: UInt16?
  /// Its serial number, where it has one.
  package var serial: String?
  /// The USB port, such as `1-1.2`.
  package var port: String?
  /// What the device calls itself.
  package var name: String?
  /// What the database knows of it.
  package var model: ScannerModel?

  package init(
    kind: Kind, node: String, physicalPath: String, vendor: UInt16? = nil, product: UInt16? = nil,
    serial: String? = nil, port: String? = nil, name: String? = nil, model: ScannerModel? = nil
  ) {
    self.kind = kind
    self.node = node
    self.physicalPath = physicalPath
    self.vendor = vendor
    self.product = product
    self.serial = serial
    self.port = port
    self.name = name
    self.model = model
  }

  /// What it is called, for people.
  package var title: String { model?.title ?? name ?? node }

  /// Whether it may be proposed without asking: an id or a name speaks for a scanner. A keyboard of which nothing is known
  /// is somebody's keyboard, and a serial port of which nothing is known may be anything.
  package var isLikely: Bool {
    if kind == .hidPOS || kind == .camera { return true }
    if let model { return kind != .serial || !model.isShared || Self.speaks(name) }
    return Self.speaks(name)
  }

  private static let words = ["scanner", "barcode", "bar code", "hidkbw", "hid kbw", "imager"]

  private static func speaks(_ name: String?) -> Bool {
    guard let name = name?.lowercased().replacing("_", with: " ") else { return false }
    return words.contains { name.contains($0) }
  }
}
