import ArgumentParser
import CameraReader
import FoundationEssentials
import Gateway
import LinuxIO
import ScanConfiguration
import ScanModel

/// `scangate camera`: which cameras are there, and what they see.
struct CameraCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "camera", abstract: "Look at cameras: which are there, and what they see.",
    subcommands: [CameraListCommand.self, CameraSnapshotCommand.self])

  /// The configuration, where there is one that can be read; cameras are looked at most where it is not finished yet.
  static func configuration(_ file: String) -> StationConfiguration? {
    guard file != ConfigurationArgument.usual || FileManager.default.fileExists(atPath: file) else { return nil }
    return try? ConfigurationArgument.load(file, checkingFiles: false)
  }
}

/// `scangate camera list`.
struct CameraListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the cameras that are plugged in, what they offer, and what would be asked of them.",
    discussion:
      "Asks each camera what it can do; takes no picture. As root, permissions are judged for the service's user.")

  @OptionGroup var source: ConfigurationArgument

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let cameras: [CameraReport]
    let configuration = CameraCommand.configuration(source.file)
    do throws(DeviceError) {
      cameras = try listCameras(configuration?.cameras ?? [], as: DevicesCommand.serviceUser)
    } catch {
      throw failure(error.description)
    }
    let names = configuration?.readers.map(\.id.name) ?? []
    let listings = CameraListing.all(cameras, readers: names)
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      Terminal.out(String(decoding: try encoder.encode(listings), as: UTF8.self))
      return
    }
    if listings.isEmpty { Terminal.out("No camera is plugged in.") }
    for line in listings.flatMap(\.lines) { Terminal.out(line) }
  }
}

/// A camera as it is printed. Names come from devices: they are cleaned here, for both forms.
struct CameraListing: Encodable {
  var node: String
  var name: String?
  var vendor: String?
  var product: String?
  var serial: String?
  var port: String?
  var link: String?
  var reader: String?
  var outcome: String
  var words: String
  var offers: String
  /// What would be asked of it: size, format, rate.
  var choice: String?
  /// The block to paste under `readers:`, where no reader has it.
  var block: String?

  /// All cameras, with blocks whose names are not given away.
  static func all(_ reports: [CameraReport], readers: [String]) -> [CameraListing] {
    let blocks = ScannerSearch.blocks(for: reports, readers: readers)
    return reports.map { CameraListing($0, block: blocks[$0.device.device.node]) }
  }

  private init(_ report: CameraReport, block: String?) {
    self.block = block
    func clean(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: 128) } }
    let device = report.device.device
    node = device.node
    name = clean(device.name)
    vendor = device.vendor.map(DeviceIdentity.hex)
    product = device.product.map(DeviceIdentity.hex)
    serial = clean(device.serial)
    port = clean(device.port ?? device.idPath)
    link = clean(device.byIDLink)
    reader = report.device.reader?.name
    outcome = report.device.outcome.rawValue
    words = TerminalText.clean(report.device.words, limit: 1_000)
    offers = report.offered
    choice = report.choice.map { choice in
      let rate = choice.rate.map { " at \(Int($0.perSecond.rounded())) a second" } ?? ""
      return "\(choice.size.title) \(choice.format.name)\(rate)"
    }
  }

  /// The device as `scangate devices` shows all of them, with what it offers.
  var lines: [String] {
    let facts = [
      vendor.map { "vendor: \"\($0)\"" }, product.map { "product: \"\($0)\"" }, serial.map { "serial: \($0)" },
      port.map { "port: \"\($0)\"" }, vendor == nil ? name.map { "name: \"\($0)\"" } : nil,
    ]
    var lines = ["  \(node)  \(name ?? "without a name")"]
    lines.append("      { \(facts.compactMap(\.self).joined(separator: ", ")) }")
    if let link { lines.append("      \(link)") }
    lines.append("      offers \(offers)")
    if let choice { lines.append("      would be read at \(choice)") }
    lines.append("      \(outcome): \(words)")
    if let block {
      lines.append("      as a reader, under readers: in the configuration")
      lines += block.split(separator: "\n").map { "      \($0)" }
    }
    return lines
  }
}
