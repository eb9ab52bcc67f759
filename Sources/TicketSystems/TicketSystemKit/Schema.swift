/// How the text of a value becomes a value, and how the documentation speaks of it.
package struct ValueKind<Value: Sendable>: Sendable {
  /// The documentation's words: `duration, 20 ms to 10 s`.
  package let summary: String
  /// A value as somebody would write it.
  package let example: String
  /// Reads a value; `nil` after an error was recorded.
  package let parse: @Sendable (SourceNode, Findings) -> Value?
  /// A value as somebody would write it.
  let show: @Sendable (Value) -> String
  /// The section that this value is, with the sections in it.
  package let sections: [SectionSchema]

  package init(
    summary: String, example: String, sections: [SectionSchema] = [],
    show: @escaping @Sendable (Value) -> String = { _ in "see below" },
    parse: @escaping @Sendable (SourceNode, Findings) -> Value?
  ) {
    self.summary = summary
    self.example = example
    self.sections = sections
    self.show = show
    self.parse = parse
  }
}

/// A key, declared once: the parser, its suggestions and the documentation all read it here.
package struct SchemaKey<Value: Sendable>: Sendable {
  /// The name in the file.
  package let name: String
  let kind: ValueKind<Value>
  let fallback: Value?
  let isRequired: Bool
  let doc: String

  /// A key that must be there.
  package static func required(_ name: String, _ kind: ValueKind<Value>, _ doc: String) -> Self {
    Self(name: name, kind: kind, fallback: nil, isRequired: true, doc: doc)
  }

  /// A key that may be absent, and then means nothing.
  package static func optional(_ name: String, _ kind: ValueKind<Value>, _ doc: String) -> Self {
    Self(name: name, kind: kind, fallback: nil, isRequired: false, doc: doc)
  }

  /// A key that may be absent, and then has a value all the same.
  package static func key(_ name: String, _ kind: ValueKind<Value>, default fallback: Value, _ doc: String) -> Self {
    Self(name: name, kind: kind, fallback: fallback, isRequired: false, doc: doc)
  }

  /// What the documentation says of the key.
  package var description: KeyDescription {
    KeyDescription(
      name: name, summary: kind.summary, example: kind.example, isRequired: isRequired,
      defaultText: fallback.map(kind.show), doc: doc, sections: kind.sections)
  }
}

/// A key without its type, as the documentation and the suggestions see it.
package struct KeyDescription: Sendable {
  /// The name in the file.
  package let name: String
  /// What its values are.
  package let summary: String
  /// A value as somebody would write it.
  package let example: String
  /// Whether it must be there.
  package let isRequired: Bool
  /// The value that it has when it is absent; `nil` where it has none.
  package let defaultText: String?
  /// What it means.
  package let doc: String
  /// The sections below it.
  package let sections: [SectionSchema]

  package init(
    name: String, summary: String, example: String, isRequired: Bool, defaultText: String?, doc: String,
    sections: [SectionSchema]
  ) {
    self.name = name
    self.summary = summary
    self.example = example
    self.isRequired = isRequired
    self.defaultText = defaultText
    self.doc = doc
    self.sections = sections
  }
}

/// A section of the file: a mapping with known keys.
package struct SectionSchema: Sendable {
  /// How the documentation calls it: `gates.<name>.accept`.
  package let path: String
  /// The keys in the order of the documentation.
  package let keys: [KeyDescription]
  /// Keys that people try and that are refused, each with what would be right.
  package let refused: [String: String]

  package init(_ path: String, keys: [KeyDescription], refused: [String: String] = [:]) {
    self.path = path
    self.keys = keys
    self.refused = refused
  }

  /// A section of these keys.
  package init<each Value: Sendable>(
    _ path: String, _ key: repeat SchemaKey<each Value>, refused: [String: String] = [:]
  ) {
    var keys: [KeyDescription] = []
    repeat keys.append((each key).description)
    self.init(path, keys: keys, refused: refused)
  }
}

/// Reads the keys of one section that is present in the file.
package struct SectionReader {
  /// The section in the file.
  package let node: SourceNode
  /// Where errors go.
  package let findings: Findings
  /// Keys that an unknown key was probably meant to be.
  package let guesses: Set<String>
  private let entries: [String: SourceEntry]

  /// Checks that `node` is a mapping with only known keys and all required ones; `nil` when it is no mapping.
  package init?(_ node: SourceNode, _ schema: SectionSchema, _ findings: Findings) {
    guard case .mapping(let entries) = node.content else {
      let keys = schema.keys.map(\.name).joined(separator: ", ")
      let what = node.isAbsentValue ? "has no value" : "is no mapping"
      findings.error(at: node.position, "\(quoted(node.path)) \(what)", "write keys below it: \(keys)")
      return nil
    }
    self.node = node
    self.findings = findings
    let present = Dictionary(entries.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    self.entries = present
    let place = node.path.isEmpty ? "the file" : quoted(node.path)
    let names = schema.keys.map(\.name)
    var guesses: Set<String> = []
    for entry in entries where !names.contains(entry.key) {
      let problem = "unknown key \(quoted(entry.key)) in \(place)"
      if let remedy = schema.refused[entry.key] {
        findings.error(at: entry.position, "the key \(quoted(entry.key)) is not taken here", remedy)
      } else if entry.key == "<<" {
        findings.error(at: entry.position, "merge keys (<<) are not known here", "write the keys out")
      } else if let guess = suggestion(for: entry.key, among: names.filter { present[$0] == nil }) {
        guesses.insert(guess)
        findings.error(at: entry.position, problem, "did you mean \"\(guess)\"?")
      } else {
        findings.error(at: entry.position, problem, "known are \(names.joined(separator: ", "))")
      }
    }
    self.guesses = guesses
    for key in schema.keys where key.isRequired && present[key.name] == nil && !guesses.contains(key.name) {
      findings.error(
        at: node.label, "the key \"\(key.name)\" is missing in \(place)", "add \(key.name): \(key.example)")
    }
  }

  /// The key's value; its default where it is absent; `nil` where it has none or an error was recorded.
  package func read<Value>(_ key: SchemaKey<Value>) -> Value? {
    guard let entry = entries[key.name] else { return key.fallback }
    return key.kind.parse(entry.value, findings)
  }

  /// What all of these keys say; `nil` where one cannot be read, after the errors of all were recorded.
  package func readAll<each Value: Sendable>(_ key: repeat SchemaKey<each Value>) -> (repeat each Value)? {
    let values = (repeat read(each key))
    func present<One>(_ value: One?) throws(CancellationError) -> One {
      guard let value else { throw CancellationError() }
      return value
    }
    return try? (repeat present(each values))
  }

  /// Where the key's value stands; the section's own place when the key is absent.
  package func position(of name: String) -> SourcePosition { entries[name]?.value.position ?? node.label }

  /// Where the key stands; `nil` when it is absent.
  package func keyPosition(of name: String) -> SourcePosition? { entries[name]?.position }

  /// The key's value as it is written; `nil` when it is absent.
  package func entry(_ name: String) -> SourceEntry? { entries[name] }
}

extension SectionSchema {
  /// The section's keys as a Markdown table: key, value, default, meaning.
  package var markdownTable: String {
    var lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key in keys {
      let fallback: String
      if key.isRequired {
        fallback = "required"
      } else if let text = key.defaultText {
        fallback = key.sections.isEmpty || text != "see below" ? "`\(text)`" : "see below"
      } else {
        fallback = "none"
      }
      let cells = ["`\(key.name)`", key.summary, fallback, key.doc].map {
        $0.split(separator: "|").joined(separator: "\\|")
      }
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }
}
