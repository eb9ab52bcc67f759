import ScanModel

/// `readers.<name>`.
enum ReaderSection {
  private static let type = SchemaKey.required(
    "type", .choice(ReaderConfiguration.Kind.self), "The reader's technology.")
  private static let match = SchemaKey.required(
    "match", .section(MatchSection.schema, example: "{ vendor: \"0c2e\", product: \"0901\" }", read: MatchSection.read),
    "Which devices are this reader: all fields that are given must fit.")
  private static let keymap = SchemaKey.key(
    "keymap", KeymapSection.kind, default: defaultKeymap,
    "The layout that the *scanner* types in, never the host's. Short: `keymap: de` or `keymap: de(nodeadkeys)`.")
  private static let compose = SchemaKey<String>.optional(
    "compose",
    .text(
      "locale", example: "en_US.UTF-8",
      expected: "write a locale with a Compose table, such as en_US.UTF-8; C and POSIX have none", where: isLocale),
    "The locale whose Compose table makes characters of dead keys.")
  private static let oemPage = SchemaKey.key(
    "oemPage",
    ValueKind<Int>(summary: "`437`, `850`", example: "437", show: { String($0) }) { node, findings in
      guard let text = node.text(like: "437 or 850", findings) else { return nil }
      if text == "437" { return 437 }
      if text == "850" { return 850 }
      node.refuse(text, "write 437 or 850", findings)
      return nil
    }, default: 437, "The code page of characters that are typed as Alt and three digits.")
  private static let terminators = SchemaKey.key(
    "terminators",
    .list(of: .choice(ReaderConfiguration.Terminator.self), count: 0...3, noun: "keys"),
    default: [.enter, .keypadEnter, .tab], "The keys that end a code; `[]` where only silence does.")
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

  static let schema = SectionSchema(
    "readers.<name>",
    keys: [
      type.description, match.description, keymap.description, compose.description, oemPage.description,
      terminators.description, silence.description, prefix.description, suffix.description, aim.description,
    ])

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> ReaderConfiguration? {
    guard let reader = SectionReader(node, schema, findings) else { return nil }
    let kind = reader.read(type)
    let match = reader.read(match)
    let keymap = reader.read(keymap)
    let compose = reader.read(compose)
    checkKeymap(keymap, compose, reader)
    let page = reader.read(oemPage)
    let terminators = reader.read(terminators)
    let silence = reader.read(silence)
    let prefix = reader.read(prefix)
    let suffix = reader.read(suffix)
    let aim = reader.read(aim)
    guard let kind, let match, let keymap, let page, let terminators, let silence, let prefix, let suffix, let aim
    else { return nil }
    return ReaderConfiguration(
      id: ReaderID(name), kind: kind, match: match, keymap: keymap, compose: compose, oemPage: page,
      terminators: Set(terminators), silence: silence, prefix: prefix, suffix: suffix, aim: aim)
  }

  private static let defaultKeymap = Keymap(layout: "us", variant: "", options: "")

