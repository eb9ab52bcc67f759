internal import ArgumentParser
internal import CodeSigning
internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit

/// `scangate membership pass`: passes, and the key that signs them. For the office's machine: a station never has the key.
struct PassCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pass", abstract: "Make the key that signs passes, make passes, and revoke them.",
    discussion: """
      First, once: keygen pass.key, and its line into the keys of each station. Then a pass for each member:

        scangate membership pass issue 1000000619244062 --key pass.key --picture member.png --qr

      Not on a station: whoever opens its case could make passes.
      """,
    subcommands: [Keygen.self, Issue.self, Revoke.self])

  /// What the three have in common.
  struct Place: ParsableArguments {
    @Option(
      help: ArgumentHelp("The state folder in which no station may work.", valueName: "folder"), completion: .directory)
    var state: String?

    /// Makes sure that this is no station.
    func check(_ program: any CommandHost) throws {
      guard let journal = program.journal(state: state) else { return }
      throw program.failure(
        "This is a station (\(TerminalText.clean(journal))): the key that signs passes must not come here. Make passes on "
          + "another machine.", DeskExit.unavailable)
    }
  }

  /// `scangate membership pass keygen`
  struct Keygen: AsyncParsableCommand, TicketSystemCommand {
    static let configuration = CommandConfiguration(
      commandName: "keygen",
      abstract: "Make a pass key in a new file, and print its line for the stations' lists of keys.")

    @Argument(help: "The new file.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("What lists are to call the key.", valueName: "name"))
    var name = "venue"

    @OptionGroup var place: Place

    func validate() throws {
      guard NamedKeys.isName(name.utf8) else { throw ValidationError("a key's name has \(NamedKeys.nameRule)") }
    }

    func run(in program: any CommandHost) async throws {
      try place.check(program)
      let key = try program.key { () throws(PassKey.FileFault) in try .make(in: file) }
      guard let line = key.publicKey?.text else { throw program.failure("No key was made.", DeskExit.unavailable) }
      program.tell(
        "The key is in \(TerminalText.clean(file)): keep it, and a copy of it, and show it nobody. For passes.keys of each station:"
      )
      program.out("key \(name) \(line)")
    }
  }

  /// `scangate membership pass issue`
  struct Issue: AsyncParsableCommand, TicketSystemCommand {
    static let configuration = CommandConfiguration(
      commandName: "issue", abstract: "Make a pass for a subscription: as text and as a QR code.",
      discussion:
        "Days are those of UTC. A pass says who may ask, not who is a member: the service is asked at the gate, each time."
    )

    @Argument(help: "The subscription's id: the original transaction id, 8 to 20 digits.")
    var id: String

    @Option(help: ArgumentHelp("The key that signs it.", valueName: "file"), completion: .file())
    var key: String

    @Option(
      help: ArgumentHelp(
        "From when on it is good: 2026-01-31, or 2026-01-31T18:00:00Z; now without it.", valueName: "time"))
    var from: String?

    @Option(
      help: ArgumentHelp(
        "Until when: to the end of that day, or to that time; 366 days from its beginning without it.",
        valueName: "time"))
    var until: String?

    @Option(
      help: ArgumentHelp("Write the QR code to this new file: .svg, .png or .pgm.", valueName: "file"),
      completion: .file(extensions: ["svg", "png", "pgm"]))
    var picture: String?

    @Flag(help: "Print the QR code as well.")
    var qr = false

    @OptionGroup var place: Place

    func run(in program: any CommandHost) async throws {
      try place.check(program)
      // It is not repeated: it may be something else that was pasted.
      guard let id = SubscriptionID(id) else {
        throw program.failure("An id has 8 to 20 digits, and this is none.", DeskExit.usage)
      }
      func time(_ text: String?, isEnd: Bool, else usual: WallTime) throws -> WallTime {
        guard let text else { return usual }
        guard let time = PassTime.read(text, isEnd: isEnd) else {
          throw program.failure(
            "\(TerminalText.clean(text)) is no time: write 2026-01-31, or 2026-01-31T18:00:00Z.", DeskExit.usage)
        }
        return time
      }
      let now = SystemTime().wall()
      let first = try time(from, isEnd: false, else: now)
      let last = try time(until, isEnd: true, else: first + .seconds(366 * 86_400))
      guard last > now else { throw program.failure("The pass would have ended already.", DeskExit.usage) }
      let signer = try program.key { () throws(PassKey.FileFault) in try .read(key) }
      let serial = SignedPass.newSerial()
      let text: String
      do throws(SignedPass.Fault) {
        text = try SignedPass.text(id, notBefore: first, ends: last, serial: serial, by: signer)
      } catch {
        throw program.failure("No pass was made. \(error.description)", DeskExit.usage)
      }
      if picture != nil { try program.draw(text, picture: picture, isShown: false) }
      program.out(text)
      if qr { try program.draw(text, picture: nil, isShown: true) }
      guard let pass = SignedPass(Code(text)) else { throw program.failure("No pass was made.", DeskExit.unavailable) }
      program.tell(
        "It is for \(id), good from \(pass.notBefore.iso8601Seconds) until \(pass.ends.iso8601Seconds). To revoke it, keep its "
          + "serial number: \(PassSerial.text(serial))")
      program.tell("Who has a picture of it has the pass.")
    }
  }

  /// `scangate membership pass revoke`
  struct Revoke: AsyncParsableCommand, TicketSystemCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Put a pass, or all passes of a subscription, on the list of those that stations take no more.",
      discussion:
        "The list is a file of yours: bring it to each station (passes.revoked), which reads it within seconds.")

    @Argument(help: "The list; made where there is none.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("All passes of this subscription.", valueName: "digits"))
    var id: String?

    @Option(help: ArgumentHelp("The pass of this serial number.", valueName: "hex"))
    var serial: String?

    @Option(help: ArgumentHelp("The pass of this text, as a scanner reads it.", valueName: "pass"))
    var pass: String?

    @OptionGroup var place: Place

    func validate() throws {
      guard [id, serial, pass].compactMap(\.self).count == 1 else {
        throw ValidationError("say which by --id, --serial or --pass: one of them")
      }
    }

    func run(in program: any CommandHost) async throws {
      try place.check(program)
      let shown = TerminalText.clean(file)
      let line = try line(program)
      let former: [UInt8]
      do throws(SystemError) {
        former = access(file, F_OK) == 0 ? try SmallFile.read(file, limit: RevokedPasses.mostBytes + 1) : []
      } catch {
        throw program.failure("\(shown) cannot be read: \(error.words).", DeskExit.data)
      }
      let more = (former.isEmpty || former.last == 0x0A ? [] : [0x0A]) + [UInt8](line.utf8)
      do throws(PassListFault) {
        let list = try RevokedPasses.read(former, file: shown)
        if list.names(allOf: try RevokedPasses.read([UInt8](line.utf8), file: shown)) {
          return program.out("\(shown) names it already.")
        }
        // A station must be able to read what it becomes.
        _ = try RevokedPasses.read(former + more, file: shown)
      } catch {
        throw program.failure("Nothing was revoked: \(error.description)", DeskExit.data)
      }
      try append(more, program)
      program.out("\(shown) names it. Bring the list to each station.")
    }

    private func line(_ program: any CommandHost) throws -> String {
      if let id {
        guard let id = SubscriptionID(id) else {
          throw program.failure("An id has 8 to 20 digits, and this is none.", DeskExit.usage)
        }
        return "id \(id.text)\n"
      }
      if let pass {
        guard let pass = SignedPass(SignedPass.ownForm(of: Code(pass))) else {
          throw program.failure("That is no pass, wholly or partly.", DeskExit.data)
        }
        return "serial \(PassSerial.text(pass.serial))\n"
      }
      guard let serial = PassSerial.bytes([UInt8]((serial ?? "").utf8)) else {
        throw program.failure("A serial number has 16 hexadecimal digits, and this is none.", DeskExit.usage)
      }
      return "serial \(PassSerial.text(serial))\n"
    }

    /// Others read it: there is no secret in it but ids.
    private func append(_ bytes: [UInt8], _ program: any CommandHost) throws {
      do throws(SystemError) {
        let file = try OwnedDescriptor.open(self.file, O_WRONLY | O_APPEND | O_CREAT, mode: 0o644)
        try SmallFile.write(file.number, bytes)
        try SmallFile.sync(file.number)
      } catch {
        throw program.failure("\(TerminalText.clean(self.file)) cannot be written: \(error.words).", DeskExit.output)
      }
    }
  }
}

extension CommandHost {
  /// A pass key, made or read.
  fileprivate func key(_ get: () throws(PassKey.FileFault) -> PassKey) throws -> PassKey {
    do throws(PassKey.FileFault) {
      return try get()
    } catch {
      throw failure(error.description, error.isOutput ? DeskExit.output : DeskExit.data)
    }
  }
}

/// The times of a pass as an office writes them.
enum PassTime {
  /// A day of UTC (its beginning, or its end), or a time with a zone; `nil` for anything else.
  static func read(_ text: String, isEnd: Bool) -> WallTime? {
    if let time = WallTime(iso8601: text) { return time }
    return WallTime(iso8601: text + "T00:00:00Z").map { isEnd ? $0 + .seconds(86_400) : $0 }
  }
}
