/// A part of the file as it is written: text, with its place. Nothing is a number or a boolean yet; the schema decides.
public struct SourceNode: Sendable {
  /// What stands there.
  public enum Content: Sendable {
    /// Text; `isPlain` when it was written without quotes.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([SourceNode])
    /// Keys and values in the order of the file; a key that is given twice is here once, with its first value.
    case mapping([SourceEntry])
  }

  /// What stands there.
  public let content: Content
  /// Where it begins.
  public let position: SourcePosition
  /// Where its key stands, or where it begins if it has none; the place to say that something is missing in it.
  public let label: SourcePosition
  /// How a person names it: `gates.north.outputs`. Empty for the whole file.
  public let path: String

  /// Makes a part of a file.
  public init(content: Content, position: SourcePosition, label: SourcePosition, path: String) {
    self.content = content
    self.position = position
    self.label = label
    self.path = path
  }

  /// Whether somebody wrote a key and no value: nothing at all, `~` or `null`.
  public var isAbsentValue: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }
}

/// A key and its value.
public struct SourceEntry: Sendable {
  /// The key.
  public let key: String
  /// Where the key stands.
  public let position: SourcePosition
  /// The value.
  public let value: SourceNode

  /// Makes an entry.
  public init(key: String, position: SourcePosition, value: SourceNode) {
    self.key = key
    self.position = position
    self.value = value
  }
}
