internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Where a command of the desk works, and how it prints.
struct DeskArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The ticket system, as the configuration names it.", valueName: "name"))
  var system: String?

  @Option(help: ArgumentHelp("Another server, which no file names; with --key.", valueName: "address"))
  var server: String?

  @Option(help: ArgumentHelp("The credential that holds its key; with --server.", valueName: "credential"))
  var key: String?

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The configuration.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var configuration: String?

  @Option(help: ArgumentHelp("The state folder.", valueName: "folder"), completion: .directory)
  var state: String?

  @Option(
    help: ArgumentHelp("Whose clocks times are of, typed and shown; without it the event's own.", valueName: "zone"))
  var zone: String?

  @Flag(help: "Print JSON, a line an object.")
  var json = false

  func validate() throws {
    guard (server == nil) == (key == nil) else { throw ValidationError("--server and --key come together.") }
    guard server == nil || system == nil else { throw ValidationError("--system and --server are two servers.") }
    if let zone, ZoneRules.named(zone) == nil {
      throw ValidationError("--zone is none that this system knows: write a name such as Europe/Berlin.")
    }
  }

  /// Runs a command with its server, and tells what goes wrong.
  func run(_ command: some DeskCommand, in program: any CommandHost) async throws {
    let time = SystemTime()
    let (transport, key, rate) = try connect(program, time)
    let client = DeskClient(
      transport: transport, key: key, budget: rate.budget(for: .list), time: time,
      tell: { program.tell(TerminalText.clean($0, limit: 1_000)) })
    let desk = Desk(
      client: client, program: program, zone: zone.flatMap { ZoneRules.named($0) }, isJSON: json, time: time,
      clocks: DeskClocks(zone.flatMap { ZoneRules.named($0) }))
    do {
      try await command.run(at: desk)
      await transport.close()
    } catch {
      await transport.close()
      guard let fault = error as? DeskFault else { throw error }
      guard case .noWay(let words) = fault else { throw desk.failure(fault.words, fault.exit) }
      let address = server == nil ? "url in the configuration" : "--server"
      throw desk.failure(
        "\(words) It cannot do that, or is not the server that was meant: check \(address).", fault.exit)
    }
  }

  private func connect(
    _ program: any CommandHost, _ time: any TimeSource
  ) throws -> (HTTPTransport, Secret, EventScheduleSection.Rate) {
    if let server, let key {
      let (transport, secret) = try program.typedServer(server, credential: key, state: state, time: time)
      return (transport, secret, EventScheduleSection.usualRate)
    }
    let hosted = try program.ticketSystem(
      system, of: EventScheduleSection.type, configuration: configuration, state: state)
    guard let settings = hosted.settings as? EventScheduleSection.System else {
      throw SetupError("Ticket system \(hosted.id): its server is not known.")
    }
    let (transport, key) = try settings.transport(of: hosted.id, time) { $0.words.whenLost = DeskCalls.whenLost }
    return (transport, try key.secret(of: hosted.id, hosted.credentials), settings.rate)
  }
}

/// What a command of the desk works with.
struct Desk {
  let client: DeskClient
  let program: any CommandHost
  /// Whose clocks times are of; `nil` for each event's own.
  let zone: ZoneRules?
  let isJSON: Bool
  let time: any TimeSource
  let clocks: DeskClocks

  // MARK: Telling

  /// Words for people beside what was asked for.
  func tell(_ words: String) {
    program.tell(TerminalText.clean(StaffText.hidden(words, client.secrets), limit: 2_000))
  }

  /// A line of what was asked for; clean.
  func out(_ line: String) { program.out(StaffText.hidden(line, client.secrets)) }

  /// Returns where somebody types yes, see `CommandHost`.
  func confirm(_ question: String, to words: String, otherwise refusal: String) throws {
    try program.confirm(question, to: words, otherwise: refusal)
  }

