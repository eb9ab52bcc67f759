/// An activation code that a venue has made, and the forms in which it is shown to a station.
package struct MadeActivationCode: Sendable, Equatable, Codable {
  /// The code itself: told here once; only its hash is stored.
  package let code: String
  /// An identifier of the making, for the form that has one.
  package let id: String
  /// The kiosk that it was made for; nil for any.
  package let kioskID: String?
  /// Host and port of the venue.
  package let server: String
  /// When it was made, in whole seconds since 1970.
  package let made: Int64
  /// From when on it is refused, in whole seconds since 1970.
  package let expires: Int64

  /// What the later servers print: it names the server.
  package var textWithServer: String {
    #"{"type":"kiosk_activation","code":"\#(code)","server":"\#(server)","timestamp":\#(Timestamp(clamping: made).seconds * 1_000)}"#
  }

  /// What the earlier server prints: it says when it ends.
  package var textWithExpiry: String {
    let end = Timestamp(clamping: expires).javaScript
    return #"{"type":"kiosk_activation","id":"\#(id)","code":"\#(code)","expires":"\#(end)"}"#
  }

  /// What the Nova server prints.
  /// - Parameter base: the address of its administration; may be empty.
  package func address(at base: String) -> String {
    let base = base.last == "/" ? String(base.dropLast()) : base
    let unreserved = [UInt8]("-._~".utf8)
    let kiosk = (kioskID ?? "").utf8.map { byte -> String in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || unreserved.contains(byte)
      if isPlain { return String(decoding: [byte], as: UTF8.self) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
    return "\(base)/activate?kioskId=\(kiosk)&code=\(code)"
  }

  /// When it ends: `2025-12-17T14:30:00Z`.
  package var expiryTime: String { Timestamp(clamping: expires).utc }
}

/// An enrolment secret that a venue has made, for a set-up code.
package struct MadeEnrolment: Sendable, Equatable, Codable {
  /// The secret in base 32, 26 letters: told here once; only its hash is stored.
  package let secret: String
  /// The gate that it was made for.
  package let gate: String
  /// Where the venue is reached: host and port, and the path where there is one.
  package let server: String
  /// From when on it is refused, in whole seconds since 1970.
  package let expires: Int64

  /// One line of JSON: `secret`, `gate`, `server` and `expires` (UTC).
  package var json: String {
    let line: JSONText = [
      "secret": .string(secret), "gate": .string(gate), "server": .string(server),
      "expires": .string(Timestamp(clamping: expires).utc),
    ]
    return line.text()
  }
}
