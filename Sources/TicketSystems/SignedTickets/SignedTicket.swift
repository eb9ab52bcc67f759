package import CodeSigning
package import ScanModel
internal import WireText

/// A ticket that its issuer has signed: `ed25519.v1.KID.SIGNATURE.PAYLOAD`, both in base64 for URLs. What is signed is the payload, byte by
/// byte as it stands there; the key's name is not, so that it says which key to try and nothing else.
package struct SignedTicket: Sendable, Equatable {
  /// How its text begins.
  package static let prefix = "ed25519.v1."
  /// The shortest and the longest text that is looked at, in bytes.
  package static let lengths = 120...2_048
  /// The longest name of a key, and the longest name that a payload has, in bytes.
  static let longestKeyID = 64, longestName = 128
  private static let signatureLength = 64

  /// What the issuer calls the key.
  package let keyID: String
  /// Whose ticket it is: the organisation.
  package let tenant: String
  /// The order that it belongs to.
  package let order: String
  /// What it is for.
  package let performance: String
  /// The seat.
  package let seat: String
  /// What tells it from every other ticket of its organisation.
  package let id: String
  /// When it was issued, in seconds since the epoch.
  package let issued: Int64
  /// When it ends, likewise; later than `issued`.
  package let ends: Int64

  private let signature: [UInt8]
  private let payload: [UInt8]

  /// Reads a ticket; judges neither its signature nor its times.
  /// - Returns: `nil` where it is none, wholly or partly.
  package init?(_ code: Code) {
    guard Self.lengths.contains(code.bytes.count), code.bytes.starts(with: Self.prefix.utf8) else { return nil }
    let parts = code.bytes.dropFirst(Self.prefix.utf8.count)
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isKeyID(parts[0]), let signature = Base64URL.bytes(parts[1]),
      signature.count == Self.signatureLength, let payload = Base64URL.bytes(parts[2]),
      // A name that is there twice is a fault of the reader's.
      let told = try? JSONValue(payload), Self.number(told["ver"]) == 1,
      let tenant = Self.name(told["tenant_id"]), let order = Self.name(told["order_id"]),
      let performance = Self.name(told["performance_id"]), let seat = Self.name(told["seat_id"]),
      let id = Self.name(told["jti"]), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let issued = Self.number(told["iat"]), let ends = Self.number(told["exp"]), issued < ends
    else { return nil }
    keyID = String(decoding: parts[0], as: UTF8.self)
    self.signature = signature
    self.payload = payload
    self.tenant = tenant
    self.order = order
    self.performance = performance
    self.seat = seat
    self.id = id
    self.issued = issued
    self.ends = ends
  }

  /// Whether `key` has signed it.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: payload) }

  /// What the ledger calls it: whichever way it is spelled, it is one ticket.
  package var key: TicketKey { TicketKey([UInt8](tenant.utf8) + [0] + [UInt8](id.utf8)) }

  /// Whether a key can be called so: 1 to 64 printable ASCII characters without a dot.
  static func isKeyID(_ bytes: some Collection<UInt8>) -> Bool {
    (1...longestKeyID).contains(bytes.count)
      && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ".") }
  }

  /// A text of 1 to 128 bytes without control characters; nothing else is one, whatever it spells.
  private static func name(_ value: JSONValue?) -> String? {
    guard let text = value?.string, (1...longestName).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    return text
  }

  /// A whole number that is not negative, written as one; at most 2^53, which every reader takes for the same.
  private static func number(_ value: JSONValue?) -> Int64? {
    guard case .number(let text)? = value, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(text), number <= 1 << 53
    else { return nil }
    return number
  }
}
