import ArgumentParser
import FoundationEssentials
import Gateway
import Glibc
import LinuxIO
import ScanModel
import Sealing

/// `scangate credential`: the keys of ticket systems, kept sealed.
struct CredentialCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential", abstract: "Keep the keys of ticket systems, sealed.",
    subcommands: [Set.self, List.self, Remove.self])

  /// `scangate credential set`
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Put a credential in: asked for without showing it, or read from a pipe or a file.",
      discussion: """
        White space around it, visible or not, is no part of it; a key is printable ASCII without blanks, in one line. The \
        secret is never an argument: those are seen by every user of the machine and remembered by the shell. The configuration \
        names it by apiKey. A running service takes a new one by: systemctl reload scangate
        """)

    @Argument(help: "Its name, as the configuration names it.")
    var name: String

    @Option(help: ArgumentHelp("Read it from this file.", valueName: "path"), completion: .file())
    var file: String?

    // Taken so that it is not shown: the parser repeats what it does not expect.
    @Argument(help: .hidden) var rest: [String] = []

    @OptionGroup var state: StateArgument

    func run() throws {
      guard rest.isEmpty else {
        throw ValidationError(
          "the secret is asked for, and never an argument: this one is in your shell's memory now, withdraw it")
      }
      // Before anybody pastes anything.
      try checkName(name)
      let secret = try HiddenInput.secret(
        file, asking: "Paste \(name) and press Enter (it is not shown): ", otherwise: "Nothing was changed.")
      state.prepare()
      let store = CredentialStore(keys: state.keys)
      let key = try store.set(name, secret)
      for notice in key.notices { Terminal.error(TerminalText.clean(notice, limit: 1_000)) }
      Terminal.out("The credential \(name) is kept in \(TerminalText.clean(store.path(of: name))), sealed.")
      Terminal.out(TerminalText.clean(key.place.words, limit: 1_000))
      if (try? store.isGiven(name)) == true {
        Terminal.error(
          "But systemd gives a credential \(name) too, and the service goes on using that one. Take it out of the unit to have "
            + "this one used: systemctl edit scangate")
      }
      if let hint = state.hint { Terminal.error(hint) }
    }
  }

  /// `scangate credential list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show which credentials there are, since when and from where; never what they are."
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var state: StateArgument

    func run() throws {
      let store = CredentialStore(keys: state.keys)
      var key: StationKey?
      var problem: String?
      do throws(SealFault) {
        key = try store.keys.open(making: false)
      } catch {
        if error.kind != .absent { problem = error.description }
      }
      let entries = try store.entries(openingWith: key?.key)
      if json {
        let listing = Listing(entries, state: state.folder, key: key?.place, problem: problem)
        try Terminal.out(json: listing)
      } else {
        if entries.isEmpty { Terminal.out("There is no credential in \(TerminalText.clean(state.folder)).") }
        let width = entries.map(\.name.utf8.count).max() ?? 0
        for entry in entries {
          let name = entry.name + String(repeating: " ", count: width - entry.name.utf8.count)
          Terminal.out("\(name)  \(entry.words)")
        }
        if let key { Terminal.out(TerminalText.clean(key.place.words, limit: 1_000)) }
        if let hint = state.hint { Terminal.error(hint) }
      }
      if let problem { throw failure(problem) }
      if entries.contains(where: { $0.opens == false }) {
        throw failure("What does not open is of no use: set it again with scangate credential set NAME.")
      }
    }
  }

  /// `scangate credential remove`
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Forget a credential.",
      discussion: """
        Its bytes are overwritten and deleted; a card or flash disk may keep the old ones, sealed. Where it may have become \
        known, withdraw it at the ticket system.
        """)

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var state: StateArgument

    func run() throws {
      try checkName(name)
      let store = CredentialStore(keys: state.keys)
      guard try store.remove(name) else {
        throw failure(
          "There is no credential \(name) in \(state.folder). What systemd gives is taken away in the unit: systemctl edit "
            + "scangate")
      }
      Terminal.out("The credential \(name) is gone. A card or flash disk may keep its sealed bytes for a while.")
      if (try? store.isGiven(name)) == true {
        Terminal.error("But systemd gives a credential \(name), and the service uses that one: systemctl edit scangate")
      }
    }
  }
}

/// Refuses what cannot be a name before anything else happens.
private func checkName(_ name: String) throws {
  guard !CredentialStore.isName(name) else { return }
  // It is not shown: it may be the secret.
  throw ValidationError(
    "a credential's name has 1 to 32 letters, digits, - and _ (from 20 on with - or _ in it), and is not "
      + "\(SealKeySource.credential); the secret itself is asked for, and never an argument")
}

extension CredentialStore.Entry {
  /// When it was set, in UTC.
  fileprivate var time: String? { self.set.map { WallTime(seconds: $0).iso8601 } }

  fileprivate var words: String {
    switch place {
    case .systemd: "given by systemd"
    case .sealed:
      "sealed, set \(time ?? "")" + (opens == false ? ", does not open with the station's key" : "")
        + (isUsed ? "" : ", not used: systemd gives one of this name")
    }
  }
}

/// What `credential list --json` prints.
private struct Listing: Encodable {
  struct Entry: Encodable {
    var name: String
    var from: String
    var set: String?
    var opens: Bool?
    var used: Bool
  }

  var state: String
  /// `credential` or `file`; absent where there is no key.
  var key: String?
  var problem: String?
  var credentials: [Entry]

  init(_ entries: [CredentialStore.Entry], state: String, key: StationKey.Place?, problem: String?) {
    self.state = state
    self.problem = problem
    switch key {
    case .credential: self.key = "credential"
    case .file: self.key = "file"
    case nil: self.key = nil
    }
    credentials = entries.map {
      Entry(name: $0.name, from: $0.place.rawValue, set: $0.time, opens: $0.opens, used: $0.isUsed)
    }
  }
}
