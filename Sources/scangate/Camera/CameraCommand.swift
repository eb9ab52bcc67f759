import ArgumentParser
import CameraReader
import FoundationEssentials
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
    let configuration = CameraCommand.configuration(source.file)
    let cameras = try listCameras(configuration?.cameras ?? [], as: DevicesCommand.serviceUser)
    let names = configuration?.readers.map(\.id.name) ?? []
    let listings = ListedDevice.cameras(cameras, readers: names)
    if json { return try Terminal.out(json: listings) }
    if listings.isEmpty { Terminal.out("No camera is plugged in.") }
    for line in listings.flatMap(\.lines) { Terminal.out(line) }
  }
}
