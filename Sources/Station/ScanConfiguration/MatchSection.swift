import ScanModel
internal import TicketSystemKit

/// `readers.<name>.match`.
enum MatchSection {
  private static let vendor = SchemaKey<UInt16>.optional(
    "vendor", .hexadecimal(4, example: "\"0c2e\""), "The USB vendor as `lsusb` shows it.")
  private static let product = SchemaKey<UInt16>.optional(
    "product", .hexadecimal(4, example: "\"0901\""), "The USB product as `lsusb` shows it; only with a vendor.")
  private static let serialNumber = SchemaKey<String>.optional(
    "serial", .text(upTo: 126, example: "SN0001"), "The serial number; tells two identical scanners apart.")
  private static let port = SchemaKey<String>.optional(
    "port",
    .text(
      "USB port", example: "\"1-1.2\"", expected: "write a port as the kernel names it, such as \"1-1.2\"",
      where: isPort),
    "The USB port that the scanner is plugged into; tells two apart that have no serial number.")
  private static let name = SchemaKey<String>.optional(
    "name", .text(upTo: 255, example: "\"Honeywell 1470g\""), "The device's name, whole.")
  private static let interface = SchemaKey<Int>.optional(
    "interface", .hexadecimal(2, example: "\"00\""),
    "The USB interface, where a scanner has several that type; only with another field.")

  private static let line = SchemaKey<Int>.optional(
    "interface", .hexadecimal(2, example: "\"00\""),
    "The USB interface, where an adapter has several lines; only with another field.")
  private static let path = SchemaKey<String>.optional(
    "path",
    .text(
      "absolute path", example: "/dev/serial/by-id/usb-Acme_Scanner_SN0001-if00",
      expected: "write the absolute path of the line, such as /dev/ttyS0 or a link in /dev/serial/by-id",
      where: isDevicePath), "The line itself, by any link to it; then no other field.")

  private static let view = SchemaKey<Int>.optional(
    "interface", .hexadecimal(2, example: "\"00\""),
    "The USB interface, where a device holds several cameras; only with another field.")
  private static let node = SchemaKey<String>.optional(
    "path",
    .text(
      "absolute path", example: "/dev/v4l/by-id/usb-Acme_Camera_SN0001-video-index0",
      expected: "write the absolute path of the camera, such as /dev/video0 or a link in /dev/v4l/by-id",
      where: isDevicePath), "The camera itself, by any link to it; then no other field.")

  static let wedge = SectionSchema(
    "readers.<name>.match, type wedge",
    vendor, product, serialNumber, port, name, interface,
    refused: ["path": "only a serial line has it; name a vendor, serial, port or name"])
  static let serial = SectionSchema(
    "readers.<name>.match, type serial",
    vendor, product, serialNumber, port, line, path,
    refused: ["name": "a serial line has none; name a vendor, serial, port or path"])
  static let camera = SectionSchema(
    "readers.<name>.match, type camera",
    vendor, product, serialNumber, port, name, view, node)

  static func read(_ reader: SectionReader, of kind: ReaderConfiguration.Kind) -> DevicePlace? {
    let hadErrors = reader.findings.errors.count
    let match = DeviceMatch(
      vendor: reader.read(vendor), product: reader.read(product), serial: reader.read(serialNumber),
      port: reader.read(port), name: kind == .serial ? nil : reader.read(name), interface: reader.read(interface))
    let path = path(reader, of: kind)
    guard reader.findings.errors.count == hadErrors else { return nil }
    let place = reader.node.label
    let fields = "vendor, serial, port or \(kind == .wedge ? "name" : "path")"
    switch path {
    case let path? where match.isEmpty: return .path(path)
    case nil where match.isEmpty:
      reader.findings.error(at: place, "\(quoted(reader.node.path)) fits every device", "name a \(fields)")
    case nil where match == DeviceMatch(interface: match.interface):
      reader.findings.error(
        at: place, "an interface alone fits every device\(kind == .wedge ? ", keyboards too" : "")", "add a \(fields)")
    case .some:
      reader.findings.error(
        at: reader.position(of: "path"), "a path says already which \(kind == .camera ? "camera" : "line") it is",
        "keep either the path or the others")
    case nil where match.product != nil && match.vendor == nil:
      reader.findings.error(
        at: reader.position(of: "product"), "a product number means nothing without its vendor", "add the vendor")
    case nil: return .match(match)
    }
    return nil
  }

  private static func path(_ reader: SectionReader, of kind: ReaderConfiguration.Kind) -> String? {
    switch kind {
    case .wedge: nil
    case .serial: reader.read(path)
    case .camera: reader.read(node)
    }
  }

  private static func isDevicePath(_ text: String) -> Bool {
    text.hasPrefix("/") && !text.hasSuffix("/") && text.utf8.count < 4096
      && !text.unicodeScalars.contains { $0.value < 0x20 }
  }

  /// A bus, a hyphen, and ports joined by dots, as the kernel names USB devices.
  private static func isPort(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let ports = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return ports.count <= 7
      && ([parts[0]] + ports).allSatisfy { number in
        (1...3).contains(number.utf8.count) && number.first != "0"
          && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
  }
}

extension ValueKind where Value: FixedWidthInteger {
  /// Hexadecimal digits without `0x`.
  static func hexadecimal(_ count: Int, example: String) -> Self {
    Self(summary: "\(count) hexadecimal digits", example: example) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      if text.utf8.count == count, text.allSatisfy({ $0.isASCII && $0.isHexDigit }), let number = Value(text, radix: 16)
      {
        return number
      }
      node.refuse(text, "write \(count) hexadecimal digits without 0x, such as \(example)", findings)
      return nil
    }
  }
}
