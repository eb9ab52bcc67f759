import ScanModel
internal import TicketSystemKit

/// `readers.<name>` of the type `serial`: a scanner on a serial line.
enum SerialSection {
  private static let speeds = [
    300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600,
  ]

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
    "framing", .choice(SerialLine.Framing.self), default: .bits8N1,
    "Data bits, parity (`N`one, `E`ven, `O`dd) and stop bits, as the scanner is programmed.")
  private static let flow = SchemaKey.key(
    "flow", .choice(SerialLine.Flow.self), default: .none, "Flow control, for scanners that insist on it.")
  private static let terminators = SchemaKey.key(
    "terminators", .list(of: .choice(SerialLine.Terminator.self), count: 0...4, noun: "terminators"),
    default: [.cr, .lf],
    "The bytes that end a code; CR and LF together end one as well as either alone. `[]` where only silence does.")

  static let schema = ReaderSection.schema(
    of: .serial, match: match.description,
    keys: [speed.description, framing.description, flow.description, terminators.description],
    refused: ["keymap", "compose", "oemPage"].reduce(into: ["baud": "it is called speed"]) {
      $0[$1] = "only a wedge has it; a serial scanner sends characters, not keys"
    })

  static func read(_ reader: SectionReader) -> (DeviceMatch, ReaderConfiguration.Technology)? {
    let match = reader.read(match)
    let speed = reader.read(speed)
    let framing = reader.read(framing)
    let flow = reader.read(flow)
    let terminators = reader.read(terminators)
    guard let match, let speed, let framing, let flow, let terminators else { return nil }
    return (match, .serial(SerialLine(speed: speed, framing: framing, flow: flow, terminators: Set(terminators))))
  }
}
