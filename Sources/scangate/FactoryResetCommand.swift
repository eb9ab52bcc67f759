import ScanModel
import ArgumentParser
import Glibc
import LinuxIO
import Sealing

/// `scangate factory-reset`: so that another venue can have the machine.
struct FactoryResetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "factory-reset",
    abstract: "Wipe what this station knows: keys, what services have given it, its journal and its lists of tickets.",
    discussion: """
      The service must not run. The key goes first: nothing that it sealed opens again, wherever a copy of it is. The \
      configuration, key files that it names, and what systemd gives stay; see docs/security.md.
      """)

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var state: StateArgument

  func run() throws {
    let reset = FactoryReset(state: state.folder)
    let folder = TerminalText.clean(state.folder)
    guard let preview = try reset.preview(), !preview.wiped.isEmpty else {
      return Terminal.out("There is nothing to wipe in \(folder).")
    }
    if !yes { try Self.ask(preview, folder) }
    let result = try reset.run()
    for name in result.wiped { Terminal.out("wiped \(TerminalText.clean(name))") }
    for name in result.left { Terminal.out("left  \(TerminalText.clean(name))") }
    let rest =
      result.left.isEmpty ? "" : ", but for what is listed as left: look whether it has anything of the venue in it"
    Terminal.out(
      "\(folder) is wiped\(rest). A card or flash disk may keep old bytes for a while, and with them a key that lay in a "
        + "file: where that matters, withdraw the API keys at the ticket system.")
    Terminal.out(
      "Not wiped: the configuration and key files in /etc/scangate, and a systemd credential "
        + "(\(SealKeySource.credential)), if there is one: remove it where the unit names it.")
    if let hint = state.hint { Terminal.error(hint) }
  }

  /// Asks at the terminal; ends the program where the answer is anything but yes.
  private static func ask(_ preview: FactoryReset.Result, _ folder: String) throws {
    for name in preview.wiped where isatty(STDIN_FILENO) != 0 { Terminal.error("  \(TerminalText.clean(name))") }
    try Terminal.confirm(
      "Wipe these files in \(folder), and with them every key and every scan?", to: "wipe \(folder)",
      otherwise: "Nothing was wiped.")
  }
}
