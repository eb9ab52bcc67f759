internal import WireText

/// A key or a code that a server's text must not show, and what stands in its place. Prints no part of itself.
///
/// It is found by its bytes, not by its characters, for a mark behind it makes its last letter another character; in
/// capital and small letters; and wholly or partly percent-encoded.
package struct Redaction: Sendable, CustomStringConvertible, CustomReflectable {
  /// As it is, and as `StaffText` leaves it; in small ASCII letters.
  private let forms: [[UInt8]]
  /// All parts of it that have `partLength` bytes, where parts are hidden, too; in small ASCII letters.
  private let parts: Set<[UInt8]>
  private let mark: String

  /// The shortest part that is hidden, in bytes.
  private static let partLength = 16

  /// Hides `secret` and shows `mark`.
  package init(_ secret: String, shownAs mark: String) {
    let whole = secret.utf8.map(\.small)
    let readable = StaffText.readable(secret).utf8.map(\.small)
    forms = (whole == readable ? [whole] : [whole, readable]).filter { !$0.isEmpty }
    parts = []
    self.mark = mark
  }

  /// Hides what is 16 characters or more of `secret`, whichever part of it, and shows `mark`; a shorter secret not at all.
  package init(partsOf secret: String, shownAs mark: String) {
    let whole = secret.utf8.map(\.small)
    forms = []
    parts =
      whole.count < Self.partLength
      ? []
      : Set((0...(whole.count - Self.partLength)).map { Array(whole[$0..<($0 + Self.partLength)]) })
    self.mark = mark
  }

  package var description: String { mark }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The secret in `bytes` that begins at `start` and reaches farthest, with all that begin inside of it: what remains
  /// of those must not be shown either.
  /// - Parameter limit: where no search begins any more.
  static func longest(
    of secrets: [Redaction], in bytes: [UInt8], at start: Int, before limit: Int
  ) -> (end: Int, mark: String)? {
    var end = start
    var mark = ""
    var position = start
    repeat {
      for secret in secrets {
        guard let reached = secret.end(in: bytes, from: position), reached > end else { continue }
        if position == start { mark = secret.mark }
        end = reached
      }
      position += 1
    } while position < min(end, limit)
    return end > start ? (end, mark) : nil
  }

  /// The place behind the secret, if it stands at `start`.
  private func end(in bytes: [UInt8], from start: Int) -> Int? {
    var farthest = partEnd(in: bytes, from: start)
    for form in forms {
      for decoding in [false, true] {
        if let end = Self.end(of: form, in: bytes, from: start, decoding: decoding) {
          farthest = max(farthest ?? end, end)
        }
      }
    }
    return farthest
  }

  /// The place behind a part of the secret, if one stands at `start`. A longer one has another that begins inside of it.
  private func partEnd(in bytes: [UInt8], from start: Int) -> Int? {
    guard !parts.isEmpty else { return nil }
    var part: [UInt8] = []
    part.reserveCapacity(Self.partLength)
    var position = start
    while part.count < Self.partLength {
      guard position < bytes.count else { return nil }
      if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
        let decoded = PercentCoding.decode(bytes[position...(position + 2)])?.first
      {
        part.append(decoded.small)
        position += 3
      } else {
        part.append(bytes[position].small)
        position += 1
      }
    }
    return parts.contains(part) ? position : nil
  }

  private static func end(of form: [UInt8], in bytes: [UInt8], from start: Int, decoding: Bool) -> Int? {
    var position = start
    for wanted in form {
      guard position < bytes.count else { return nil }
      if decoding, bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
        let decoded = PercentCoding.decode(bytes[position...(position + 2)])?.first, decoded.small == wanted
      {
        position += 3
      } else if bytes[position].small == wanted {
        position += 1
      } else {
        return nil
      }
    }
    return position
  }
}

extension UInt8 {
  /// The small letter of an ASCII capital one.
  fileprivate var small: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
}
