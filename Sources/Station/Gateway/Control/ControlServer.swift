/// A control service, as messages and records name it.
public struct ControlServer: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Its base URL.
  public var url: String
  /// Host and port, for messages.
  public var name: String

  /// Names a server.
  public init(url: String, name: String) {
    self.url = url
    self.name = name
  }

  public var description: String { name }

  /// Whether it is the same server, whatever the path: what may be shown to one may be shown to the other.
  func isSame(as other: ControlServer?) -> Bool { other.map { $0.name == name } ?? false }
}
