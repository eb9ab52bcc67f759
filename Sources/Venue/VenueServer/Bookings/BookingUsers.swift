import LibCrypto
import SQLiteFile

/// Somebody who buys.
struct BookingUser: Sendable, Equatable {
  let id, email, name, role: String
  let verified: Timestamp?
  let created: Timestamp

  init(_ row: StoredRow) throws {
    (id, email, name, role) = (try row["id"], try row["email"], try row["name"], try row["role"])
    let verified: Int64? = try row["verified_at"]
    self.verified = verified.map { Timestamp(clamping: $0) }
    created = Timestamp(clamping: try row["created_at"])
  }

  /// As the shape tells it.
  func text(_ shape: BookingShape) -> JSONText {
    guard shape == .real else {
      return [
        "id": .string(id), "email": .string(email), "name": .string(name), "created_at": .string(created.javaScript),
      ]
    }
    return [
      "id": .string(id), "email": .string(email), "name": .string(name), "role": .string(role),
      "emailVerified": .optional(verified?.javaScript),
    ]
  }
}

/// Buyers, inside a transaction.
struct BookingUsers {
  let db: Database
  let now: Timestamp

  /// How long what a mail brings is good, in seconds.
  static let mailLife: Int64 = 3_600

  func find(_ email: String) throws -> BookingUser? {
    try db.row("SELECT * FROM theatre_users WHERE email = ?", email).map { try BookingUser($0) }
  }

  func add(
    _ email: String, name: String, password: String, role: String = "customer", verified: Bool = false,
    _ random: inout some RandomNumberGenerator
  ) throws -> BookingUser {
    let id = Secret.uuid(&random)
    try db.run(
      """
      INSERT INTO theatre_users (id, email, name, role, password, verified_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
      """, id, email, name, role, try Self.hash(db, password, of: email), verified ? now.seconds : nil, now.seconds)
    guard let user = try find(email) else { throw SQLiteError.damage("an account that was made is not there") }
    return user
  }

  func has(_ password: String, _ email: String) throws -> Bool {
    let stored: String? = try db.value("SELECT password FROM theatre_users WHERE email = ?", email)
    return try stored == Self.hash(db, password, of: email)
  }

  func setPassword(_ password: String, of email: String) throws {
    try db.run(
      "UPDATE theatre_users SET password = ?, reset_token = NULL, reset_until = NULL WHERE email = ?",
      try Self.hash(db, password, of: email), email)
  }

  func verify(_ email: String) throws {
    try db.run(
      """
      UPDATE theatre_users SET verified_at = coalesce(verified_at, ?), verify_token = NULL, verify_until = NULL WHERE email = ?
      """, now.seconds, email)
  }

  /// What is sent by mail; the one that was sent before is good no more.
  enum Mail: String, CaseIterable { case verify, reset }

  @discardableResult
  func send(_ mail: Mail, to email: String, _ random: inout some RandomNumberGenerator) throws -> String {
    let token = Secret.hex(Secret.bytes(32, &random))
    try db.run(
      "UPDATE theatre_users SET \(mail.rawValue)_token = ?, \(mail.rawValue)_until = ? WHERE email = ?", token,
      now.seconds + Self.mailLife, email)
    return token
  }

  /// Whether a token is the one that was sent last, and still good.
  func isGood(_ token: String, _ mail: Mail, of email: String) throws -> Bool {
    try db.value(
      """
      SELECT 1 FROM theatre_users WHERE email = ? AND \(mail.rawValue)_token = ? AND \(mail.rawValue)_until > ?
      """, email, token, now.seconds) as Int64? != nil
  }

  /// By the venue's own key: whoever has the file has no passwords.
  static func hash(_ db: Database, _ password: String, of name: String) throws -> String {
    Secret.hex(HMACSHA256(key: try VenueSecret.key(db)).authenticationCode(for: [UInt8]("\(name)\n\(password)".utf8)))
  }
}

extension Secret {
  /// A UUID of version 4, in lower case.
  static func uuid(_ random: inout some RandomNumberGenerator) -> String {
    var bytes = bytes(16, &random)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = hex(bytes)
    var (text, at) = ("", digits.startIndex)
    for length in [8, 4, 4, 4, 12] {
      let end = digits.index(at, offsetBy: length)
      text += (text.isEmpty ? "" : "-") + digits[at..<end]
      at = end
    }
    return text
  }

  /// 10 to 12 of `A-Z0-9`, as a booking's code is.
  static func bookingCode(_ random: inout some RandomNumberGenerator) -> String {
    let letters = [UInt8]("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    let code = (0..<Int.random(in: 10...12, using: &random)).map { _ in
      letters[Int.random(in: 0..<letters.count, using: &random)]
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// A password that keeps the real server's rules.
  static func password(_ random: inout some RandomNumberGenerator) -> String {
    "Aa1" + String(apiKey(&random).prefix(17))
  }
}
