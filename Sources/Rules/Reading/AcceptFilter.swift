package import ScanModel

/// What a gate takes for a code at all. What does not pass is refused as `unreadable` and costs no request.
package struct AcceptFilter: Sendable, Equatable {
  /// Why a code does not pass.
  package enum Rejection: Sendable, Equatable {
    /// It is not UTF-8.
    case encoding
    /// It has this many characters.
    case length(Int)
    /// The character at this offset, counted from 0, is not of the alphabet.
    case alphabet(offset: Int)
    /// It does not match the pattern.
    case pattern
  }

  /// The lengths that pass, in characters (Unicode scalars).
  package var length: ClosedRange<Int>
  /// The characters that pass.
  package var alphabet: CodeAlphabet
  /// What the whole code must match, where there is a pattern.
  package var pattern: CodePattern?

  /// Makes a filter; without arguments the default, of which a gate's own changes what it says: 8 to 128 printable characters. A
  /// gate that has none takes what its ticket system's codes look like (`TicketSystemSection.accept`).
  package init(length: ClosedRange<Int> = 8...128, alphabet: CodeAlphabet = .printable, pattern: CodePattern? = nil) {
    self.length = length
    self.alphabet = alphabet
    self.pattern = pattern
  }

  /// Why `code` does not pass; `nil` when it does.
  package func rejection(of code: Code) -> Rejection? {
    guard let text = String(validating: code.bytes, as: UTF8.self) else { return .encoding }
    let scalars = text.unicodeScalars
    guard length.contains(scalars.count) else { return .length(scalars.count) }
    if let offset = scalars.enumerated().first(where: { !alphabet.contains($0.element) })?.offset {
      return .alphabet(offset: offset)
    }
    if let pattern, !pattern.matches(text) { return .pattern }
    return nil
  }

  /// Whether `code` passes.
  package func accepts(_ code: Code) -> Bool { rejection(of: code) == nil }
}

extension CodeAlphabet {
  /// Whether the alphabet has `scalar`.
  package func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .printable: Self.isPrintable(scalar)
    case .alphanumeric: scalar.isASCII && (Self.isDigit(scalar) || scalar.properties.isAlphabetic)
    case .digits: Self.isDigit(scalar)
    }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) || scalar.value == 0x1D }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
