import ArgumentParser
import LinuxIO
import ScanConfiguration
import ScanModel
import Reading
import TicketSystemKit
import WedgeReader

/// What every command that takes the configuration says in the same way.
struct ConfigurationArgument: ParsableArguments {
  static let usual = "/etc/scangate/scangate.yaml"

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The configuration.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var file = ConfigurationArgument.usual

  /// Reads a configuration and looks at the files that it names; prints everything that is wrong or doubtful.
  /// - Parameter warns: whether what is doubtful is printed.
  /// - Throws: `Exit.configuration` after printing the errors.
  static func load(_ file: String, checkingFiles: Bool = true, warns: Bool = true) throws -> StationConfiguration {
    let reading = read(file, checkingFiles: checkingFiles)
    for warning in warns ? reading.warnings : [] { Terminal.error("warning: \(warning)", .warning) }
    for error in reading.errors { Terminal.error(error, .error) }
    guard let configuration = reading.configuration else { throw Exit.configuration }
    return configuration
  }

  /// Reads a configuration and looks at the files that it names.
  static func read(_ file: String, checkingFiles: Bool = true) -> ConfigurationReading {
    do throws(ConfigurationErrors) {
      let reading = try ConfigurationFile.load(path: file, options: options)
      let files = checkingFiles ? reading.configuration.checkFiles() : nil
      let errors = (files?.errors ?? []).map(\.description)
      return ConfigurationReading(
        configuration: errors.isEmpty ? reading.configuration : nil,
        warnings: (reading.warnings + (files?.warnings ?? [])).map(\.description), errors: errors)
    } catch {
      return ConfigurationReading(warnings: error.warnings.map(\.description), errors: error.errors.map(\.description))
    }
  }

  static let options = ConfigurationOptions(
    ticketSystems: TicketSystemRegistry.types,
    // Compiled, as the service will: whatever this machine's XKB data do not know is found here, with its place.
    keymapValidator: { layout, variant, options, compose in
      let names = KeymapNames(layout: layout, variant: variant, options: options, composeLocale: compose)
      let trial = WedgeConfiguration(
        id: ReaderID("here"), match: DeviceMatch(name: "any"), keymap: names)
      return WedgeConfiguration.problems(in: [trial]).first.map { "\($0.what). \($0.remedy)" }
    })
}
