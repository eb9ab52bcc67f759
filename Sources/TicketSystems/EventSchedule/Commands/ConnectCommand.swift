internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// `scangate eventschedule connect`
struct ConnectCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Connect an event server: see what it is, prove a key, and get the configuration.",
    discussion: """
      The server is asked what it is without a key. The key is asked for without showing it, or read from a pipe, and kept sealed; \
      it goes to the host that was typed, by https, and nowhere else: where the server says that its API is at another host, that \
      one must be named by --api-host.
      """)

  @Argument(help: "The server: https://events.example.org")
  var url: String

  @Option(help: ArgumentHelp("What it is called here; without it a name of its host.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp("Use this credential (scangate credential set) instead of asking.", valueName: "credential"))
  var key: String?

  @Option(help: ArgumentHelp("Another host that the key may go to.", valueName: "host[:port]"))
  var apiHost: String?

  @Option(
    help: ArgumentHelp("Trust these authorities (PEM) instead of the system's.", valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var caFile: String?

  @OptionGroup var arguments: InstanceArguments

  func run(in program: any CommandHost) async throws {
    let typed: ServerAddress
    do {
      typed = try ServerAddress(url)
    } catch {
      // A password may be part of what was typed: it is not repeated.
      throw program.failure("That is no address of a server. \(error.description)", Status.usage)
    }
    let server = typed.withoutAPI ?? typed
    let name = try checkedName(for: server, program)
    let former = try arguments.get(name, program)
    if let former, former.url != server {
      throw program.failure(
        "\(name) is \(former.url) already. Choose another name by --name, or take that one away: scangate eventschedule forget "
          + name, Status.usage)
    }
    guard caFile?.hasPrefix("/") != false else {
      throw program.failure("The configuration names the file, too: write --ca-file from / on.", Status.usage)
    }
    let client = InstanceClient(typed: server, settings: .trusting(caFile))
    let (found, api) = try await discover(server, client, program)

    // Before anybody pastes anything.
    let credential = self.key ?? former?.credential ?? name
    let isOwn = self.key == nil && (former?.ownsCredential ?? true)
    if isOwn, former == nil, try program.keys.hasCredential(credential, state: arguments.state) {
      throw program.failure(
        "There is a credential \(credential) already. Use it by --key \(credential), or choose another name by --name.",
        Status.usage)
    }
    let secret: Secret
    var pasted: String?
    if isOwn {
      let text = try program.keys.pasted(
        asking: "Paste the API key of \(api.hostAndPort) and press Enter (it is not shown): ",
        otherwise: "Nothing was connected.")
      do {
        secret = try Secret(text)
      } catch {
        throw program.failure(error.description, Status.data)
      }
      pasted = text
    } else {
      secret = try arguments.key(credential, program)
    }
    let page = try await arguments.prove(secret, at: api, client, program)
    for line in ConnectText.lines(page) { program.out(line) }

    if let pasted { try program.keys.keep(pasted, as: credential, state: arguments.state) }
    let instance = ConnectedInstance(
      name: name, url: server, api: api, credential: credential, ownsCredential: isOwn, caFile: caFile,
      discovery: .init(found.discovery, at: SystemTime().wall()))
    try arguments.keep(instance, program)
    if let former, former.ownsCredential, former.credential != credential {
      program.tell("The credential \(former.credential) stays: scangate credential remove \(former.credential)")
    }
    program.out("\(name) is connected; its key is the credential \(credential). For the configuration:")
    program.out("")
    for line in instance.configuration { program.out(line) }
  }

  private func checkedName(for server: ServerAddress, _ program: any CommandHost) throws -> String {
    guard let name else { return ConnectedInstance.name(for: server) }
    guard ConnectedInstance.isName(name) else {
      throw program.failure(
        "A server's name has 1 to 32 of a to z, 0 to 9 and -, a letter first, and from 20 on a - in it.", Status.usage)
    }
    return name
  }

  /// Asks the server what it is, shows it, and finds where the key may go.
  private func discover(
    _ server: ServerAddress, _ client: InstanceClient, _ program: any CommandHost
  ) async throws -> (InstanceClient.Found, ServerAddress) {
    let found: InstanceClient.Found
    do throws(TransportFault) {
      found = try await client.discovery(deadline: InstanceArguments.deadline)
    } catch {
      throw program.failure(error.detail, Status.unavailable)
    }
    do throws(SetupError) {
      let api = try APIPlace.find(found.discovery?.api ?? .absent, typed: server, allowed: apiHost)
      for line in ConnectText.lines(found, server, api: api) { program.out(line) }
      return (found, api)
    } catch {
      throw program.failure(error.description, Status.unavailable)
    }
  }
}
