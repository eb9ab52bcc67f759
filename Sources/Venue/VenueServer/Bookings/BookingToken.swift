import Foundation
import LibCrypto

/// A buyer's token as the real server gives it: a JSON web token (RFC 7519), HS256, with issuer and audience.
struct BookingToken: Equatable, Sendable {
  static let issuer = "lastminutelive"
  static let audience = "lastminutelive-mobile"
  /// How long a sign-in lasts, in seconds.
  static let life: Int64 = 7 * 86_400
  /// The same by way of somebody else's account.
  static let socialLife: Int64 = 30 * 86_400

  let userID, email: String

  private static let header = #"{"alg":"HS256"}"#

  /// - Parameter life: in seconds.
  static func signed(for user: BookingUser, at now: Timestamp, life: Int64, with key: SymmetricKey) -> String {
    let claims: JSONText = [
      "userId": .string(user.id), "email": .string(user.email), "role": .string(user.role), "name": .string(user.name),
      "emailVerified": .optional(user.verified?.javaScript), "iat": .integer(now.seconds),
      "exp": .integer(now.seconds + life), "iss": .string(issuer), "aud": .string(audience),
    ]
    let text = Base64URL.text([UInt8](header.utf8)) + "." + Base64URL.text([UInt8](claims.text().utf8))
    return text + "." + Base64URL.text(HMACSHA256(key: key).authenticationCode(for: [UInt8](text.utf8)))
  }

  /// Reads a token; nil for one that this key has not signed or that is over. Nothing in it is looked at before its signature.
  init?(_ text: String, key: SymmetricKey, now: Timestamp) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= 4_096, let code = Base64URL.bytes(parts[2]) else { return nil }
    let signed = [UInt8]((parts[0] + "." + parts[1]).utf8)
    guard HMACSHA256(key: key).isValidAuthenticationCode(code, authenticating: signed) else { return nil }
    struct Claims: Decodable {
      var userId: String
      var email: String
      var exp: Int64
      var iss: String
      var aud: String
    }
    guard let bytes = Base64URL.bytes(parts[1]),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(bytes)), now.seconds < claims.exp,
      claims.iss == Self.issuer, claims.aud == Self.audience
    else { return nil }
    (userID, email) = (claims.userId, claims.email)
  }
}
