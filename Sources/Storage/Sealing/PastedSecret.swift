/// A secret as somebody pasted it, without what pasting adds. It can be kept and used, and nothing else: printing, reflecting
/// and interpolating it show no part of it.
package struct PastedSecret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Why bytes cannot be a secret. Never holds any of them.
  package enum Fault: Error, Equatable, CustomStringConvertible {
    /// Nothing but white space.
    case empty
    /// A character that no key has, at this position (from 1, after trimming).
    case unfit(Flaw, position: Int)
    /// More than `longest` bytes.
    case tooLong
    /// No UTF-8.
    case noText

    package var description: String {
      switch self {
      case .empty: "There is nothing in it. Paste the key that the ticket system's administrator gave you."
      case .unfit(let flaw, let position):
        "It has \(flaw.rawValue) at position \(position). A key is printable ASCII without blanks, in one line: paste it again."
      case .tooLong: "It has more than \(PastedSecret.longest) bytes. Is it the right file?"
      case .noText: "It is no text (UTF-8). Is it the right file?"
      }
    }
  }

  /// What is wrong with a character, in words.
  package enum Flaw: String, Sendable {
    /// A line feed or its like: two keys, or half of one.
    case lineBreak = "a line break"
    /// A space, of every width, or a tabulator.
    case blank = "a blank"
    /// A character that nobody sees.
    case invisible = "an invisible character"
    /// A character that no HTTP header carries.
    case notASCII = "a character that is not ASCII"
  }

  /// The most bytes of a secret.
  package static let longest = 4_096

  /// The secret.
  package let text: String

  /// Takes bytes as they were pasted: white space around them is dropped, of every width and none, a byte order mark, and the
  /// marks that terminals put around a paste.
  /// - Throws: why they are no key. The same characters are taken that a request can carry: what is kept can be used.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard let whole = String(validating: bytes, as: UTF8.self) else { throw .noText }
    var rest = whole.unicodeScalars[...]
    while true {
      rest = rest.drop { $0.isPastedBlank }
      while rest.last?.isPastedBlank == true { rest.removeLast() }
      if rest.starts(with: Self.pasteBegins) {
        rest.removeFirst(Self.pasteBegins.count)
      } else if rest.reversed().starts(with: Self.pasteEnds.reversed()) {
        rest.removeLast(Self.pasteEnds.count)
      } else {
        break
      }
    }
    guard !rest.isEmpty else { throw .empty }
    guard String(rest).utf8.count <= Self.longest else { throw .tooLong }
    for (offset, scalar) in rest.enumerated() {
      if let flaw = scalar.flaw { throw .unfit(flaw, position: offset + 1) }
    }
    text = String(rest)
  }

  // Bracketed paste (xterm's control sequences).
  private static let pasteBegins = "\u{1b}[200~".unicodeScalars
  private static let pasteEnds = "\u{1b}[201~".unicodeScalars

  package var description: String { "(secret)" }
  package var debugDescription: String { "(secret)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Unicode.Scalar {
  /// White space, and what has no width: spaces, joiners, the byte order mark, NUL.
  fileprivate var isPastedBlank: Bool {
    switch value {
    case 0, 0x200B...0x200F, 0x2060, 0xFEFF: true
    default: properties.isWhitespace
    }
  }

  /// Why no key has this character; `nil` for printable ASCII.
  fileprivate var flaw: PastedSecret.Flaw? {
    switch value {
    case 0x21...0x7E: return nil
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: return .lineBreak
    default: break
    }
    if properties.isWhitespace { return .blank }
    switch properties.generalCategory {
    case .control, .format, .surrogate: return .invisible
    default: return .notASCII
    }
  }
}
