import ArgumentParser
import CameraReader
import FoundationEssentials
import Glibc
import KnownScanners
import LinuxIO
import ScanConfiguration
import ScanModel
import SerialReader
import SignalOutputs
import TicketSystemKit
import WedgeReader

/// `scangate devices`: what is plugged in, what would be taken, why not, and what to write down for it.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract:
      "Show what is plugged in: scanners, cameras, GPIO chips, LEDs, buzzers; what this station would take, and why not.",
    discussion: """
      Without a configuration nothing would be taken; what is plugged in is shown all the same, with the configuration to
      paste for each scanner. As root, whether a device may be opened is judged for the service's user.
      """,
    subcommands: [IdentifyCommand.self])

  @OptionGroup var source: ConfigurationArgument

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print a whole configuration for what is plugged in, and nothing else.")
  var example = false

  @Flag(help: "Print what is plugged in and unplugged as it happens, until interrupted.")
  var watch = false

  func validate() throws {
    if example && (json || watch) { throw ValidationError("--example prints a file: leave --json and --watch out.") }
  }

  func run() async throws {
    if watch { return try await DeviceWatching.run(json: json) }
    var configuration: StationConfiguration?
    var isWrong = false
    if !example, source.file != ConfigurationArgument.usual || FileManager.default.fileExists(atPath: source.file) {
      // What is plugged in is needed most where the configuration is not finished yet.
      do {
        configuration = try ConfigurationArgument.load(source.file, checkingFiles: false)
      } catch {
        isWrong = true
      }
    }
    let inputs = try listInputDevices(configuration?.wedges ?? [], as: Self.serviceUser)
    let serials = try listSerialDevices(configuration?.serials ?? [], as: Self.serviceUser)
    let cameras = try listCameras(configuration?.cameras ?? [], as: Self.serviceUser)
    let search = try ScannerSearch(
      inputs: inputs, serials: serials, readers: configuration?.readers.map(\.id.name) ?? [])
    let outputs = listOutputs()
    let model = Board.model()
    let free = model.flatMap { Board.named($0) }?.freeLines(of: outputs.chips) ?? []
    if example {
      Terminal.write(ExampleConfiguration(search, outputs, board: free).yaml)
      return
    }
    let names = (configuration?.readers.map(\.id.name) ?? []) + search.proposals.map(\.reader)
    let found = DeviceListing(
      inputs: inputs, serials: serials, cameras: ListedDevice.cameras(cameras, readers: names), search: search,
      outputs: outputs, board: model.map { ($0, free) })
    if json {
      try Terminal.out(json: found)
    } else {
      found.lines.forEach(Terminal.out)
    }
    if isWrong { throw Exit.configuration }
  }

  /// The user that the service runs as, where root asks: root itself may open everything, which would hide a missing rule.
  static var serviceUser: UserAccount? { geteuid() == 0 ? UserAccount(named: "scangate") : nil }
}

extension ExampleConfiguration {
  /// What is plugged in, as a file. A line is proposed for a relay only where its name says so, or where the board is known to
  /// have nothing else for it: the other lines may drive anything.
  init(_ search: ScannerSearch, _ outputs: OutputInventory, board: [Board.Line]) {
    var lines: [Line] = []
    for chip in outputs.chips {
      for line in chip.lines where !line.isUsed && line.name.lowercased().contains("relay") {
        lines.append(Line(chip: chip.label, line: line.name))
      }
    }
    lines += board.map { Line(chip: $0.chip, line: $0.line) }.filter { !lines.contains($0) }
    if lines.isEmpty, let chip = outputs.chips.first {
      lines = search.proposals.map { _ in Line(chip: chip.label, line: "NAME") }
    }
    self.init(
      readers: search.proposals, ticketSystem: TicketSystemRegistry.types.first?.example ?? [], lines: lines,
      leds: outputs.leds.filter { $0.trigger == nil }.map(\.name))
  }
}
