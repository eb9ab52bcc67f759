import ArgumentParser
import Console
import Glibc
import ScanConfiguration
import ScanModel

/// `scangate console device`: the door screens that show one gate without anybody signing in.
struct ConsoleDeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Say which door screens show a gate.",
    discussion: "A screen of this machine needs none of it. What is changed holds at once.",
    subcommands: [Add.self, List.self, Revoke.self])

  /// `scangate console device add`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Print the code by which a door screen is set up, once, within a day.",
      discussion: "The screen is then known for a year, and shows its gate's door page alone.")

    @Argument(help: "The screen's name: at most 32 small letters, digits, dots, - and _, no mark first.")
    var name: String

    @Option(help: "The gate that it shows.")
    var gate: String

    @OptionGroup var place: ConsolePlace

    func validate() throws { try AccessArgument.check(name) }

    func run() throws {
      let file = try place.configuration()
      guard let configuration = file.console else {
        throw failure("The file has no section console.", Exit.configuration)
      }
      guard file.gates.contains(where: { $0.id.name == gate }) else {
        let names = file.gates.map(\.id.name).joined(separator: ", ")
        throw failure("There is no such gate; this station has \(names).", Exit.data)
      }
      let (device, code) = PageDevice.new(name, gate: gate, at: SystemTime().wall())
      try place.accessFiles.changeDevices("add \(name) --gate '\(gate)'") { devices in
        guard devices[name] == nil else {
          throw failure(
            "There is a screen \(name) already. To set it up anew: sudo scangate console device revoke \(name)",
            Exit.data)
        }
        guard devices.add(device) else {
          throw failure("There are \(PageDevices.most) screens, and no more may be.", Exit.data)
        }
      }
      let address = configuration.pageAddress("/device", machine: place.machine)
      // An address that holds the code is for nobody's history: what is behind the # stays in the browser.
      let whole = "\(address)#\(code.text)"
      if Terminal.isPage { try CodePicture(whole).show() }
      Terminal.out("Open \(address) on the screen \(name), and type: \(code.text)")
      Terminal.out("Or open it with the code: \(whole)")
      Terminal.out("The code is taken once, until \(device.codeEnds.iso8601Seconds).")
    }
  }

  /// `scangate console device list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show the door screens, and the gate of each.")

    @OptionGroup var access: AccessArgument

    func run() throws {
      let devices = try access.devices()
      if devices.devices.isEmpty { Terminal.error("There is none: scangate console device add NAME --gate GATE") }
      let width = devices.devices.map(\.name.utf8.count).max() ?? 0
      for device in devices.devices {
        let name = device.name + String(repeating: " ", count: width - device.name.utf8.count + 2)
        Terminal.out(name + TerminalText.clean(device.gate))
      }
    }
  }

  /// `scangate console device revoke`
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Let a door screen show nothing any more.")

    @Argument(help: "The screen.")
    var name: String

    @OptionGroup var access: AccessArgument

    func validate() throws { try AccessArgument.check(name) }

    func run() throws {
      try access.changeDevices("revoke \(name)") { devices in
        guard devices.remove(name) else {
          throw failure("There is no screen \(name). Which there are: sudo scangate console device list", Exit.data)
        }
      }
      Terminal.out("The screen \(name) shows nothing any more.")
    }
  }
}

extension ConsoleConfiguration {
  /// The address of a page, by a name that others reach this machine by.
  fileprivate func pageAddress(_ path: String, machine: String?) -> String {
    let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
    let own = isEverywhere ? machine.map { $0.contains(".") ? $0 : "\($0).local" } ?? "localhost" : listen.host
    let address = ListenAddress(host: hosts.first ?? own, port: listen.port)
    return "\(isSecure ? "https" : "http")://\(address)\(path)"
  }
}
