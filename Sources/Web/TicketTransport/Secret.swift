/// An API key. It can be sent and compared, and nothing else: printing, reflecting and interpolating it show no part of it.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Why text cannot be an API key. Never holds the text.
  package enum Fault: Error, Equatable, CustomStringConvertible {
    /// Nothing but white space.
    case empty
    /// A character that no HTTP header can carry, at this position (from 1, after trimming).
    case invalidCharacter(position: Int)
    /// Longer than 4,096 characters: surely the wrong file.
    case tooLong

    package var description: String {
      switch self {
      case .empty: "The key is empty. Paste the key that the ticket system's administrator gave you."
      case .invalidCharacter(let position):
        "The key has a character at position \(position) that a key cannot have (only printable ASCII, no blanks). Paste it again."
      case .tooLong: "This is longer than 4,096 characters and cannot be a key. Is it the right file?"
      }
    }
  }

  let value: String

  /// Takes a key as it was pasted: white space around it is dropped.
  /// - Throws: `Fault` when it cannot be a key.
  package init(_ text: String) throws(Fault) {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isPastedBlank }),
      let last = scalars.lastIndex(where: { !$0.isPastedBlank })
    else { throw .empty }
    let trimmed = scalars[first...last]
    guard trimmed.count <= 4_096 else { throw .tooLong }
    for (offset, scalar) in trimmed.enumerated() where !(0x21...0x7E).contains(scalar.value) {
      throw .invalidCharacter(position: offset + 1)
    }
    value = String(trimmed)
  }

  /// The key itself, to be sealed before it is put down anywhere; for nothing else.
  package var toBeSealed: String { value }

  /// Hides the key in text that came from outside.
  package var redaction: Redaction { Redaction(value, shownAs: description) }

  package var description: String { "(secret)" }
  package var debugDescription: String { "(secret)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Unicode.Scalar {
  /// White space, and the byte order mark that some editors put before it.
  fileprivate var isPastedBlank: Bool { properties.isWhitespace || value == 0xFEFF || value == 0 }
}
