internal import ArgumentParser
internal import Calls
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Where a command of the office works, and how it prints.
struct OfficeArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The ticket system, as the configuration names it.", valueName: "name"))
  var system: String?

  @Option(
    help: ArgumentHelp(
      "Another server, which no file names; with --token. The API is below it: /api/v1, or /api/sandbox for test accounts.",
      valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("The credential that holds its access token; with --server.", valueName: "credential"))
  var token: String?

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The configuration.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var configuration: String?

  @Option(help: ArgumentHelp("The state folder.", valueName: "folder"), completion: .directory)
  var state: String?

  @Flag(help: "Print JSON, a line an object.")
  var json = false

  func validate() throws {
    guard (server == nil) == (token == nil) else { throw ValidationError("--server and --token come together.") }
    guard server == nil || system == nil else { throw ValidationError("--system and --server are two servers.") }
  }

  /// Runs a command with its server, and tells what goes wrong.
  func run(_ command: some OfficeCommand, in program: any CommandHost) async throws {
    let time = SystemTime()
    let (transport, token) = try connect(program, time)
    let metered = MeteredClient(
      transport: transport, key: token, budget: RateBudget(limit: SubscriptionsClient.rate, model: .window),
      policy: SubscriptionsClient.policy, time: time)
    let office = Office(
      calls: DeskCalls(
        metered, OfficeManner(takesUser: type(of: command).takesUser), time: time,
        tell: { program.tell(TerminalText.clean($0, limit: 1_000)) }),
      program: program, isJSON: json)
    do {
      try await command.run(at: office)
      await transport.close()
    } catch {
      await transport.close()
      guard let fault = error as? DeskFault else { throw error }
      throw office.failure(fault)
    }
  }

  private func connect(_ program: any CommandHost, _ time: any TimeSource) throws -> (HTTPTransport, Secret) {
    if let server, let token {
      return try program.typedServer(
        server, credential: token, state: state, role: SubscriptionsSection.role, time: time)
    }
    let hosted = try program.ticketSystem(
      system, of: SubscriptionsSection.type, configuration: configuration, state: state)
    guard let settings = hosted.settings as? SubscriptionsSection.System else {
      throw SetupError("Ticket system \(hosted.id): its server is not known.")
    }
    let token = try TicketSystemKey.credential(settings.accessToken).secret(of: hosted.id, hosted.credentials)
    return (try settings.transport(of: hosted.id, time) { $0.words.whenLost = DeskCalls.whenLost }, token)
  }
}

/// A command of the office that asks the service.
protocol OfficeCommand: AsyncParsableCommand, TicketSystemCommand {
  /// Where it works, and how it prints.
  var office: OfficeArguments { get }

  /// Whether it has the option `--user`.
  static var takesUser: Bool { get }

  /// Does what was asked for.
  func run(at office: Office) async throws
}

extension OfficeCommand {
  static var takesUser: Bool { false }

  func run(in program: any CommandHost) async throws { try await office.run(self, in: program) }
}
