import Reading
import ScanModel
internal import TicketSystemKit

/// `readers.<name>` of the type `wedge`: a scanner that types.
enum WedgeSection {
  private static let match = SchemaKey.required(
    "match",
    .section(
      MatchSection.wedge, example: "{ vendor: \"0c2e\", product: \"0901\" }",
      read: { MatchSection.read($0, of: .wedge) }),
    "Which devices are this reader: all fields that are given must fit.")
  private static let keymap = SchemaKey.key(
    "keymap", KeymapSection.kind, default: KeymapNames(),
    "The layout that the *scanner* types in, never the host's. Short: `keymap: de` or `keymap: de(nodeadkeys)`.")
  private static let compose = SchemaKey<String>.optional(
    "compose",
    .text(
      "locale", example: "en_US.UTF-8",
      expected: "write a locale with a Compose table, such as en_US.UTF-8; C and POSIX have none", where: isLocale),
    "The locale whose Compose table makes characters of dead keys.")
  private static let oemPage = SchemaKey.key(
    "oemPage",
    ValueKind<AltNumpadComposer.Page>(summary: "`437`, `850`", example: "437", show: { String($0.rawValue) }) {
      node, findings in
      guard let text = node.text(like: "437 or 850", findings) else { return nil }
      if text == "437" { return .cp437 }
      if text == "850" { return .cp850 }
      node.refuse(text, "write 437 or 850", findings)
      return nil
    }, default: .cp437, "The code page of characters that are typed as Alt and three digits.")
  private static let terminators = SchemaKey.key(
    "terminators",
    .list(of: .choice(WedgeFraming.Terminator.self), count: 0...3, noun: "keys"),
    default: [.enter, .keypadEnter, .tab], "The keys that end a code; `[]` where only silence does.")

  static let schema = ReaderSection.schema(
    of: .wedge, match: match.description,
    keys: [keymap.description, compose.description, oemPage.description, terminators.description],
    refused: ["speed", "framing", "flow"].reduce(into: [:]) {
      $0[$1] = "only a serial line has it; a wedge types, whatever the line is"
    })

  /// Reads what only a wedge has; what is around its codes is read by `ReaderSection`.
  static func read(_ reader: SectionReader, _ id: ReaderID) -> ReaderConfiguration? {
    let match = reader.read(match)
    let keymap = reader.read(keymap)
    let compose = reader.read(compose)
    checkKeymap(keymap, compose, reader)
    let page = reader.read(oemPage)
    let terminators = reader.read(terminators)
    guard case .match(let match)? = match, var keymap, let page, let terminators else { return nil }
    keymap.composeLocale = compose
    return .wedge(
      WedgeConfiguration(
        id: id, match: match, keymap: keymap, oemPage: page, framing: WedgeFraming(terminators: Set(terminators))))
  }

  /// Asks whether layout and Compose table are there. The layout first, without the table, then the table with a layout
  /// that is known to be good: so it is known which of them is at fault, and both are said at once.
  private static func checkKeymap(_ keymap: KeymapNames?, _ compose: String?, _ reader: SectionReader) {
    let findings = reader.findings
    func problem(_ keymap: KeymapNames, _ compose: String?) -> String? {
      findings.options.keymapValidator(keymap.layout, keymap.variant, keymap.options, compose)
    }
    var good = keymap
    if let keymap, let problem = problem(keymap, nil) {
      findings.error(
        at: reader.position(of: "keymap"), "\(quoted(reader.node.path + ".keymap")) cannot be used", problem)
      good = nil
    }
    guard let compose else { return }
    if good == nil && problem(KeymapNames(), nil) != nil { return }
    if let problem = problem(good ?? KeymapNames(), compose) {
      findings.error(
        at: reader.position(of: "compose"), "\(quoted(reader.node.path + ".compose")) cannot be \(quoted(compose))",
        problem)
    }
  }

  private static func isLocale(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text != "C" && text != "POSIX"
      && text.utf8.allSatisfy { isLetterOrDigit($0) || "_.@-".utf8.contains($0) } && !text.hasPrefix(".")
  }
}
