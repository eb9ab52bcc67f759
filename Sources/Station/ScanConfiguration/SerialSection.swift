import Reading
import ScanModel
internal import TicketSystemKit

/// `readers.<name>` of the type `serial`: a scanner on a serial line.
enum SerialSection {
  /// What ends a code, by its word.
  enum Terminator: String, Sendable, CaseIterable {
    case cr, lf, tab, etx

    /// The byte.
    var byte: UInt8 {
      switch self {
      case .cr: 0x0D
      case .lf: 0x0A
      case .tab: 0x09
      case .etx: 0x03
      }
    }
  }

  private static let speeds = SerialSettings.speeds
  private static let match = SchemaKey.required(
    "match",
    .section(
      MatchSection.serial, example: "{ vendor: \"0c2e\", product: \"0901\" }",
      read: { MatchSection.read($0, of: .serial) }),
    "Which line is this reader: all fields that are given must fit.")
  private static let speed = SchemaKey.key(
    "speed",
    ValueKind<Int>(
      summary: speeds.map { "`\($0)`" }.joined(separator: ", "), example: "9600", show: { String($0) }
    ) { node, findings in
      guard let text = node.text(like: "9600", findings) else { return nil }
      if let speed = speeds.first(where: { String($0) == text }) { return speed }
      node.refuse(text, "write one of the speeds \(speeds.map(String.init).joined(separator: ", "))", findings)
      return nil
    }, default: 9600, "Bits a second, as the scanner is programmed; USB scanners do not mind.")
  private static let framing = SchemaKey.key(
    "framing", .choice(SerialSettings.Framing.self), default: .bits8N1,
    "Data bits, parity (`N`one, `E`ven, `O`dd) and stop bits, as the scanner is programmed.")
  private static let flow = SchemaKey.key(
    "flow", .choice(SerialSettings.Flow.self), default: .none, "Flow control, for scanners that insist on it.")
  private static let terminators = SchemaKey.key(
    "terminators", .list(of: .choice(Terminator.self), count: 0...4, noun: "terminators"),
    default: [.cr, .lf],
    "The bytes that end a code; CR and LF together end one as well as either alone. `[]` where only silence does.")

  static let schema = ReaderSection.schema(
    of: .serial, match: match.description,
    keys: [speed.description, framing.description, flow.description, terminators.description],
    refused: ["keymap", "compose", "oemPage"].reduce(into: ["baud": "it is called speed"]) {
      $0[$1] = "only a wedge has it; a serial scanner sends characters, not keys"
    })

  /// Reads what only a serial line has; what is around its codes is read by `ReaderSection`.
  static func read(_ reader: SectionReader, _ id: ReaderID) -> ReaderConfiguration? {
    guard let (match, speed, framing, flow, terminators) = reader.readAll(match, speed, framing, flow, terminators)
    else { return nil }
    return .serial(
      SerialConfiguration(
        id: id, place: match, settings: SerialSettings(speed: speed, framing: framing, flow: flow),
        framing: SerialFraming(terminators: Set(terminators.map(\.byte)))))
  }
}
