internal import FoundationEssentials

/// What the server calls an event. It has two names for one: a number, and in URLs and in the event itself the base64 of that
/// number and 389,278. Both are equal here; anything else (a server of another kind makes up its own) is compared as bytes.
struct EventID: Hashable, Sendable {
  enum Form: Hashable {
    case number(Int64)
    case bytes([UInt8])
  }

  /// What the server adds to a number before it writes it in base64.
  static let added: Int64 = 389_278

  let form: Form

  /// Reads an identifier as the server, a URL or the configuration writes it.
  init(_ text: String) {
    let bytes = [UInt8](text.utf8)
    form = (Self.number(bytes) ?? Self.encoded(bytes)).map { .number($0) } ?? .bytes(bytes)
  }

  /// The number behind it; `nil` where a server has made the identifier up.
  var number: Int64? { if case .number(let number) = form { number } else { nil } }

  /// A number that is written as the server writes one: no sign, no zero before it.
  private static func number(_ bytes: some Collection<UInt8>) -> Int64? {
    guard (1...18).contains(bytes.count), bytes.first != UInt8(ascii: "0"),
      bytes.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
  }

  private static func encoded(_ bytes: [UInt8]) -> Int64? {
    // Base64 of a digit begins with one of three letters.
    guard let first = bytes.first, (UInt8(ascii: "M")...UInt8(ascii: "O")).contains(first), bytes.count <= 24 else {
      return nil
    }
    let bare = bytes.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    let padded = Array(bare) + Array(repeating: UInt8(ascii: "="), count: (4 - bare.count % 4) % 4)
    // A URL may leave the end out, and nothing else of it.
    guard bytes.count == bare.count || bytes == padded, let decoded = Data(base64Encoded: Data(padded)),
      decoded.base64EncodedData() == Data(padded), let number = number(decoded), number > added
    else { return nil }
    return number - added
  }
}
