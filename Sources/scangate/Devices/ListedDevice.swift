import CameraReader
import KnownScanners
import LinuxIO
import ScanModel

/// A device as it is printed. Names come from devices: they are cleaned here, for both forms.
struct ListedDevice: Encodable {
  var node: String
  var name: String?
  var vendor: String?
  var product: String?
  var serial: String?
  var port: String?
  var interface: String?
  var link: String?
  var reader: String?
  var model: String?
  var outcome: String
  var words: String
  /// What a camera offers; `nil` for what is none.
  var offers: String?
  /// What would be asked of it: size, format, rate.
  var choice: String?
  /// The block to paste under `readers:`, where no reader has it.
  var block: String?

  private init(of report: DeviceReport, limit: Int) {
    func clean(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: 128) } }
    let device = report.device
    node = device.node
    name = clean(device.name)
    vendor = device.vendor.map(DeviceIdentity.hex)
    product = device.product.map(DeviceIdentity.hex)
    serial = clean(device.serial)
    port = clean(device.port ?? device.idPath)
    reader = report.reader?.name
    outcome = report.outcome.rawValue
    words = TerminalText.clean(report.words, limit: limit)
  }

  /// A device that types, or a serial line.
  init(_ report: DeviceReport) {
    self.init(of: report, limit: 500)
    interface = report.device.interface.map { String($0, digits: 2, radix: 16) }
    model = ScannerDatabase.carried.model(vendor: report.device.vendor, product: report.device.product)?.title
  }

  private init(_ report: CameraReport, block: String?) {
    self.init(of: report.device, limit: 1_000)
    self.block = block
    link = report.device.device.byIDLink.map { TerminalText.clean($0, limit: 128) }
    offers = report.offered
    choice = report.choice.map { choice in
      let rate = choice.rate.map { " at \(Int($0.perSecond.rounded())) a second" } ?? ""
      return "\(choice.size.title) \(choice.format.name)\(rate)"
    }
  }

  /// All cameras, with blocks whose names are not given away.
  static func cameras(_ reports: [CameraReport], readers: [String]) -> [ListedDevice] {
    let blocks = ScannerSearch.blocks(for: reports, readers: readers)
    return reports.map { ListedDevice($0, block: blocks[$0.device.device.node]) }
  }

  var lines: [String] {
    let facts = [
      vendor.map { "vendor: \"\($0)\"" }, product.map { "product: \"\($0)\"" }, serial.map { "serial: \($0)" },
      port.map { "port: \"\($0)\"" }, interface.map { "interface: \"\($0)\"" },
      offers != nil && vendor == nil ? name.map { "name: \"\($0)\"" } : nil,
    ]
    var lines = ["  \(node)  \(name ?? "without a name")\(model.map { "  [\($0)]" } ?? "")"]
    lines.append("      { \(facts.compactMap(\.self).joined(separator: ", ")) }")
    if let link { lines.append("      \(link)") }
    if let offers { lines.append("      offers \(offers)") }
    if let choice { lines.append("      would be read at \(choice)") }
    lines.append("      \(outcome): \(words)")
    if let block {
      lines.append("      as a reader, under readers: in the configuration")
      lines += block.split(separator: "\n").map { "      \($0)" }
    }
    return lines
  }
}
