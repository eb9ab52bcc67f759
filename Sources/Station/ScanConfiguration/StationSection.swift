internal import TicketSystemKit

/// The whole file.
enum StationSection {
  static let supportedVersion = 1

  private static let version = SchemaKey.required(
    "version",
    ValueKind<Int>(summary: "`1`", example: "1", show: { String($0) }) { node, findings in
      guard let text = node.text(like: "1", findings) else { return nil }
      if text == String(supportedVersion) { return supportedVersion }
      node.refuse(text, "this program reads version \(supportedVersion)", findings)
      return nil
    }, "The version of this format.")
  private static let station = SchemaKey.required(
    "station", .section(stationSchema, example: "{ name: north-door }", read: { $0.read(name) }), "This machine.")
  private static let name = SchemaKey.required(
    "name", .name("north-door"), "The station's name, for events and staff.")
  private static let stationSchema = SectionSchema("station", name)

  private static func ticketSystems(_ options: ConfigurationOptions) -> SchemaKey<[TicketSystemConfiguration]> {
    .required(
      "ticketSystems",
      .named(
        "ticket system", sections: [], example: "{ main: { type: \(options.exampleType), … } }",
        read: TicketSystemReading.read),
      "The ticket systems, by name. Gates that share one share its rate budget and its memory of who went in.")
  }
  private static let readers = SchemaKey.required(
    "readers",
    ValueKind<[ReaderConfiguration]>.named(
      "reader", sections: ReaderSection.schemas, example: "{ north-scanner: { type: wedge, … } }",
      read: ReaderSection.read), "The readers, by name. No other device is ever opened.")
  private static let gates = SchemaKey.required(
    "gates",
    ValueKind<[GateConfiguration]>.named(
      "gate", sections: [GateSection.schema], example: "{ north: { readers: [north-scanner], … } }",
      read: GateSection.read), "The gates, by name.")

  private static let journal = SchemaKey.key(
    "journal", .section(JournalSection.schema, example: "{ keepDays: 400 }", read: JournalSection.read),
    default: JournalConfiguration(), "What is kept of the scans, and for how long.")

  private static let setUp = SchemaKey<SetUpConfiguration>.optional(
    SetUpSection.key, .section(SetUpSection.schema, example: "{ window: 10 min }", read: SetUpSection.read),
    "How the station takes the codes that set it up: activation for `control`, enrolment for ticket systems with `enrol`."
  )
  private static let control = SchemaKey<ControlServiceConfiguration>.optional(
    ControlSection.key,
    .section(
      ControlSection.schema, example: "{ type: kiosk, url: https://kiosks.example.org }", read: ControlSection.read),
    "The service that tells the station what it is, once an activation code was held to its scanner.")

  private static let console = SchemaKey<ConsoleConfiguration>.optional(
    ConsoleSection.key,
    .section(ConsoleSection.schema, example: "{ listen: 127.0.0.1:8088 }", read: ConsoleSection.read),
    "How machines see the station: health, metrics, events and orders over HTTP, by `scangate console`.")
  private static let mqtt = SchemaKey<MQTTConfiguration>.optional(
    MQTTSection.key, .section(MQTTSection.schema, example: "{ broker: broker.example.org }", read: MQTTSection.read),
    "How home automation sees the station, by `scangate mqtt`.")

  private static let fleet = SchemaKey<FleetConfiguration>.optional(
    FleetSection.key,
    .section(
      FleetSection.schema, example: "{ name: summer, servers: [\"tls://gate1:4222\"], … }", read: FleetSection.read),
    "The stations that share a book with this one: a ticket that one of them has admitted is used at all. See [fleet.md](fleet.md)."
  )

  static func schema(_ options: ConfigurationOptions) -> SectionSchema {
    SectionSchema(
      "",
      keys: [
        version.description, station.description, ticketSystems(options).description, readers.description,
        gates.description, journal.description, setUp.description, control.description,
        console.description, mqtt.description, fleet.description,
      ])
  }

  /// Reads the whole tree; `nil` only after an error was recorded.
  static func read(_ root: SourceNode, _ findings: Findings) -> StationConfiguration? {
    guard case .mapping = root.content else {
      findings.error(
        at: root.position, "the file is no mapping",
        "begin with \"version: 1\"; docs/configuration.md shows a whole file")
      return nil
    }
    guard let reader = SectionReader(root, schema(findings.options), findings) else { return nil }
    _ = reader.read(version)
    let station = reader.read(station)
    // Ticket systems before gates: they say how a gate's ticket section is read.
    let systems = reader.read(ticketSystems(findings.options))
    let readers = reader.read(readers)
    let gates = reader.read(gates)
    let journal = reader.read(journal)
    let setUp = reader.read(setUp)
    let control = reader.read(control)
    let console = reader.read(console)
    let mqtt = reader.read(mqtt)
    let fleet = reader.read(fleet)
    if let fleet, let station { fleet.check(station: station, findings) }
    CrossChecks(root: root, findings: findings).run(systems: systems ?? [], readers: readers ?? [], gates: gates ?? [])
    let checks = SetUpChecks(root: root, findings: findings)
    checks.run(setUp: setUp, control: control, readers: readers ?? [], gates: gates ?? [])
    guard let station, let systems, let readers, let gates, let journal else { return nil }
    return StationConfiguration(
      file: root.position.file, name: station, ticketSystems: systems, readers: readers, gates: gates,
      journal: journal, setUp: setUp ?? (checks.isWanted ? SetUpConfiguration() : nil), control: control,
      console: console, mqtt: mqtt, fleet: fleet,
      files: findings.files, credentials: findings.credentials)
  }
}
