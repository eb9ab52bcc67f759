extension SourceNode {
  /// The text that stands here; `nil` after an error was recorded.
  package func text(like example: String, _ findings: Findings) -> String? {
    switch content {
    case .scalar(let text, _):
      if !isAbsentValue { return text }
      findings.error(at: label, "\(quoted(path)) has no value", "write \(example), or remove the key")
    case .sequence:
      findings.error(at: position, "\(quoted(path)) is a list", "write one value: \(example)")
    case .mapping:
      findings.error(at: position, "\(quoted(path)) is a mapping", "write one value: \(example)")
    }
    return nil
  }

  /// Records that `text` is not what `path` takes.
  package func refuse(_ text: String, _ expected: String, _ findings: Findings) {
    findings.error(at: position, "\(quoted(path)) cannot be \(quoted(text))", expected)
  }

  /// Records that `text` is not what `path` takes: nothing is read.
  func refused<Value>(_ text: String, _ expected: String, _ findings: Findings) -> Value? {
    refuse(text, expected, findings)
    return nil
  }
}

/// A text as somebody would write it in the file.
private func written(_ text: String) -> String { text.isEmpty ? "\"\"" : text }

extension ValueKind where Value == String {
  /// Text by a rule; `expected` says what would be right.
  package static func text(
    _ summary: String, example: String, expected: String, isSecret: Bool = false,
    where accepts: @escaping @Sendable (String) -> Bool
  ) -> Self {
    Self(summary: summary, example: example, show: written) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      if accepts(text) { return text }
      if !isSecret { return node.refused(text, expected, findings) }
      findings.error(at: node.position, "\(quoted(node.path)) has not the form that it takes", expected)
      return nil
    }
  }

  /// The name of a station, reader, gate, output or ticket system.
  package static func name(_ example: String) -> Self {
    text(
      "name", example: example, expected: "a name has 1 to 32 letters (a to z), digits, - and _, no - or _ first",
      where: isName)
  }

  /// Free text of some bytes.
  package static func text(upTo limit: Int, from least: Int = 1, example: String) -> Self {
    let range = least == 0 ? "up to \(limit) bytes" : "\(least) to \(limit) bytes"
    return text("text, \(range)", example: example, expected: "write a text of \(range)") {
      (least...limit).contains($0.utf8.count) && !$0.utf8.contains(0)
    }
  }

  /// An absolute path.
  package static func path(_ role: FileReference.Role, example: String) -> Self {
    Self(summary: "absolute path", example: example, show: written) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      let isPath = text.hasPrefix("/") && !text.hasSuffix("/") && text.utf8.count < 4096 && !text.utf8.contains(0)
      guard isPath && !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
        // Somebody may have put the key itself here: it is not repeated.
        findings.error(
          at: node.position, "\(quoted(node.path)) is no absolute path of a file", "write a path such as \(example)")
        return nil
      }
      findings.file(FileReference(path: text, role: role, position: node.position))
      return text
    }
  }

  /// The name of a credential.
  package static func credential(example: String) -> Self {
    Self(summary: "name of a credential", example: example, show: written) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      // Somebody may have put the key itself here: it is not repeated. A long name has its words apart, a key has none.
      let isKey = text.utf8.count >= 20 && !text.contains("-") && !text.contains("_")
      guard isName(text), !isKey else {
        findings.error(
          at: node.position, "\(quoted(node.path)) is no name of a credential",
          "write a name such as \(example), and put the key in with: scangate credential set \(example)")
        return nil
      }
      findings.credential(CredentialReference(name: text, position: node.position))
      return text
    }
  }
}

/// Whether `text` can be the name of something in the configuration: `[A-Za-z0-9][A-Za-z0-9_-]{0,31}`.
package func isName(_ text: String) -> Bool {
  let bytes = text.utf8
  guard let first = bytes.first, isLetterOrDigit(first), bytes.count <= 32 else { return false }
  return bytes.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
}

