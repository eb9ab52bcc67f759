/// What a USB id says of a scanner. A proposal, never a right: ids can be forged, and some are shared.
package struct ScannerModel: Hashable, Sendable {
  /// How a scanner is programmed to speak. The raw values are those of `SCANGATE_MODE`.
  package enum Mode: String, Sendable, CaseIterable {
    /// It types: a wedge.
    case keyboard
    /// A serial port.
    case serial
    /// HID point of sale, usage page 0x8C (USB-IF, "HID Point of Sale Usage Tables"); nothing here reads it.
    case hidPOS = "hid-pos"
    /// A keyboard and more.
    case composite
    /// A cash register's or the maker's own protocol; nothing here reads it.
    case other

    /// Whether a reader can be configured for it.
    package var isReadable: Bool {
      switch self {
      case .keyboard, .serial, .composite: true
      case .hidPOS, .other: false
      }
    }
  }

  /// Who made or sells it.
  package var vendor: String
  /// The model or its family; `nil` where only the vendor is known.
  package var model: String?
  /// Its mode, where the id tells it.
  package var mode: Mode?
  /// Whether keyboards or other gadgets have the same id.
  package var isShared: Bool = false
  /// What to program where the mode cannot be read.
  package var cure: String?

  /// Vendor and model, for people.
  package var title: String { model.map { "\(vendor) \($0)" } ?? "\(vendor) scanner" }
}
