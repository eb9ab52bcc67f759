/// A normalised raw read: UTF-8 bytes, trimmed at both ends, inner bytes untouched. Compared as bytes.
///
/// `description` never shows more than four characters of it, so that a code cannot slip into a log by interpolation.
package struct Code: Hashable, Sendable, CustomStringConvertible {
  /// The bytes; valid UTF-8 once the normaliser has passed them, at most 4,096 characters.
  package let bytes: [UInt8]

  /// Makes a code of bytes that are normalised already.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a code of text that is normalised already.
  package init(_ text: String) { bytes = [UInt8](text.utf8) }

  /// The whole code as text; for the request to the ticket system only, never for a log.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The last characters, at most four and never more than half of the code, after an ellipsis. Safe for a terminal:
  /// what is not a printable ASCII character is shown as a middle dot.
  package var shortened: String {
    let characters = text.unicodeScalars
    let shown = Swift.min(4, characters.count / 2)
    let tail = characters.suffix(shown).map { (0x21...0x7E).contains($0.value) ? String($0) : "·" }
    return "…" + tail.joined()
  }

  package var description: String { shortened }
}

/// What a ticket system makes of a code that was presented.
package struct RecognisedCode: Hashable, Sendable {
  /// The code in the system's own form.
  package let code: Code
  /// The event that the presented code names besides, as it stands there. Nobody has signed that: it may serve to refuse, never to
  /// admit.
  package let event: String?

  package init(_ code: Code, event: String? = nil) {
    self.code = code
    self.event = event
  }
}

/// The characters that a code may have. The raw values are the names in the configuration.
package enum CodeAlphabet: String, Sendable, CaseIterable {
  /// What can be shown: letters, marks, digits, punctuation, symbols and spaces of any script, and GS (U+001D), which
  /// GS1 codes have inside. No other control character, no invisible format character, no line or paragraph separator,
  /// nothing private or unassigned: none of these can forge what a terminal or screen shows.
  case printable
  /// ASCII letters and digits.
  case alphanumeric
  /// ASCII digits.
  case digits
}
