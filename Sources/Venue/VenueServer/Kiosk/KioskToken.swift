import Foundation
import LibCrypto
import SQLiteFile

/// A kiosk's token: a JSON web token (RFC 7519) signed with HS256 by a key that only this venue has.
struct KioskToken: Equatable, Sendable {
  let kioskID: String
  /// Which of the kiosk's tokens it is; those of earlier generations are revoked.
  let generation: Int64
  let issued: Int64
  /// From this second on it is refused.
  let expires: Int64

  /// The issuer and audience that the Nova server wants to see.
  struct Parties: Sendable {
    let issuer: String
    let audience: String
    static let nova = Parties(issuer: "nova-universe-api", audience: "nova-universe")
  }

  private static let header = #"{"alg":"HS256","typ":"JWT"}"#

  func signed(with key: SymmetricKey, parties: Parties? = nil) -> String {
    var claims: [(key: String, value: JSONText)] = [
      ("type", .string("kiosk")), ("kioskId", .string(kioskID)), ("activated", .bool(true)),
      ("generation", .integer(generation)), ("iat", .integer(issued)), ("exp", .integer(expires)),
    ]
    if let parties { claims += [("iss", .string(parties.issuer)), ("aud", .string(parties.audience))] }
    let text =
      Base64URL.text([UInt8](Self.header.utf8)) + "." + Base64URL.text([UInt8](JSONText.object(claims).text().utf8))
    let code = HMACSHA256(key: key).authenticationCode(for: [UInt8](text.utf8))
    return text + "." + Base64URL.text(code)
  }
}

extension KioskToken {
  /// Reads a token; nil for one that this key has not signed or that is over. Nothing in it is looked at before its signature.
  init?(_ text: String, key: SymmetricKey, now: Int64, parties: Parties? = nil) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= 4_096, let code = Base64URL.bytes(parts[2]) else { return nil }
    let signed = [UInt8]((parts[0] + "." + parts[1]).utf8)
    guard HMACSHA256(key: key).isValidAuthenticationCode(code, authenticating: signed) else { return nil }
    struct Claims: Decodable {
      var type: String
      var kioskId: String
      var generation: Int64
      var iat: Int64
      var exp: Int64
      var iss: String?
      var aud: String?
    }
    guard let bytes = Base64URL.bytes(parts[1]),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(bytes)), claims.type == "kiosk", now < claims.exp
    else { return nil }
    if let parties {
      guard claims.iss == parties.issuer, claims.aud == parties.audience else { return nil }
    }
    self.init(kioskID: claims.kioskId, generation: claims.generation, issued: claims.iat, expires: claims.exp)
  }
}

/// The secrets of a venue itself, made once with its database.
enum VenueSecret {
  static let length = 32

  /// Signs tokens, and makes API keys of enrolment secrets.
  static func key(_ db: Database) throws -> SymmetricKey {
    let bytes: [UInt8]? = try db.value("SELECT value FROM venue_secrets WHERE name = 'key'")
    guard let bytes, bytes.count == length else {
      throw VenueError.database(path: "", reason: "the venue's own key is missing; name another file")
    }
    return SymmetricKey(data: bytes)
  }

  static func make(_ db: Database) throws {
    var random = SystemRandomNumberGenerator()
    try db.run("INSERT INTO venue_secrets (name, value) VALUES ('key', ?)", Secret.bytes(length, &random))
  }
}

/// Base 64 with the alphabet for addresses and without padding (RFC 4648, 5).
enum Base64URL {
  static func text(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes of a text; nil where it is none, or not the one text of its bytes.
  static func bytes(_ text: Substring) -> [UInt8]? {
    let usual = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - usual.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: usual + padding), Base64URL.text([UInt8](data)) == text else { return nil }
    return [UInt8](data)
  }
}

/// Base 32 without padding (RFC 4648, 6), as set-up codes carry it.
enum Base32 {
  private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var (letters, held, count) = ([UInt8](), UInt32(0), 0)
    for byte in bytes {
      held = (held << 8 | UInt32(byte)) & 0xFFFF
      count += 8
      while count >= 5 {
        count -= 5
        letters.append(alphabet[Int(held >> UInt32(count)) & 31])
      }
    }
    if count > 0 { letters.append(alphabet[Int(held << UInt32(5 - count)) & 31]) }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The bytes of a text in either case; nil where it is none, or not the one text of its bytes.
  static func bytes(_ text: String) -> [UInt8]? {
    var (bytes, held, count) = ([UInt8](), UInt32(0), 0)
    for letter in text.uppercased().utf8 {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      held = (held << 5 | UInt32(value)) & 0xFFFF
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(count)))
      }
    }
    return Base32.text(bytes) == text.uppercased() ? bytes : nil
  }
}
