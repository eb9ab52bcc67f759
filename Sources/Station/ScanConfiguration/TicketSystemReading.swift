internal import ScanModel
internal import TicketSystemKit

/// `ticketSystems`: finds the ticket system by `type` and lets it read the rest.
enum TicketSystemReading {
  static let typeKey = "type"
  private static let recordOffset = SchemaKey.key(
    "recordOffset", .offset(upTo: .seconds(86_400), example: "-3 s"), default: .zero,
    "How far the clock by which the ticket system dates its records is ahead of the one that its answers show (`Date`); negative "
      + "where it is behind. It is learnt without this; see [once.md](once.md#whose-clock).")

  /// A ticket system's section with the key that finds it.
  static func schema(of system: TicketSystemType) -> SectionSchema {
    let type = KeyDescription(
      name: typeKey, summary: "`\(system.name)`", example: system.name, isRequired: true, defaultText: nil,
      doc: "The ticket system's kind.", sections: [])
    let own = system.systemSchema
    return SectionSchema(
      own.path,
      keys: [type] + own.keys + ScopeSection(system.scopes).keys + [
        TicketListSection(system.listAge).key, recordOffset.description,
      ],
      refused: own.refused)
  }

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> TicketSystemConfiguration? {
    let known = findings.options.ticketSystems
    let types = known.map(\.name)
    let example = findings.options.exampleType
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
    guard let system = known.first(where: { $0.name == type }) else {
      let guess = suggestion(for: type, among: types).map { "did you mean \"\($0)\"?" }
      entry.value.refuse(type, guess ?? "known are \(types.joined(separator: ", "))", findings)
      return nil
    }
    findings.systemTypes[name] = system
    return read(system, name, node, findings)
  }

  private static func read(
    _ type: TicketSystemType, _ name: String, _ node: SourceNode, _ findings: Findings
  ) -> TicketSystemConfiguration? {
    guard let reader = SectionReader(node, schema(of: type), findings) else { return nil }
    let scope = ScopeSection(type.scopes).read(reader)
    let list = TicketListSection(type.listAge).read(reader)
    let offset = reader.read(recordOffset)
    guard let settings = type.readSystem(reader), let scope, let list, let offset else { return nil }
    var board = list
    board.freshFor = type.freshFor(of: settings)
    return TicketSystemConfiguration(
      id: TicketSystemID(name), type: type, scope: scope, list: board, recordOffset: offset, settings: settings)
  }

  static func readGate(_ type: TicketSystemType, _ node: SourceNode, _ findings: Findings) -> (any Sendable)? {
    SectionReader(node, type.gateSchema, findings).flatMap { type.readGate($0) }
  }
}