  /// Asks whether layout and Compose table are there. The layout first, without the table, then the table with a layout
  /// that is known to be good: so it is known which of them is at fault, and both are said at once.
  private static func checkKeymap(_ keymap: Keymap?, _ compose: String?, _ reader: SectionReader) {
    let findings = reader.findings
    func problem(_ keymap: Keymap, _ compose: String?) -> String? {
      findings.options.keymapValidator(keymap.layout, keymap.variant, keymap.options, compose)
    }
    var good = keymap
    if let keymap, let problem = problem(keymap, nil) {
      findings.error(
        at: reader.position(of: "keymap"), "\(quoted(reader.node.path + ".keymap")) cannot be used", problem)
      good = nil
    }
    guard let compose else { return }
    if good == nil && problem(defaultKeymap, nil) != nil { return }
    if let problem = problem(good ?? defaultKeymap, compose) {
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

/// `readers.<name>.match`.
enum MatchSection {
  private static let vendor = SchemaKey<String>.optional(
    "vendor", .hexadecimal(4, example: "\"0c2e\""), "The USB vendor as `lsusb` shows it.")
  private static let product = SchemaKey<String>.optional(
    "product", .hexadecimal(4, example: "\"0901\""), "The USB product as `lsusb` shows it; only with a vendor.")
  private static let serial = SchemaKey<String>.optional(
    "serial", .text(upTo: 126, example: "SN0001"), "The serial number; tells two identical scanners apart.")
  private static let port = SchemaKey<String>.optional(
    "port",
    .text(
      "USB port", example: "\"1-1.2\"", expected: "write a port as the kernel names it, such as \"1-1.2\"",
      where: isPort),
    "The USB port that the scanner is plugged into; tells two apart that have no serial number.")
  private static let name = SchemaKey<String>.optional(
    "name", .text(upTo: 255, example: "\"Honeywell 1470g\""), "The device's name, whole.")
  private static let interface = SchemaKey<String>.optional(
    "interface", .hexadecimal(2, example: "\"00\""),
    "The USB interface, where a scanner has several that type; only with another field.")

  static let schema = SectionSchema(
    "readers.<name>.match",
    keys: [
      vendor.description, product.description, serial.description, port.description, name.description,
      interface.description,
    ])

  static func read(_ reader: SectionReader) -> DeviceMatch? {
    let hadErrors = reader.findings.errors.count
    let match = DeviceMatch(
      vendor: reader.read(vendor)?.lowercased(), product: reader.read(product)?.lowercased(),
      serial: reader.read(serial), port: reader.read(port), name: reader.read(name),
      interface: reader.read(interface)?.lowercased())
    guard reader.findings.errors.count == hadErrors else { return nil }
    let place = reader.node.label
    if match == DeviceMatch() {
      reader.findings.error(
        at: place, "\(quoted(reader.node.path)) fits every device", "name a vendor, serial, port or name")
    } else if match == DeviceMatch(interface: match.interface) {
      reader.findings.error(
        at: place, "an interface alone fits every device, keyboards too", "add a vendor, serial, port or name")
    } else if match.product != nil && match.vendor == nil {
      reader.findings.error(
        at: reader.position(of: "product"), "a product number means nothing without its vendor", "add the vendor")
    } else {
      return match
    }
    return nil
  }

  /// A bus, a hyphen, and ports joined by dots, as the kernel names USB devices.
  private static func isPort(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let ports = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return ports.count <= 7
      && ([parts[0]] + ports).allSatisfy { number in
        (1...3).contains(number.utf8.count) && number.first != "0"
          && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
  }
}

extension DeviceMatch {
  init(interface: String? = nil) {
    self.init(vendor: nil, product: nil, serial: nil, port: nil, name: nil, interface: interface)
  }

  /// Whether every device that `other` fits is fitted by this one too.
  func includes(_ other: Self) -> Bool {
    func fits(_ field: KeyPath<Self, String?>) -> Bool {
      self[keyPath: field] == nil || self[keyPath: field] == other[keyPath: field]
    }
    return fits(\.vendor) && fits(\.product) && fits(\.serial) && fits(\.port) && fits(\.name) && fits(\.interface)
  }
}

extension ValueKind where Value == String {
  /// Hexadecimal digits without `0x`.
  static func hexadecimal(_ count: Int, example: String) -> Self {
    text(
      "\(count) hexadecimal digits", example: example,
      expected: "write \(count) hexadecimal digits without 0x, such as \(example)"
    ) { text in
      text.utf8.count == count && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
  }
}

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

  static let schema = SectionSchema(
    "readers.<name>.keymap", keys: [layout.description, variant.description, options.description])

  static let kind = ValueKind<Keymap>(
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
    return Keymap(layout: String(layout), variant: String(variant.dropLast()), options: "")
  }

  private static func read(_ reader: SectionReader) -> Keymap? {
    let layout = reader.read(layout)
    let variant = reader.read(variant)
    let options = reader.read(options)
    guard let layout, let variant, let options else { return nil }
    return Keymap(layout: layout, variant: variant, options: options)
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
