import ScanModel
internal import TicketSystemKit

/// `readers.<name>.keymap`, short or long.
enum KeymapSection {
  private static let layout = SchemaKey.required(
    "layout", word("de", isEmptyAllowed: false), "The XKB layout.")
  private static let variant = SchemaKey.key(
    "variant", word("nodeadkeys", isEmptyAllowed: true), default: "", "The layout's variant; empty for its own.")
  private static let options = SchemaKey.key(
    "options",
    ValueKind<String>.text(
      "XKB options", example: "\"lv3:ralt_switch\"", expected: "write XKB options separated by commas",
      where: { text in
        text.utf8.count <= 128 && text.utf8.allSatisfy { isLetterOrDigit($0) || "_:,-".utf8.contains($0) }
      }), default: "", "XKB options, separated by commas; hardly ever needed.")

  static let schema = SectionSchema("readers.<name>.keymap", layout, variant, options)

  static let kind = ValueKind<KeymapNames>(
    summary: "layout, `layout(variant)`, or section", example: "de", sections: [schema],
    show: { $0.variant.isEmpty ? $0.layout : "\($0.layout)(\($0.variant))" }
  ) { node, findings in
    guard case .scalar = node.content else {
      return SectionReader(node, schema, findings).flatMap(read)
    }
    guard let text = node.text(like: "de or de(nodeadkeys)", findings) else { return nil }
    let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
    let variant = parts.count == 2 ? parts[1] : ")"
    guard let layout = parts.first, variant.last == ")", isWord(layout), parts.count == 1 || isWord(variant.dropLast())
    else {
      node.refuse(text, "write a layout, such as de, or with its variant: de(nodeadkeys)", findings)
      return nil
    }
    return KeymapNames(layout: String(layout), variant: String(variant.dropLast()))
  }

  private static func read(_ reader: SectionReader) -> KeymapNames? {
    guard let (layout, variant, options) = reader.readAll(layout, variant, options) else { return nil }
    return KeymapNames(layout: layout, variant: variant, options: options)
  }

  private static func word(_ example: String, isEmptyAllowed: Bool) -> ValueKind<String> {
    .text("XKB name", example: example, expected: "write a name of xkb-data, such as \(example)") {
      isWord($0[...]) || (isEmptyAllowed && $0.isEmpty)
    }
  }

  private static func isWord(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isLetterOrDigit($0) || "_-".utf8.contains($0) }
  }
}
