internal import CodeSigning
package import ScanModel

/// Our own set-up code: signed by an organiser's key, and written so that a QR code holds it in its alphanumeric mode and a
/// scanner that types cannot spoil it. Each meaning has exactly one text. Byte by byte in `docs/set-up.md`.
package struct SignedCode: Sendable, Equatable {
  /// How its text begins.
  package static let prefix = "SCANGATE1:"
  /// The longest text, in bytes; a server and a gate with the longest names fit.
  package static let longest = 700

  /// What is signed before the code itself, so that no signature over anything else is one over a code.
  static let domain = [UInt8]("scangate set-up code 1\0".utf8)
  static let version: UInt8 = 1
  /// The last minute that a code may name, in the year 2160: what comes later does not fit our clock.
  static let lastMinute: Int64 = 100_000_000
  static let signatureLength = 64

  /// What it says.
  package enum Content: Sendable, Equatable {
    /// Gets the station what it needs for its ticket system.
    case enrolment(gate: String, secret: EnrolmentSecret)
    /// Activates the station at a control service.
    case activation(ActivationCode)
  }

  /// Why there is no code. Never holds its text.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String
  }

  /// Whose key has signed it; see `OrganiserPublicKey.id`.
  package let keyID: [UInt8]
  /// Until when it is good; whole minutes.
  package let expires: WallTime
  /// The server that it names.
  package let server: NamedServer
  /// What it says.
  package let content: Content

  private let signed: [UInt8]
  private let signature: [UInt8]

  // MARK: Writing

  /// The text of a code that `key` has signed.
  /// - Throws: `Fault` where something does not fit a code.
  package static func text(
    _ content: Content, at server: NamedServer, expires: WallTime, by key: OrganiserKey
  ) throws(Fault) -> String {
    let minutes = expires.seconds / 60
    guard (1...lastMinute).contains(minutes) else {
      throw Fault(description: "A code cannot be good until then.")
    }
    guard let keyID = key.publicKey?.id else { throw Fault(description: "The organiser's key cannot be used.") }
    var bytes: [UInt8] = [version, content.kind] + keyID
    for shift in stride(from: Int64(24), through: 0, by: -8) { bytes.append(UInt8(minutes >> shift & 0xFF)) }
    bytes.add(server.shortest)
    switch content {
    case .enrolment(let gate, let secret):
      guard EnrolmentCode.isGate(gate) else {
        throw Fault(
          description: "A gate's name in a code has 1 to \(EnrolmentCode.longestGate) printable ASCII characters.")
      }
      bytes.add(gate)
      bytes += secret.bytes
    case .activation(let code):
      guard ActivationText.isCode(code.code), ActivationText.isKioskID(code.kioskID ?? "-") else {
        throw Fault(description: ActivationText.rule)
      }
      bytes.add(code.code.uppercased())
      bytes.add(code.kioskID ?? "")
    }
    guard let signature = key.signature(of: domain + bytes), signature.count == signatureLength else {
      throw Fault(description: "The organiser's key cannot sign.")
    }
    return prefix + Base32.text(bytes + signature)
  }

  // MARK: Reading

  /// Whether `bytes` begin as such a code does, in capital or small letters.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(prefix.utf8.count).map(\.uppercased) == [UInt8](prefix.utf8)
  }

  /// Reads a code; judges neither its signature nor its time.
  /// - Returns: `nil` where it is none, wholly or partly.
  package init?(_ code: Code) {
    guard code.bytes.count <= Self.longest, Self.isOne(code.bytes),
      let bytes = Base32.bytes(code.bytes.dropFirst(Self.prefix.utf8.count)), bytes.count > Self.signatureLength
    else { return nil }
    signed = bytes.dropLast(Self.signatureLength)
    signature = bytes.suffix(Self.signatureLength)
    var rest = signed[...]
    guard rest.popFirst() == Self.version, let kind = rest.popFirst(), let keyID = rest.take(4),
      let time = rest.take(4), let name = rest.takeText(),
      let server = try? NamedServer(name), server.shortest == name
    else { return nil }
    self.keyID = keyID
    let minutes = time.reduce(0) { $0 << 8 | Int64($1) }
    guard (1...Self.lastMinute).contains(minutes) else { return nil }
    expires = WallTime(seconds: 60 * minutes)
    self.server = server
    switch kind {
    case Content.enrolmentKind:
      guard let gate = rest.takeText(), EnrolmentCode.isGate(gate), let bytes = rest.take(EnrolmentSecret.length),
        let secret = EnrolmentSecret(bytes: bytes)
      else { return nil }
      content = .enrolment(gate: gate, secret: secret)
    case Content.activationKind:
      guard let code = rest.takeText(), ActivationText.isCode(code), code.utf8.allSatisfy({ !$0.isSmallLetter }),
        let kiosk = rest.takeText(), kiosk.isEmpty || ActivationText.isKioskID(kiosk)
      else { return nil }
      content = .activation(ActivationCode(code: code, kioskID: kiosk.isEmpty ? nil : kiosk))
    default: return nil
    }
    guard rest.isEmpty else { return nil }
  }

  /// Whether `key` has signed it.
  package func isSigned(by key: OrganiserPublicKey) -> Bool { key.verifies(signature, of: Self.domain + signed) }
}

extension SignedCode.Content {
  static let enrolmentKind: UInt8 = 1
  static let activationKind: UInt8 = 2

  var kind: UInt8 {
    switch self {
    case .enrolment: Self.enrolmentKind
    case .activation: Self.activationKind
    }
  }
}

extension [UInt8] {
  /// Adds a text behind its length; what is added is bounded by its own rules to less than 256 bytes.
  fileprivate mutating func add(_ text: String) {
    append(UInt8(truncatingIfNeeded: text.utf8.count))
    self += text.utf8
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func take(_ count: Int) -> [UInt8]? {
    guard self.count >= count else { return nil }
    defer { removeFirst(count) }
    return [UInt8](prefix(count))
  }

  /// A text behind its length; `nil` where it is none, or no ASCII.
  fileprivate mutating func takeText() -> String? {
    guard let length = popFirst(), let bytes = take(Int(length)), bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
