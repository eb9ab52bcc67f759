import Reading
import ScanModel
internal import TicketSystemKit

/// `readers.<name>`: finds the technology by `type`, lets it read what is its own, and reads what all have.
enum ReaderSection {
  private static let typeKey = "type"
  private static let silence = SchemaKey.key(
    "silence", .duration(.milliseconds(20) ... .seconds(2), example: "100 ms"), default: .milliseconds(100),
    "Awaited after attach before anything counts; ends a code only where `terminators` is `[]`, because a pause would cut it."
  )
  private static let prefix = SchemaKey.key(
    "prefix", .text(upTo: 64, from: 0, example: "\"\\x02\""), default: "",
    "What the scanner sends before each code. Escapes such as `\\t` and `\\x02` in double quotes.")
  private static let suffix = SchemaKey.key(
    "suffix", .text(upTo: 64, from: 0, example: "\"\\x03\""), default: "",
    "What the scanner sends after each code, before the terminator.")
  private static let aim = SchemaKey.key(
    "aim", .boolean, default: true, "Splits an AIM identifier such as `]Q1` off the code.")

  static let schemas = [WedgeSection.schema, SerialSection.schema, CameraSection.schema]

  /// A technology's section with what all have around it, and what all have that send characters.
  static func schema(
    of kind: ReaderConfiguration.Kind, match: KeyDescription, keys: [KeyDescription], hasFraming: Bool = true,
    refused: [String: String]
  ) -> SectionSchema {
    let type = KeyDescription(
      name: typeKey, summary: "`\(kind.rawValue)`", example: kind.rawValue, isRequired: true, defaultText: nil,
      doc: "The reader's technology.", sections: [])
    let framing = [silence.description, prefix.description, suffix.description, aim.description]
    return SectionSchema(
      "readers.<name>, type \(kind.rawValue)", keys: [type, match] + keys + (hasFraming ? framing : []),
      refused: refused)
  }

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> ReaderConfiguration? {
    guard let kind = kind(node, findings) else { return nil }
    let schema: SectionSchema
    let readOwn: (SectionReader, ReaderID) -> ReaderConfiguration?
    switch kind {
    case .wedge: (schema, readOwn) = (WedgeSection.schema, WedgeSection.read)
    case .serial: (schema, readOwn) = (SerialSection.schema, SerialSection.read)
    case .camera: (schema, readOwn) = (CameraSection.schema, CameraSection.read)
    }
    guard let reader = SectionReader(node, schema, findings) else { return nil }
    let own = readOwn(reader, ReaderID(name))
    let silence = reader.read(silence)
    let prefix = reader.read(prefix)
    let suffix = reader.read(suffix)
    let aim = reader.read(aim)
    if let own { checkFraming(["prefix": prefix, "suffix": suffix], own, reader) }
    guard let own, let silence, let prefix, let suffix, let aim else { return nil }
    // A scanner that sends a terminator is only believed with it: a pause in the middle would cut its code in two.
    func framing<End>(_ framing: Framing<End>) -> Framing<End> {
      Framing(
        terminators: framing.terminators, silence: framing.terminators.isEmpty ? silence : nil, quiet: silence,
        prefix: prefix, suffix: suffix, splitAIM: aim)
    }
    switch own {
    case .wedge(var wedge):
      wedge.framing = framing(wedge.framing)
      return .wedge(wedge)
    case .serial(var serial):
      serial.framing = framing(serial.framing)
      return .serial(serial)
    case .camera: return own
    }
  }

  private static func kind(_ node: SourceNode, _ findings: Findings) -> ReaderConfiguration.Kind? {
    let example = ReaderConfiguration.Kind.wedge.rawValue
    guard case .mapping(let entries) = node.content else {
      let what = node.isAbsentValue ? "has no value" : "is no mapping"
      findings.error(
        at: node.position, "\(quoted(node.path)) \(what)", "write keys below it, first type: \(example)")
      return nil
    }
    guard let entry = entries.first(where: { $0.key == typeKey }) else {
      findings.error(
        at: node.label, "the key \"type\" is missing in \(quoted(node.path))",
        "add type: \(ReaderConfiguration.Kind.allCases.map(\.rawValue).joined(separator: " or type: "))")
      return nil
    }
    return ValueKind<ReaderConfiguration.Kind>.choice(ReaderConfiguration.Kind.self).parse(entry.value, findings)
  }

  /// A byte that ends a code cannot stand around one: no code would ever be read.
  private static func checkFraming(
    _ texts: [String: String?], _ own: ReaderConfiguration, _ reader: SectionReader
  ) {
    guard case .serial(let serial) = own else { return }
    let terminators = SerialSection.Terminator.allCases.filter { serial.framing.terminators.contains($0.byte) }
    for (key, text) in texts {
      guard let end = terminators.first(where: { (text ?? "").utf8.contains($0.byte) }) else { continue }
      reader.findings.error(
        at: reader.position(of: key), "\(quoted("\(reader.node.path).\(key)")) holds the terminator \(end.rawValue)",
        "remove it there, or from the terminators")
    }
  }
}
