internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Where a command of the box office works, as whom, and how it prints.
struct BoxOfficeArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The ticket system, as the configuration names it.", valueName: "name"))
  var system: String?

  @Option(
    help: ArgumentHelp("Another server, which no file names; the API is below it: /api.", valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("Who is signed in, where several are.", valueName: "e-mail"))
  var account: String?

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The configuration.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var configuration: String?

  @Option(help: ArgumentHelp("The state folder.", valueName: "folder"), completion: .directory)
  var state: String?

  @Flag(help: "Print JSON, a line an object.")
  var json = false

  func validate() throws {
    guard server == nil || system == nil else { throw ValidationError("--system and --server are two servers.") }
  }

  /// Runs a command with its server, and tells what goes wrong.
  func run(_ command: some BoxOfficeCommand, in program: any CommandHost) async throws {
    let time = SystemTime()
    let transport = try connect(program, time)
    var office = try BoxOffice(transport, program: program, isJSON: json, time: time)
    do {
      switch type(of: command).session {
      case .none: break
      case .optional: if let session = try self.session(office) { office = try office.signedIn(session) }
      case .needed:
        guard let session = try self.session(office) else {
          throw office.failure(
            "Nobody is signed in at \(office.host)\(account.map { " as \(TerminalText.clean($0))" } ?? ""). Sign in: scangate "
              + "booking sign-in --email EMAIL", DeskExit.usage)
        }
        office = try office.signedIn(session)
      }
      try await command.run(at: office)
      await transport.close()
    } catch {
      await transport.close()
      guard let fault = error as? DeskFault else { throw error }
      throw office.failure(fault)
    }
  }

  /// The sessions at a server.
  func sessions(_ office: BoxOffice) -> BoxSessions {
    BoxSessions(keys: office.program.keys, state: state, server: office.server)
  }

  /// What this station has begun.
  func checkouts(_ office: BoxOffice) -> StartedCheckouts {
    StartedCheckouts(keys: office.program.keys, state: state)
  }

  private func session(_ office: BoxOffice) throws -> BoxSession? {
    let all = try sessions(office).all(at: office.time.wall())
    if let account { return all.first { $0.email.lowercased() == account.lowercased() } }
    guard all.count <= 1 else {
      let names = all.map { TerminalText.clean($0.email) }.joined(separator: ", ")
      throw office.failure("Several are signed in: say who by --account (\(names)).", DeskExit.usage)
    }
    return all.first
  }

  private func connect(_ program: any CommandHost, _ time: any TimeSource) throws -> HTTPTransport {
    if let server {
      var settings = HTTPTransport.Settings()
      settings.words.role = BookingsSection.role
      settings.words.whenLost = DeskCalls.whenLost
      settings.words.addressCure = "Check --server."
      let address: ServerAddress
      do {
        address = try ServerAddress(server)
      } catch {
        throw program.failure("--server: \(error.description)", DeskExit.usage)
      }
      return try HTTPTransport(server: address, settings: settings, time: time)
    }
    let (id, system) = try hosted(program)
    var settings = HTTPTransport.Settings()
    settings.words.role = BookingsSection.role
    settings.words.whenLost = DeskCalls.whenLost
    settings.words.addressCure = "Check url (\(system.urlPosition))."
    if let caFile = system.caFile { settings.trust = .onlyFile(path: caFile.path) }
    do {
      return try HTTPTransport(server: system.url, settings: settings, time: time)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
  }

  private func hosted(_ program: any CommandHost) throws -> (TicketSystemID, BookingsSection.System) {
    let hosted = try program.ticketSystem(
      system, of: BookingsSection.type, configuration: configuration, state: state)
    guard let settings = hosted.settings as? BookingsSection.System else {
      throw SetupError("Ticket system \(hosted.id): its server is not known.")
    }
    return (hosted.id, settings)
  }
}

/// A command of the box office that asks the service.
protocol BoxOfficeCommand: AsyncParsableCommand, TicketSystemCommand {
  /// Where it works, and how it prints.
  var office: BoxOfficeArguments { get }

  /// Whether somebody is to be signed in for it.
  static var session: BoxOfficeSession { get }

  /// Does what was asked for.
  func run(at office: BoxOffice) async throws
}

/// Whether somebody is to be signed in for a command.
enum BoxOfficeSession: Sendable {
  /// Nobody, whoever is.
  case none
  /// Who is signed in, if anybody is.
  case optional
  /// Somebody.
  case needed
}

extension BoxOfficeCommand {
  static var session: BoxOfficeSession { .none }

  func run(in program: any CommandHost) async throws { try await office.run(self, in: program) }
}

/// An account's address as it is typed.
enum AccountAddress {
  /// - Throws: that it is none, before anything is sent.
  static func read(_ text: String) throws -> String {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard (3...254).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), parts.count == 2,
      parts.allSatisfy({ !$0.isEmpty })
    else { throw ValidationError("that is no e-mail address") }
    return text
  }
}

/// What names one show, seat or payment in a call, as it is typed.
enum TypedID {
  /// - Throws: that it is none, before anything is sent: a shell's variable that is not set is an empty one.
  static func read(_ text: String) throws -> String {
    guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      text != ".", text != ".."
    else { throw ValidationError("that is no id: nothing was sent") }
    return text
  }
}
