import FoundationEssentials

/// Which server the venue passes for beyond the ticket scanning API: how it is found, and what an organiser does there.
package enum ServerShape: String, Sendable, CaseIterable {
  /// As the document of the organiser's app has it: bare objects, `meta.pagination`, times with their zone.
  case document
  /// The fork that has the scan call, as its public code answers.
  case planify
  /// The original project: events, schedules and sales. Nobody scans there.
  case upstream

  /// How an event, a ticket type or an event's venue is named.
  func publicID(_ id: Int64) -> String {
    switch self {
    case .document: String(id)
    case .planify: PublicID.text(id)
    case .upstream: OpaqueID.text(id)
    }
  }

  /// Reads such a name; nil where it is none. A number is none but in the document's shape.
  func id(_ text: String) -> Int64? {
    switch self {
    case .document: PublicID.numberOrText(text)
    case .planify: PublicID.number(text)
    case .upstream: OpaqueID.number(text) ?? PublicID.number(text)
    }
  }
}

/// The fork's public ids: its numbers, moved and in base64. 456 is "Mzg5NzM0".
enum PublicID {
  private static let offset: Int64 = 389_278

  static func text(_ id: Int64) -> String { Data(String(id + offset).utf8).base64EncodedString() }

  static func number(_ text: some StringProtocol) -> Int64? {
    guard let data = Data(base64Encoded: String(text)), let number = Int64(String(decoding: data, as: UTF8.self)),
      number > offset
    else { return nil }
    return number - offset
  }

  /// As where a number will do as well.
  static func numberOrText(_ text: some StringProtocol) -> Int64? { Int64(text) ?? number(text) }
}

/// The original's public ids, which say nothing: six or more letters and digits by an order that is the server's own.
enum OpaqueID {
  private static let alphabet = [UInt8]("k3G7hZ9bVnQ2xTfLmW8sRdYpJc5vKqXeBtN6aHg4MwCyPzDrFjSu".utf8)
  private static let (factor, inverse): (UInt32, UInt32) = {
    let factor: UInt32 = 0x9E37_79B1
    // Each round doubles the digits that are right.
    var inverse = factor
    for _ in 0..<5 { inverse = inverse &* (2 &- factor &* inverse) }
    return (factor, inverse)
  }()

  static func text(_ id: Int64) -> String {
    var rest = UInt32(truncatingIfNeeded: id) &* factor
    var digits: [UInt8] = []
    for _ in 0..<6 {
      digits.append(alphabet[Int(rest) % alphabet.count])
      rest /= UInt32(alphabet.count)
    }
    return String(decoding: digits, as: UTF8.self)
  }

  static func number(_ text: String) -> Int64? {
    var rest: UInt64 = 0
    for letter in text.utf8.reversed() {
      guard let digit = alphabet.firstIndex(of: letter), rest < 1 << 40 else { return nil }
      rest = rest * UInt64(alphabet.count) + UInt64(digit)
    }
    guard let moved = UInt32(exactly: rest) else { return nil }
    let id = Int64(moved &* inverse)
    return self.text(id) == text ? id : nil
  }
}
