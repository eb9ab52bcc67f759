import ScanModel

/// What an adapter of a ticket system declares of the configuration: the section of the system, and the part that each
/// of its gates may have. It is found by its `type`.
public protocol TicketSystemSection: Sendable {
  /// What the system's section reads.
  associatedtype System: Sendable
  /// What a gate's `ticket` section reads.
  associatedtype Gate: Sendable

  /// The word after `type:`.
  static var type: String { get }
  /// The keys of `ticketSystems.<name>` besides `type`.
  static var systemSchema: SectionSchema { get }
  /// The keys of `gates.<name>.ticket`.
  static var gateSchema: SectionSchema { get }
  /// What its codes look like, in its own form: what a gate takes that says nothing of it.
  static var accept: AcceptRule { get }
  /// Reads the system's section; `nil` only after an error was recorded.
  static func readSystem(_ reader: SectionReader) -> System?
  /// Reads a gate's section; `nil` only after an error was recorded.
  static func readGate(_ reader: SectionReader) -> Gate?
}

extension TicketSystemSection {
  /// Nothing is known of its codes.
  public static var accept: AcceptRule { AcceptRule() }
}

/// `ticketSystems`: finds the adapter by `type` and lets it read the rest.
enum TicketSystemReading {
  static let typeKey = "type"
  private static let recordOffset = SchemaKey.key(
    "recordOffset", .offset(upTo: .seconds(86_400), example: "-3 s"), default: .zero,
    "How far the clock by which the ticket system dates its records is ahead of the one that its answers show (`Date`); negative "
      + "where it is behind. It is learnt without this; see [once.md](once.md#whose-clock).")

  /// An adapter's section with the key that finds it.
  static func schema(of adapter: any TicketSystemSection.Type) -> SectionSchema {
    let type = KeyDescription(
      name: typeKey, summary: "`\(adapter.type)`", example: adapter.type, isRequired: true, defaultText: nil,
      doc: "The ticket system's kind.", sections: [])
    let own = adapter.systemSchema
    return SectionSchema(
      own.path, keys: [type] + own.keys + ScopeSection.keys + [TicketListSection.key, recordOffset.description],
      refused: own.refused)
  }

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> TicketSystemConfiguration? {
    let adapters = findings.options.ticketSystems
    let types = adapters.map { $0.type }
    let example = types.first ?? "eventschedule"
    guard case .mapping(let entries) = node.content else {
      findings.error(
        at: node.position, "\(quoted(node.path)) is no mapping", "write keys below it, first type: \(example)")
      return nil
    }
    guard let entry = entries.first(where: { $0.key == typeKey }) else {
      findings.error(
        at: node.label, "the key \"type\" is missing in \(quoted(node.path))", "add type: \(example)")
      return nil
    }
    guard let type = entry.value.text(like: example, findings) else { return nil }
    guard let adapter = adapters.first(where: { $0.type == type }) else {
      let guess = suggestion(for: type, among: types).map { "did you mean \"\($0)\"?" }
      entry.value.refuse(type, guess ?? "known are \(types.joined(separator: ", "))", findings)
      return nil
    }
    findings.systemTypes[name] = adapter
    return read(adapter, name, node, findings)
  }

  private static func read<Adapter: TicketSystemSection>(
    _ adapter: Adapter.Type, _ name: String, _ node: SourceNode, _ findings: Findings
  ) -> TicketSystemConfiguration? {
    guard let reader = SectionReader(node, schema(of: adapter), findings) else { return nil }
    let scope = ScopeSection.read(reader)
    let list = TicketListSection.read(reader)
    let offset = reader.read(recordOffset)
    guard let settings = adapter.readSystem(reader), let scope, let list, let offset else { return nil }
    return TicketSystemConfiguration(
      id: TicketSystemID(name), type: adapter.type, scope: scope, list: list, recordOffset: offset, settings: settings)
  }

  static func readGate<Adapter: TicketSystemSection>(
    _ adapter: Adapter.Type, _ node: SourceNode, _ findings: Findings
  ) -> (any Sendable)? {
    SectionReader(node, adapter.gateSchema, findings).flatMap { adapter.readGate($0) }
  }
}
