/// A control service, as messages and records name it.
package struct ControlServer: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Its base URL.
  package var url: String
  /// Host and port, for messages.
  package var name: String

  package init(url: String, name: String) {
    self.url = url
    self.name = name
  }

  package var description: String { name }

  /// Whether it is the same server, whatever the path: what may be shown to one may be shown to the other.
  func isSame(as other: ControlServer?) -> Bool { other.map { $0.name == name } ?? false }
}