  /// What was done: the object in JSON, or words.
  /// - Parameter id: what it was done to, where the server tells no object.
  func done(_ document: JSONValue, _ words: String, id: String? = nil) {
    guard isJSON else { return out(TerminalText.clean(words, limit: 2_000)) }
    let told =
      DeskClient.single(document) ?? id.map { document.with("id", .string($0)) }
      ?? (document == .null ? .object([:]) : document)
    out(told.shown(hiding: client.secrets))
  }

  /// One thing.
  /// - Parameter zone: whose clocks its times are of where it does not tell; JSON has it as it was told.
  func print<Record: DeskRecord>(
    _ value: JSONValue, as kind: Record.Type, zone: String? = nil
  ) throws(DeskFault) {
    let value = zone.flatMap { isJSON ? nil : value.with("timezone", .string($0)) } ?? value
    guard let record = Record(value, hiding: client.secrets) else {
      throw .unavailable("\(client.host) told something without an id.")
    }
    if isJSON { return out(record.told.shown(hiding: client.secrets)) }
    let fields = record.fields(clocks).map { (name: $0.name, text: TerminalText.clean($0.text, limit: 1_000)) }
    for line in DeskTable.lines(fields) { out(line) }
  }

  /// A whole list, page by page.
  /// - Parameter isWanted: what of it is printed.
  func printList<Record: DeskRecord>(
    _ path: String, _ query: [(name: String, value: String)] = [], as kind: Record.Type,
    where isWanted: (Record) -> Bool = { _ in true }
  ) async throws(DeskFault) {
    var table = DeskTable(heads: Record.heads)
    var (read, unread) = (0, 0)
    let end = try await client.list(path, query) { elements in
      let records = elements.compactMap { Record($0, hiding: client.secrets) }
      read += records.count
      unread += elements.count - records.count
      let wanted = records.filter(isWanted)
      if isJSON {
        for record in wanted { out(record.told.shown(hiding: client.secrets)) }
      } else {
        for line in table.lines(wanted.map { $0.cells(clocks) }) { out(line) }
      }
      return true
    }
    guard read > 0 || unread == 0 else {
      throw .unavailable(
        "\(client.host) answered GET /api\(path) with something of which nothing could be read: none of \(unread) has an id."
      )
    }
    if unread > 0 { tell("\(unread) could not be read: they have no id.") }
    switch end {
    case .repeated: tell("\(client.host) told a page a second time: the list ends here.")
    case .tooMany:
      throw .unavailable("\(client.host) has more than \(PageWalk.most) pages: the rest was not asked for.")
    case .whole, nil: break
    }
  }

  // MARK: Changing

  /// Looks at something before it is changed: who gets no further is told that nothing was.
  func before<Value>(
    _ look: (DeskClient) async throws(DeskFault) -> Value
  ) async throws(DeskFault) -> Value {
    do throws(DeskFault) {
      return try await look(client)
    } catch {
      guard case .unavailable(let words) = error else { throw error }
      throw .unavailable("\(words) Nothing was changed.")
    }
  }

  /// Has something changed.
  /// - Parameters:
  ///   - id: the sale that it is done to.
  ///   - look: a command that shows whether it was done, where the answer is lost or does not say.
  func change(
    _ ways: [DeskWay], of id: String = "", look: String
  ) async throws -> (document: JSONValue, way: DeskWay) {
    do throws(DeskFault) {
      let (document, way) = try await client.change(ways)
      if let doubt = way.word?.doubt(document, about: id) {
        throw .unclear("\(client.host) answered \(way.words), \(doubt). It may have done it.")
      }
      return (document, way)
    } catch {
      guard case .unclear(let words) = error else { throw error }
      throw DeskFault.unclear("\(words) It was not sent again. See whether it was done: scangate eventschedule \(look)")
    }
  }

  /// A failing end.
  func failure(_ words: String, _ status: Int32) -> any Error {
    program.failure(StaffText.hidden(words, client.secrets), status)
  }
}
