import CCarried

/// Scanners by USB id, read from a hardware database in systemd's form (`man hwdb`): blocks of `usb:vVVVVpPPPP*` and lines
/// ` KEY=value`, parted by empty lines. Of the matches that hwdb allows only that of a product, and of a whole vendor
/// (`usb:vVVVVp*`), are used here.
package struct ScannerDatabase: Sendable, Equatable {
  /// A match and what it says.
  package struct Entry: Sendable, Equatable {
    /// The USB vendor.
    package var vendor: UInt16
    /// The USB product; `nil` for every product of the vendor.
    package var product: UInt16?
    /// What it says.
    package var model: ScannerModel
    /// The line of its match, from 1.
    package var line: Int
  }

  /// All entries, in the order of the file.
  package private(set) var entries: [Entry] = []
  /// What is wrong with the file: `line: words`. What is wrong is left out of `entries`.
  package private(set) var problems: [String] = []
  private var products: [UInt32: Int] = [:]
  private var vendors: [UInt16: Int] = [:]

  /// The database that the program carries; the same file is installed for udev.
  package static let carried = ScannerDatabase(carriedText)

  private static var carriedText: String {
    let file = carried_scanners()
    return String(decoding: UnsafeBufferPointer(start: file.start, count: file.count), as: UTF8.self)
  }

  /// Reads a database.
  package init(_ text: String) {
    var block = Block()
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      if line.first == "#" { continue }
      if line.allSatisfy(\.isWhitespace) {
        end(&block)
      } else if line.first == " " {
        take(property: line.dropFirst(), of: &block, at: number)
      } else if block.properties.isEmpty {
        block.matches.append((String(line), number))
      } else {
        problems.append("\(number): a match must follow an empty line")
      }
    }
    end(&block)
  }

  /// What is known of a device; a product says more than its vendor does.
  package func model(vendor: UInt16?, product: UInt16?) -> ScannerModel? {
    guard let vendor else { return nil }
    let own = product.flatMap { products[Self.key(vendor, $0)] }
    return (own ?? vendors[vendor]).map { entries[$0].model }
  }

  private static func key(_ vendor: UInt16, _ product: UInt16) -> UInt32 { UInt32(vendor) << 16 | UInt32(product) }

  // MARK: Reading

  private struct Block {
    var matches: [(text: String, line: Int)] = []
    var properties: [String: String] = [:]
  }

  private static let names: Set<String> = [
    "SCANGATE_VENDOR", "SCANGATE_MODEL", "SCANGATE_MODE", "SCANGATE_SHARED", "SCANGATE_CURE",
  ]

  private mutating func take(property: Substring, of block: inout Block, at line: Int) {
    guard !block.matches.isEmpty else { return problems.append("\(line): a property without a match") }
    let parts = property.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return problems.append("\(line): write KEY=value") }
    let name = String(parts[0])
    guard Self.names.contains(name) else { return problems.append("\(line): there is no property \(name)") }
    guard block.properties.updateValue(String(parts[1]), forKey: name) == nil else {
      return problems.append("\(line): \(name) is there twice")
    }
  }

  private mutating func end(_ block: inout Block) {
    defer { block = Block() }
    guard let first = block.matches.first else { return }
    guard let vendor = block.properties["SCANGATE_VENDOR"] else {
      return problems.append("\(first.line): SCANGATE_VENDOR is missing")
    }
    let mode = block.properties["SCANGATE_MODE"].map(ScannerModel.Mode.init(rawValue:))
    if case .some(.none) = mode { return problems.append("\(first.line): there is no such SCANGATE_MODE") }
    let shared = block.properties["SCANGATE_SHARED"]
    guard shared == nil || shared == "1" else {
      return problems.append("\(first.line): SCANGATE_SHARED is 1 or absent")
    }
    let model = ScannerModel(
      vendor: vendor, model: block.properties["SCANGATE_MODEL"], mode: mode ?? nil, isShared: shared == "1",
      cure: block.properties["SCANGATE_CURE"])
    for match in block.matches { add(match.text, model, at: match.line) }
  }

  private mutating func add(_ match: String, _ model: ScannerModel, at line: Int) {
    let bytes = Array(match.utf8)
    guard bytes.starts(with: Array("usb:v".utf8)), bytes.count >= 11, bytes[9] == UInt8(ascii: "p"),
      bytes.last == UInt8(ascii: "*"), let vendor = Self.number(bytes[5..<9])
    else { return problems.append("\(line): write usb:vVVVVpPPPP* with ids in capitals") }
    let digits = bytes[10..<(bytes.count - 1)]
    let product = Self.number(digits)
    guard digits.isEmpty || product != nil else {
      return problems.append("\(line): write usb:vVVVVpPPPP* with ids in capitals")
    }
    let isNew =
      if let product {
        products.updateValue(entries.count, forKey: Self.key(vendor, product)) == nil
      } else {
        vendors.updateValue(entries.count, forKey: vendor) == nil
      }
    if !isNew { problems.append("\(line): this id is there twice") }
    entries.append(Entry(vendor: vendor, product: product, model: model, line: line))
  }

  /// Four hexadecimal digits in capitals: udev compares text, so `0c2e` would match nothing.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt16? {
    guard digits.count == 4, digits.allSatisfy("0123456789ABCDEF".utf8.contains) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
