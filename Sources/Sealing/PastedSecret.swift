/// A secret as somebody pasted it, without what pasting adds. It can be kept and used, and nothing else: printing, reflecting
/// and interpolating it show no part of it.
public struct PastedSecret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Why bytes cannot be a secret. Never holds any of them.
  public enum Fault: Error, Equatable, CustomStringConvertible {
    /// Nothing but white space.
    case empty
    /// A character that nobody sees, at this position (from 1, after trimming); a line feed is one.
    case invisibleCharacter(position: Int)
    /// More than `longest` bytes.
    case tooLong
    /// No UTF-8.
    case noText

    public var description: String {
      switch self {
      case .empty: "There is nothing in it. Paste the key that the ticket system's administrator gave you."
      case .invisibleCharacter(let position):
        "It has a line feed or another invisible character at position \(position). Paste it again, in one line."
      case .tooLong: "It has more than \(PastedSecret.longest) bytes. Is it the right file?"
      case .noText: "It is no text (UTF-8). Is it the right file?"
      }
    }
  }

  /// The most bytes of a secret.
  public static let longest = 4_096

  /// The secret.
  public let text: String

  /// Takes bytes as they were pasted: white space around them is dropped, of every width and none, and a byte order mark.
  public init(_ bytes: [UInt8]) throws(Fault) {
    guard let whole = String(validating: bytes, as: UTF8.self) else { throw .noText }
    let scalars = whole.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isPastedBlank }),
      let last = scalars.lastIndex(where: { !$0.isPastedBlank })
    else { throw .empty }
    let trimmed = scalars[first...last]
    guard String(trimmed).utf8.count <= Self.longest else { throw .tooLong }
    for (offset, scalar) in trimmed.enumerated() where scalar.isInvisible {
      throw .invisibleCharacter(position: offset + 1)
    }
    text = String(trimmed)
  }

  public var description: String { "(secret)" }
  public var debugDescription: String { "(secret)" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Unicode.Scalar {
  /// White space, and what has no width: spaces, joiners, the byte order mark, NUL.
  fileprivate var isPastedBlank: Bool {
    switch value {
    case 0, 0x200B...0x200F, 0x2060, 0xFEFF: true
    default: properties.isWhitespace
    }
  }

  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
