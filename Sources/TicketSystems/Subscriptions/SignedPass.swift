package import CodeSigning
package import ScanModel

/// What signs passes.
package enum PassPurpose: SigningPurpose {
  package static let head = "scangate-pass-key-1 "
  package static let words = "pass key"
  package static let danger = "make passes"
  package static let maker = "scangate membership pass keygen"
}

/// A key that signs passes; it never lies on a station.
package typealias PassKey = SigningKey<PassPurpose>

/// A pass: a subscription's id that a venue has signed, written so that a QR code holds it in its alphanumeric mode and a scanner that
/// types cannot spoil it. Each meaning has exactly one text. Byte by byte in `docs/memberships.md`.
package struct SignedPass: Sendable, Equatable {
  /// How its text begins.
  package static let prefix = "SCANPASS1:"
  /// The longest text that is looked at, in bytes.
  package static let longest = 300
  /// How long a serial number is, in bytes.
  package static let serialLength = 8

  /// What is signed before the pass itself, so that no signature over anything else is one over a pass.
  static let domain = [UInt8]("scangate pass 1\0".utf8)
  static let version: UInt8 = 1
  /// The last minute that a pass may name, in the year 2160: what comes later does not fit our clock.
  static let lastMinute: Int64 = 100_000_000
  static let signatureLength = 64

  /// Why there is no pass. Never holds an id.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String
  }

  /// Whose key has signed it; see `VerifyingKey.id`.
  package let keyID: [UInt8]
  /// From when on it is good; whole minutes.
  package let notBefore: WallTime
  /// From when on it is no longer good; whole minutes.
  package let ends: WallTime
  /// What tells it from every other pass for the same subscription.
  package let serial: [UInt8]
  /// The subscription.
  package let id: SubscriptionID

  private let signed: [UInt8]
  private let signature: [UInt8]

  // MARK: Writing

  /// The text of a pass that `key` has signed.
  /// - Throws: `Fault` where something does not fit a pass.
  package static func text(
    _ id: SubscriptionID, notBefore: WallTime, ends: WallTime, serial: [UInt8] = newSerial(), by key: PassKey
  ) throws(Fault) -> String {
    let minutes = [notBefore.seconds / 60, ends.seconds / 60]
    guard minutes.allSatisfy({ (0...lastMinute).contains($0) }), minutes[0] < minutes[1] else {
      throw Fault(description: "A pass is good for a minute at least, and ends before the year 2160.")
    }
    guard let keyID = key.publicKey?.id, serial.count == serialLength else {
      throw Fault(description: "The pass key cannot be used.")
    }
    var bytes: [UInt8] = [version] + keyID
    for minute in minutes {
      for shift in stride(from: Int64(24), through: 0, by: -8) { bytes.append(UInt8(minute >> shift & 0xFF)) }
    }
    bytes += serial + id.bytes
    guard let signature = key.signature(of: domain + bytes), signature.count == signatureLength else {
      throw Fault(description: "The pass key cannot sign.")
    }
    return prefix + Base32.text(bytes + signature)
  }

  /// A serial number of the system's random source.
  package static func newSerial() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<serialLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  // MARK: Reading

  /// Whether `bytes` begin as a pass does, in capital or small letters.
  package static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.count >= prefix.utf8.count && zip(bytes, prefix.utf8).allSatisfy { $0.capital == $1 }
  }

  /// A pass in its own form: in capital letters, whatever a scanner's caps lock has made of it; any other code as it is.
  package static func ownForm(of code: Code) -> Code {
    isOne(code.bytes) && code.bytes.contains { $0 != $0.capital } ? Code(bytes: code.bytes.map(\.capital)) : code
  }

  /// Reads a pass; judges neither its signature nor its times.
  /// - Returns: `nil` where it is none, wholly or partly.
  package init?(_ code: Code) {
    guard code.bytes.count <= Self.longest, Self.isOne(code.bytes),
      let bytes = Base32.bytes(code.bytes.dropFirst(Self.prefix.utf8.count)), bytes.count > Self.signatureLength
    else { return nil }
    signed = bytes.dropLast(Self.signatureLength)
    signature = bytes.suffix(Self.signatureLength)
    var rest = signed[...]
    func take(_ count: Int) -> [UInt8]? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return [UInt8](rest.prefix(count))
    }
    func minute() -> Int64? {
      take(4).map { $0.reduce(0) { $0 << 8 | Int64($1) } }.flatMap { (0...Self.lastMinute).contains($0) ? $0 : nil }
    }
    guard take(1) == [Self.version], let keyID = take(4), let first = minute(), let last = minute(), first < last,
      let serial = take(Self.serialLength), let id = SubscriptionID(rest)
    else { return nil }
    self.keyID = keyID
    notBefore = WallTime(seconds: 60 * first)
    ends = WallTime(seconds: 60 * last)
    self.serial = serial
    self.id = id
  }

  /// Whether `key` has signed it.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: Self.domain + signed) }

  /// Why it is good for nothing at that time, or not yet; `nil` where it is good.
  package func refusal(at now: WallTime) -> RefuseReason? {
    now < notBefore ? .tooEarly : now >= ends ? .expired : nil
  }
}

extension UInt8 {
  /// The capital letter of an ASCII small one.
  fileprivate var capital: UInt8 { (0x61...0x7A).contains(self) ? self - 0x20 : self }
}
