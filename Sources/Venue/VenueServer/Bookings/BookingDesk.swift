import HTTPTypes
import LibCrypto
import SQLiteFile

/// What the booking service does about one request, inside one transaction: what is read is still true when it is written.
struct BookingDesk {
  let db: Database
  let shape: BookingShape
  let now: Timestamp

  var users: BookingUsers { BookingUsers(db: db, now: now) }

  /// Gives a signed-in buyer a token: the real server's says who it is of, the document's nothing.
  func token(for user: BookingUser, life: Int64) throws -> String {
    guard shape == .document else {
      return BookingToken.signed(for: user, at: now, life: life, with: try VenueSecret.key(db))
    }
    var random = SystemRandomNumberGenerator()
    let token = Secret.apiKey(&random)
    try db.run(
      "INSERT INTO theatre_tokens (sha256, user_id, expires_at) VALUES (?, ?, ?)", APIKeys.hash(token), user.id,
      now.seconds + life)
    return token
  }

  /// Whose token it is; nil where it is nobody's, or over.
  func user(ofToken token: String) throws -> BookingUser? {
    guard shape == .document else {
      guard let read = BookingToken(token, key: try VenueSecret.key(db), now: now),
        let user = try users.find(read.email), user.id == read.userID
      else { return nil }
      return user
    }
    return try db.row(
      """
      SELECT theatre_users.* FROM theatre_tokens JOIN theatre_users ON theatre_users.id = user_id
      WHERE sha256 = ? AND expires_at > ?
      """, APIKeys.hash(token), now.seconds
    ).map { try BookingUser($0) }
  }
}
