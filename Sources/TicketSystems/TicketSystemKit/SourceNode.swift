/// A part of the file as it is written: text, with its place. Nothing is a number or a boolean yet; the schema decides.
package struct SourceNode: Sendable {
  /// What stands there.
  package enum Content: Sendable {
    /// Text; `isPlain` when it was written without quotes.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([SourceNode])
    /// Keys and values in the order of the file; a key that is given twice is here once, with its first value.
    case mapping([SourceEntry])
  }

  /// What stands there.
  package let content: Content
  /// Where it begins.
  package let position: SourcePosition
  /// Where its key stands, or where it begins if it has none; the place to say that something is missing in it.
  package let label: SourcePosition
  /// How a person names it: `gates.north.outputs`. Empty for the whole file.
  package let path: String

  package init(content: Content, position: SourcePosition, label: SourcePosition, path: String) {
    self.content = content
    self.position = position
    self.label = label
    self.path = path
  }

  /// Whether somebody wrote a key and no value: nothing at all, `~` or `null`.
  package var isAbsentValue: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }
}

/// A key and its value.
package struct SourceEntry: Sendable {
  /// The key.
  package let key: String
  /// Where the key stands.
  package let position: SourcePosition
  /// The value.
  package let value: SourceNode

  package init(key: String, position: SourcePosition, value: SourceNode) {
    self.key = key
    self.position = position
    self.value = value
  }
}
