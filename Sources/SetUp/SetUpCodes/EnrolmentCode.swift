internal import CodeSigning
package import ScanModel

/// What a station shows a ticket system once, to be given its API key. Printing, reflecting and interpolating it show no part.
package struct EnrolmentSecret: Sendable, Hashable, Unshown {
  /// How long it is, in bytes.
  package static let length = 16

  /// The secret itself.
  package let bytes: [UInt8]

  /// Takes a secret of its bytes; `nil` unless there are `length` of them.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Takes a secret as `text` writes it; blanks around it are no part of it.
  package init?(text: String) {
    let blanks: [UInt8] = [0x09, 0x0A, 0x0D, 0x20]
    let trimmed = text.utf8.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()
    guard let bytes = Base32.bytes([UInt8](trimmed)) else { return nil }
    self.init(bytes: bytes)
  }

  /// Makes a secret from the system's random source.
  package static func random() -> EnrolmentSecret {
    var random = SystemRandomNumberGenerator()
    return EnrolmentSecret((0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The secret in base32, 26 characters: what goes over the wire and into a venue's books.
  package var text: String { Base32.text(bytes) }

  package var description: String { "(enrolment secret)" }
}

/// A code that gets a station the address and the key of its ticket system.
package struct EnrolmentCode: Sendable, Hashable {
  /// The longest name of a gate, in bytes.
  package static let longestGate = 64

  /// Who gives the key.
  package var server: NamedServer
  /// The gate that the station is to be, by the venue's name for it: printable ASCII, 1 to 64 characters.
  package var gate: String
  /// What is shown to the server.
  package var secret: EnrolmentSecret
  /// Until when the code is good; whole minutes.
  package var expires: WallTime

  package init(server: NamedServer, gate: String, secret: EnrolmentSecret, expires: WallTime) {
    self.server = server
    self.gate = gate
    self.secret = secret
    self.expires = expires
  }

  /// Whether `name` can be a gate's in a code.
  package static func isGate(_ name: String) -> Bool {
    (1...longestGate).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      && name.utf8.first != 0x20 && name.utf8.last != 0x20
  }
}

/// A code that sets a station up.
package enum SetUpCode: Sendable, Hashable {
  /// It activates the station at a control service: the one of the configuration, unless it may and does name another.
  case activation(ActivationCode, at: NamedServer?)
  /// It gets the station the address and key of its ticket system.
  case enrolment(EnrolmentCode)
}
