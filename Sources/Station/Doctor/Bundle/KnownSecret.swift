internal import FoundationEssentials
internal import ScanModel
internal import WireText

/// Something that no bundle may show. Prints no part of itself.
package struct KnownSecret: Sendable, Hashable, Unshown {
  /// What it is. The raw values are the words in its place.
  package enum Kind: String, Sendable, CaseIterable {
    /// A key, token or password.
    case key
    /// A code that somebody presented.
    case code
    /// A ticket's holder.
    case name
  }

  /// What it is.
  package let kind: Kind
  private let bytes: [UInt8]

  /// The fewest bytes of a secret that can be looked for: what is shorter stands in every word.
  package static let shortest = 2

  /// `nil` of what is too short to be looked for.
  package init?(_ kind: Kind, _ bytes: [UInt8]) {
    guard bytes.count >= Self.shortest, bytes.count <= 1 << 16 else { return nil }
    self.kind = kind
    self.bytes = bytes
  }

  package init?(_ kind: Kind, _ text: String) { self.init(kind, [UInt8](text.utf8)) }

  package var description: String { "(\(kind.rawValue))" }

  /// All ways in which it may be written: as it is, cleaned, in JSON, in base64 at any place of another text, in hexadecimal digits.
  /// Percent-encoded it is found by what it decodes to.
  var forms: [[UInt8]] {
    var forms: Set<[UInt8]> = [bytes]
    // What is short would be found everywhere in these.
    guard bytes.count >= 6 else {
      if let text = String(validating: bytes, as: UTF8.self) { forms.insert([UInt8](TerminalText.clean(text).utf8)) }
      return Array(forms)
    }
    forms.insert([UInt8](bytes.map { String($0, digits: 2, radix: 16) }.joined().utf8))
    for offset in 0..<3 { forms.insert(base64(at: offset)) }
    for form in forms {
      forms.insert(form.map { $0 == UInt8(ascii: "+") ? 0x2D : $0 == UInt8(ascii: "/") ? 0x5F : $0 })
    }
    if let text = String(validating: bytes, as: UTF8.self) {
      forms.insert([UInt8](TerminalText.clean(text, limit: .max).utf8))
      // Letters beyond ASCII have their small ones by a table.
      for cased in [text.uppercased(), text.lowercased()] { forms.insert([UInt8](cased.utf8)) }
      // As lines of the log have it.
      if text.unicodeScalars.count > 60 { forms.insert([UInt8](TerminalText.clean(text, limit: 60).dropLast().utf8)) }
      forms.insert([UInt8](JSONText.string(text).dropFirst().dropLast().utf8))
      forms.insert([UInt8](JSONText.object(("s", text)).text.dropFirst(6).dropLast(2).utf8))
    }
    return forms.filter { $0.count >= Self.shortest }
  }

  /// The base64 digits that are the secret's alone where it stands `offset` bytes behind a whole group of three.
  private func base64(at offset: Int) -> [UInt8] {
    let digits = [UInt8](Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString().utf8)
    let bits = (offset + bytes.count) * 8
    return Array(digits[((offset * 8 + 5) / 6)..<(bits / 6)])
  }
}
