internal import ArgumentParser
internal import DecodeClient
internal import DecodeProtocol
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// `scangate eventschedule branding`
struct BrandingCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "branding", abstract: "Show how a connected server wants to look, and save its pictures.",
    discussion: """
      What it tells is kept for 24 h. Pictures are fetched without the key, from the server itself or from a public address, looked \
      at in a process of its own that can do nothing else, and written anew as PNG.
      """)

  @Argument(help: "The server's name; not needed where there is one alone.")
  var name: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Ask the server, whatever is kept.")
  var refresh = false

  @Option(
    help: ArgumentHelp("Write the logo to this new file.", valueName: "file.png"),
    completion: .file(extensions: ["png"]))
  var logo: String?

  @Option(
    help: ArgumentHelp("Write the name's picture to this new file.", valueName: "file.png"),
    completion: .file(extensions: ["png"]))
  var wordmark: String?

  @OptionGroup var arguments: InstanceArguments

  func run(in program: any CommandHost) async throws {
    var instance = try arguments.find(name, program)
    let client = InstanceClient(instance)
    let branding = try await branding(&instance, client, program)
    if json {
      program.out((branding ?? .usual).json)
    } else {
      if branding == nil {
        program.tell("\(instance.url.hostAndPort) does not tell how it wants to look: the usual look.")
      }
      for line in ConnectText.lines(branding ?? .usual) { program.out(line) }
    }
    for (path, address, what) in [(logo, branding?.logo, "logo"), (wordmark, branding?.wordmark, "wordmark")] {
      guard let path else { continue }
      try await save(address ?? .absent, what, to: path, instance, client, program)
    }
  }

  /// What the server tells, or has told in the last 24 h.
  private func branding(
    _ instance: inout ConnectedInstance, _ client: InstanceClient, _ program: any CommandHost
  ) async throws -> Branding? {
    let now = SystemTime().wall()
    if !refresh, let kept = instance.branding, !kept.isOld(at: now) { return kept.value }
    do throws(TransportFault) {
      if refresh || instance.discovery.isOld(at: now) {
        // Where the key goes was decided when it was connected, and stays so.
        let found = try await client.discovery(deadline: InstanceArguments.deadline)
        instance.discovery = .init(found.discovery, at: now)
      }
      let told = try await client.branding(
        instance.discovery.value?.branding ?? .absent, api: instance.api, deadline: InstanceArguments.deadline)
      instance.branding = told.map { .init($0, at: now) }
    } catch {
      guard !refresh, let kept = instance.branding else { throw program.failure(error.detail, Status.unavailable) }
      program.tell("\(error.detail) This is of \(kept.at.iso8601Seconds).")
      return kept.value
    }
    try arguments.keep(instance, program)
    return instance.branding?.value
  }

  private func save(
    _ address: Discovery.Address, _ what: String, to path: String, _ instance: ConnectedInstance,
    _ client: InstanceClient, _ program: any CommandHost
  ) async throws {
    let shown = TerminalText.clean(path)
    let file: [UInt8]?
    do throws(TransportFault) {
      file = try await client.picture(address, api: instance.api, deadline: InstanceArguments.deadline)
    } catch {
      throw program.failure("The \(what) cannot be had. \(error.detail)", Status.unavailable)
    }
    guard let file else {
      throw program.failure("\(instance.url.hostAndPort) tells no \(what).", Status.unavailable)
    }
    let png: [UInt8]
    do {
      png = try await Self.png(file)
    } catch {
      throw program.failure("The \(what) cannot be used: \(error)", Status.data)
    }
    do throws(SystemError) {
      try NewFile.write(png, to: path)
    } catch {
      throw program.failure("\(shown) cannot be written: \(error.words).", Status.output)
    }
    program.tell("The \(what) is in \(shown).")
  }

  /// A picture of a stranger, seen by a worker behind a fence, and written anew.
  private static func png(_ file: [UInt8]) async throws -> [UInt8] {
    let session = try DecodeSession(program: DecodeProgram.path, settings: DecodeSettings(mode: .pictures))
    do throws(DecodeFault) {
      let png = try await session.read(file, purpose: .logo).explanation
      await session.stop()
      return png
    } catch {
      await session.stop()
      throw error
    }
  }
}