/// Whether `byte` is an ASCII letter or digit.
package func isLetterOrDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: false
  }
}

extension ValueKind where Value == Bool {
  /// `true` or `false`, and no other word.
  package static var boolean: Self {
    Self(summary: "`true` or `false`", example: "true", show: { $0 ? "true" : "false" }) { node, findings in
      guard let text = node.text(like: "true or false", findings) else { return nil }
      switch text {
      case "true": return true
      case "false": return false
      default: return node.refused(text, "write true or false", findings)
      }
    }
  }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of a few words.
  package static func choice(_ type: Value.Type) -> Self { choice(of: Array(type.allCases)) { $0.rawValue } }
}

extension ValueKind {
  /// One of a few values, each by its word.
  package static func choice(of values: [Value], word: @escaping @Sendable (Value) -> String) -> Self {
    let words = values.map(word)
    return Self(
      summary: words.map { "`\($0)`" }.joined(separator: ", "), example: words.first ?? "", show: word
    ) { node, findings in
      guard let text = node.text(like: words.joined(separator: " or "), findings) else { return nil }
      if let value = zip(words, values).first(where: { $0.0 == text }) { return value.1 }
      let guess = suggestion(for: text, among: words).map { "did you mean \"\($0)\"?" }
      return node.refused(text, guess ?? "write \(words.joined(separator: " or "))", findings)
    }
  }

  /// A list, written `[a, b]` or one `- a` a line; every element is read, whatever becomes of the others.
  package static func list<Element>(
    of element: ValueKind<Element>, count: ClosedRange<Int>, noun: String
  ) -> Self where Value == [Element] {
    let example = "[\(element.example)]"
    return Self(
      summary: "list of \(element.summary)", example: example,
      show: { "[" + $0.map(element.show).joined(separator: ", ") + "]" }
    ) { node, findings in
      guard case .sequence(let items) = node.content else {
        let what = node.isAbsentValue ? "has no value" : "is no list"
        findings.error(at: node.position, "\(quoted(node.path)) \(what)", "write a list: \(example)")
        return nil
      }
      if !count.contains(items.count) {
        findings.error(
          at: node.position, "\(quoted(node.path)) has \(items.count) \(noun)",
          count.count == 1 ? "write \(count.lowerBound)" : "write \(count.lowerBound) to \(count.upperBound)")
        return nil
      }
      let values = items.map { element.parse($0, findings) }
      let read = values.compactMap(\.self)
      return read.count == values.count ? read : nil
    }
  }

  /// A section with fixed keys. `read` answers `nil` only after it recorded an error.
  package static func section(
    _ schema: SectionSchema, example: String, summary: String = "section",
    read: @escaping @Sendable (SectionReader) -> Value?
  ) -> Self {
    Self(summary: summary, example: example, sections: [schema]) { node, findings in
      SectionReader(node, schema, findings).flatMap(read)
    }
  }

  /// A section whose keys are names that the file chooses, each with a section of its own.
  package static func named<Element>(
    _ noun: String, sections: [SectionSchema], example: String,
    read: @escaping @Sendable (_ name: String, _ node: SourceNode, Findings) -> Element?
  ) -> Self where Value == [Element] {
    Self(summary: "one section each, by name", example: example, sections: sections) { node, findings in
      guard case .mapping(let entries) = node.content, !entries.isEmpty else {
        findings.error(
          at: node.label, "\(quoted(node.path)) names no \(noun)", "write a name for each \(noun) and its keys below it"
        )
        return nil
      }
      var elements: [Element] = []
      let article = noun.hasPrefix("i") || noun.hasPrefix("o") ? "an" : "a"
      for entry in entries {
        if !isName(entry.key) {
          findings.error(
            at: entry.position, "\(quoted(entry.key)) cannot be the name of \(article) \(noun)",
            "a name has 1 to 32 letters (a to z), digits, - and _, no - or _ first")
        }
        if let element = read(entry.key, entry.value, findings) { elements.append(element) }
      }
      return elements
    }
  }
}
