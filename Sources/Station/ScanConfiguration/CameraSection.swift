import Reading
import ScanModel
internal import TicketSystemKit

/// `readers.<name>` of the type `camera`: a camera that codes are shown to.
enum CameraSection {
  private static let match = SchemaKey.required(
    "match",
    .section(
      MatchSection.camera, example: "{ vendor: \"046d\", product: \"0825\" }",
      read: { MatchSection.read($0, of: .camera) }),
    "Which camera is this reader: all fields that are given must fit.")
  private static let kinds = SchemaKey.key(
    "kinds", .list(of: .choice(Symbology.self), count: 1...Symbology.allCases.count, noun: "kinds"), default: [.qr],
    "The kinds of codes that are read. Each costs time, and bars are now and then misread: name what you use.")
  private static let size = SchemaKey<VideoSize>.optional(
    "size",
    ValueKind<VideoSize>(
      summary: "width `x` height in pixels", example: "1280x720", show: { $0.title }
    ) { node, findings in
      guard let text = node.text(like: "1280x720", findings) else { return nil }
      let parts = text.split(separator: "x", omittingEmptySubsequences: false)
      let numbers = parts.compactMap { part in
        (2...4).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
      }
      guard parts.count == 2, numbers.count == 2, (160...4096).contains(numbers[0]), (120...4096).contains(numbers[1])
      else {
        node.refuse(text, "write width x height, such as 1280x720, from 160x120 to 4096x4096", findings)
        return nil
      }
      return VideoSize(width: numbers[0], height: numbers[1])
    }, "The size of the pictures, one that the camera has; about 1280x720 if left out.")
  private static let rate = SchemaKey<Int>.optional(
    "rate", .integer(1...120, "pictures a second", example: "30"),
    "How many pictures a second are wanted at least; 10 if left out, and more where they cost nothing.")
  private static let format = SchemaKey<PixelFormat>.optional(
    "format", .choice(of: [.grey, .nv12, .yu12, .yuyv, .mjpg]) { $0.name },
    "How the camera sends its pictures; the one that is cheapest to read if left out.")
  private static let exposure = SchemaKey<Duration>.optional(
    "exposure", .duration(.milliseconds(1) ... .milliseconds(500), example: "5 ms"),
    "A fixed exposure, for phones and hands that move; left to the camera if left out.")
  private static let focus = SchemaKey<CameraControls.Focus>.optional(
    "focus",
    ValueKind<CameraControls.Focus>(
      summary: "`auto`, or 0 to 1023 in the camera's own units", example: "auto",
      show: { if case .fixed(let value) = $0 { "\(value)" } else { "auto" } }
    ) { node, findings in
      guard let text = node.text(like: "auto", findings) else { return nil }
      if text == "auto" { return .auto }
      let isDecimal = (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      if isDecimal, let value = Int32(text), value <= 1023 { return .fixed(value) }
      node.refuse(text, "write auto, or 0 to 1023", findings)
      return nil
    }, "A fixed focus for a stand; left as it is found if left out.")
  private static let powerLine = SchemaKey<CameraControls.PowerLine>.optional(
    "powerLine", .choice(CameraControls.PowerLine.self),
    "The frequency of the mains in Hz, with which lamps flicker; left as it is found if left out.")
  private static let several = SchemaKey.key(
    "several", .choice(ViewPresence.Several.self), default: .nearest,
    "Of several codes at once, `nearest` reads the one nearest to the centre, `refuse` none: one at a time.")
  private static let leaves = SchemaKey.key(
    "leaves", .duration(.milliseconds(200) ... .seconds(10), example: "1 s"), default: .seconds(1),
    "How long a code must be out of view before it counts as shown anew.")
  private static let idleRate = SchemaKey.key(
    "idleRate", .integer(1...120, "pictures a second", example: "10"), default: 10,
    "How many pictures a second are looked at when nothing has moved for 5 s.")

  static let schema = ReaderSection.schema(
    of: .camera, match: match.description,
    keys: [
      kinds.description, size.description, rate.description, format.description, exposure.description,
      focus.description, powerLine.description, several.description, leaves.description, idleRate.description,
    ], hasFraming: false,
    refused: ["keymap", "compose", "oemPage", "terminators", "silence", "prefix", "suffix", "aim"].reduce(
      into: ["resolution": "it is called size", "fps": "it is called rate", "framerate": "it is called rate"]
    ) { $0[$1] = "a camera sends no characters; its codes are read whole" })

  static func read(_ reader: SectionReader, _ id: ReaderID) -> ReaderConfiguration? {
    let match = reader.read(match)
    let kinds = reader.read(kinds)
    let hadErrors = reader.findings.errors.count
    let wish = StreamWish(size: reader.read(size), rate: reader.read(rate), format: reader.read(format))
    let controls = CameraControls(
      exposure: reader.read(exposure).map { Int32(clamping: $0.saturatedNanoseconds / 100_000) },
      focus: reader.read(focus), powerLine: reader.read(powerLine))
    let several = reader.read(several)
    let leaves = reader.read(leaves)
    let idleRate = reader.read(idleRate)
    guard let match, let kinds, let several, let leaves, let idleRate, reader.findings.errors.count == hadErrors
    else { return nil }
    return .camera(
      CameraConfiguration(
        id: id, place: match, kinds: SymbologySet(kinds), wish: wish, controls: controls,
        presence: ViewPresence.Settings(leaves: leaves, several: several), idleRate: idleRate))
  }
}
