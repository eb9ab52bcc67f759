/// The headers of an answer, by name. Bounded, whatever a server sends; cookies are not kept.
package struct AnswerHeaders: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// How many names are kept; what comes after them is not.
  package static let mostNames = 64
  /// The longest name, and the longest value, in bytes; what is longer cannot be read.
  package static let longestName = 64, longestValue = 2_048
  /// The most bytes of all names and values together.
  package static let mostBytes = 16_384

  /// By names in small letters; `nil` where there were several, or one that is too long: which is meant cannot be told.
  private var values: [String: String?] = [:]
  private var bytes = 0

  package init() {}

  /// Takes one line of an answer's head.
  package mutating func add(_ name: String, _ value: String) {
    guard (1...Self.longestName).contains(name.utf8.count) else { return }
    let name = name.lowercased()
    guard name != "set-cookie", name != "set-cookie2" else { return }
    if let known = values[name] {
      bytes -= known?.utf8.count ?? 0
      values.updateValue(nil, forKey: name)
      return
    }
    guard values.count < Self.mostNames, bytes + name.utf8.count <= Self.mostBytes else { return }
    bytes += name.utf8.count
    let fits = value.utf8.count <= Self.longestValue && bytes + value.utf8.count <= Self.mostBytes
    if fits { bytes += value.utf8.count }
    values.updateValue(fits ? value : nil, forKey: name)
  }

  /// The value under a name, in whichever case it is asked for; `nil` where there is none, more than one, or one that is too long.
  package subscript(name: String) -> String? { values[name.lowercased()] ?? nil }

  /// Whether there is one, or more, under a name, whether it can be read or not.
  package func has(_ name: String) -> Bool { values[name.lowercased()] != nil }

  /// How many names are kept.
  package var count: Int { values.count }

  /// Their number: values can be secrets.
  package var description: String { "\(values.count) headers" }
  package var customMirror: Mirror { Mirror(self, children: ["count": values.count]) }
}
