import ArgumentParser
import FleetBook
import FleetSetUp
import Glibc
import JetStreamClaims
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import TicketSystemKit

/// `scangate fleet join`
struct FleetJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Make this station one of its fleet, by the code that scangate fleet invite has made.",
    discussion: """
      Asks for the code, which may be pasted or typed by a scanner, and for the word that was told with it. Keeps the credential sealed, \
      puts the servers' authority in its place, and the section fleet into the configuration where there is none. Nothing is changed \
      unless the configuration holds with it. The service takes it by: systemctl restart scangate
      """)

  @Option(help: ArgumentHelp("Read the code from this file.", valueName: "path"), completion: .file())
  var file: String?

  @Option(help: ArgumentHelp("Where the servers' authority is put.", valueName: "path"), completion: .file())
  var ca = FleetJoinCommand.usualAuthority

  @OptionGroup var configuration: ConfigurationArgument

  @OptionGroup var state: StateArgument

  private static let usualAuthority = "/etc/scangate/fleet-ca.pem"
  private static let credential = "fleet"

  func run() throws {
    let before = try ConfigurationArgument.load(configuration.file, checkingFiles: false, warns: false)
    let invitation = try invited()
    let shown = TerminalText.clean(configuration.file)
    guard before.name == invitation.station.description else {
      throw failure(
        "The code is for the station \(invitation.station), and station.name in \(shown) is \(TerminalText.clean(before.name)).",
        Exit.data)
    }
    let section = invitation.section.replacing(Self.usualAuthority, with: ca)
    let written = before.fleet == nil ? try candidate(section) : nil
    let name = before.fleet?.credential.name ?? Self.credential
    let authority = before.fleet?.ca.path ?? ca
    try put([UInt8](invitation.authority.utf8), in: authority, mode: 0o644)
    state.prepare()
    do {
      let store = CredentialStore(keys: state.keys)
      let key = try store.set(name, PastedSecret([UInt8](invitation.credential.toBeSealed.utf8)))
      for notice in key.notices { Terminal.error(TerminalText.clean(notice, limit: 1_000)) }
      Terminal.out("The credential \(name) is kept in \(TerminalText.clean(store.path(of: name))), sealed.")
    } catch { throw failure("The credential \(name) is not kept. \(error)", Exit.output) }
    Terminal.out("The servers' authority is in \(TerminalText.clean(authority)).")
    if let written {
      try put(written, in: configuration.file, mode: nil)
      Terminal.out(
        "\(shown) has the section fleet, by which nobody passes while the fleet cannot be asked (alone: refuse).")
    } else if !invitation.says(before.fleet) {
      Terminal.out("\(shown) has a section fleet that says otherwise. It is yours: exchange it for this one.\n")
      Terminal.out(section)
    } else {
      Terminal.out("The section fleet in \(shown) says the same already.")
    }
    Terminal.out("Now, where nobody passes just then: systemctl restart scangate")
  }

  // MARK: The code

  private func invited() throws -> FleetInvitation {
    let limit = FleetInvitation.longest + 1_024
    let nothing = "Nothing was changed."
    var code = try HiddenInput.given(
      file, asking: "Hold the code to the scanner, or paste it, and press Enter (it is not shown): ", upTo: limit,
      otherwise: nothing)
    let word: String
    if file == nil, isatty(STDIN_FILENO) == 0 {
      // From a pipe, the code's line and the word's.
      let lines = code.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
      guard lines.count == 2 else {
        throw failure("A pipe has two lines: the code, and the word that was told with it.", Exit.data)
      }
      (code, word) = (Array(lines[0]), String(decoding: lines[1], as: UTF8.self))
    } else {
      word = try HiddenInput.password(
        asking: "The word that was told with it (it is not shown): ", otherwise: nothing)
    }
    do throws(FleetInvitation.Fault) {
      return try FleetInvitation(String(decoding: code, as: UTF8.self), by: word, at: SystemTime().wall())
    } catch {
      switch error {
      case .damaged:
        throw failure("This is no code of scangate fleet invite, or it was read with damage: give it again.", Exit.data)
      case .word:
        throw failure("The word is another one than was told with the code, or the code was changed.", Exit.data)
      case .expired(let until):
        throw failure(
          "The code was good until \(until.iso8601Seconds), and this machine's clock says that it is over: have a new one made.",
          Exit.data)
      case .memory: throw failure("The code is not opened: there is no memory.")
      }
    }
  }

  // MARK: Files

  /// The configuration with the section behind it, which holds but for what is put in its place next.
  private func candidate(_ section: String) throws -> [UInt8] {
    var bytes: [UInt8]
    do throws(SystemError) { bytes = try SmallFile.read(configuration.file, limit: 1_048_576) } catch {
      throw failure("\(TerminalText.clean(configuration.file)) cannot be read: \(error.words).", Exit.data)
    }
    if bytes.last != 0x0A { bytes.append(0x0A) }
    bytes += [UInt8](("\n" + section).utf8)
    do throws(ConfigurationErrors) {
      _ = try ConfigurationFile.parse(
        bytes: bytes, file: configuration.file, options: ConfigurationArgument.options)
    } catch {
      for error in error.errors { Terminal.error(error.description, .error) }
      throw failure("With the section fleet the configuration would not hold. Nothing was changed.", Exit.configuration)
    }
    return bytes
  }

  /// Replaces a file, which keeps its owner and who may read it.
  private func put(_ bytes: [UInt8], in path: String, mode: mode_t?) throws {
    do throws(SystemError) {
      var status = stat()
      let isThere = stat(path, &status) == 0
      var new = try FileReplacement(of: path)
      try SmallFile.write(new.file.number, bytes)
      if isThere {
        // Whoever is not root keeps what is theirs.
        _ = fchown(new.file.number, status.st_uid, status.st_gid)
      }
      guard fchmod(new.file.number, mode ?? (isThere ? status.st_mode & 0o777 : 0o644)) == 0 else {
        throw SystemError(errno: errno, call: "chmod")
      }
      try new.finish()
    } catch { throw failure("\(TerminalText.clean(path)) is not written: \(error.words).", Exit.output) }
  }
}

extension FleetInvitation {
  /// Whether a configuration says the same of the fleet.
  fileprivate func says(_ fleet: FleetConfiguration?) -> Bool {
    fleet?.name == event && fleet?.servers == servers && fleet?.stations == stations
      && fleet?.administrators == administrators
  }
}
