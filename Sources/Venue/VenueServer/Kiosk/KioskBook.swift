package import FoundationEssentials
import SQLiteFile

/// What the venue knows of kiosks, inside a transaction.
struct KioskBook {
  let db: Database
  let now: Timestamp

  /// Makes a kiosk known, or notes that it has shown itself again.
  func register(_ id: String, version: String) throws {
    try db.run(
      """
      INSERT INTO kiosks (id, version, seen_at) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, seen_at = excluded.seen_at
      """, id, version, now.seconds)
  }

  /// Makes a kiosk known and active; its configuration stays as it is.
  func activate(_ id: String) throws {
    try db.run(
      """
      INSERT INTO kiosks (id, version, seen_at, activated_at) VALUES (?, '', ?, ?)
      ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, activated_at = excluded.activated_at
      """, id, now.seconds, now.seconds)
  }

  func kiosk(_ id: String) throws -> Kiosk? {
    try db.row("SELECT * FROM kiosks WHERE id = ?", id).map { try Kiosk($0) }
  }

  /// All of them, by their ids.
  func kiosks() throws -> [Kiosk] {
    try db.rows("SELECT * FROM kiosks ORDER BY id").map { try Kiosk($0) }
  }

  /// Notes how a kiosk says it is.
  func note(_ status: String, at time: String?, isManual: Bool, of id: String) throws {
    try db.run(
      "UPDATE kiosks SET status = ?, status_time = ?, status_at = ?, manual_override = ?, seen_at = ? WHERE id = ?",
      status, time, now.seconds, isManual, now.seconds, id)
  }

  /// From now on none of its tokens is accepted.
  func revoke(_ id: String) throws {
    try db.run("UPDATE kiosks SET generation = generation + 1 WHERE id = ?", id)
  }

  /// The kiosk of a token; nil where the token is not accepted.
  func kiosk(token: String, parties: KioskToken.Parties? = nil) throws -> Kiosk? {
    guard
      let read = KioskToken(token, key: try VenueSecret.key(db), now: now.seconds, parties: parties),
      let kiosk = try kiosk(read.kioskID), kiosk.generation == read.generation
    else { return nil }
    return kiosk
  }

  /// A token for a kiosk.
  func token(of id: String, life: Int64) throws -> (text: String, expires: Int64)? {
    guard let kiosk = try kiosk(id) else { return nil }
    let token = KioskToken(
      kioskID: id, generation: kiosk.generation, issued: now.seconds, expires: now.seconds + life)
    return (token.signed(with: try VenueSecret.key(db)), token.expires)
  }
}

// MARK: - Activation codes

extension KioskBook {
  /// What a code is worth.
  enum CodeState: Equatable {
    /// It can be used, by this kiosk only where it names one.
    case unused(for: String?)
    case used
    case expired
    case unknown
  }

  /// Stores a code; only its hash is kept.
  func add(code: String, for kiosk: String?, expires: Int64) throws {
    try db.run(
      "INSERT INTO activation_codes (sha256, kiosk_id, expires_at) VALUES (?, ?, ?)",
      Secret.hash([UInt8](code.utf8)), kiosk, expires)
  }

  func state(ofCode code: String) throws -> CodeState {
    let sql = "SELECT kiosk_id, expires_at, used_by FROM activation_codes WHERE sha256 = ?"
    guard let row = try db.row(sql, Secret.hash([UInt8](code.uppercased().utf8))) else { return .unknown }
    if let _: String = try row["used_by"] { return .used }
    let expires: Int64 = try row["expires_at"]
    return try now.seconds < expires ? .unused(for: row["kiosk_id"]) : .expired
  }

  /// Uses a code up.
  func use(code: String, by kiosk: String) throws {
    try db.run(
      "UPDATE activation_codes SET used_by = ?, used_at = ? WHERE sha256 = ? AND used_by IS NULL",
      kiosk, now.seconds, Secret.hash([UInt8](code.uppercased().utf8)))
  }
}

/// A kiosk that the venue knows.
package struct Kiosk: Sendable, Equatable {
  /// Its id: what it has registered as, or what an activation has given it.
  package let id: String
  /// The version that it has told; empty where it has told none.
  package let version: String
  /// When it was heard last, by the venue's clock.
  package let seen: Date
  /// When it was activated last; nil where it never was.
  package let activated: Date?
  /// The status that it has told last, in its own spelling.
  package let status: String?
  /// The time that it told with it, as it wrote it.
  package let statusTime: String?
  /// When that came, by the venue's clock.
  package let statusReceived: Date?
  /// Whether it says that staff have set it by hand; nil where it does not say.
  package let manualOverride: Bool?
  let generation: Int64

  init(_ row: StoredRow) throws {
    func date(_ name: String) throws -> Date? {
      let seconds: Int64? = try row[name]
      return seconds.map { Date(timeIntervalSince1970: Double($0)) }
    }
    id = try row["id"]
    version = try row["version"]
    seen = try date("seen_at") ?? Date(timeIntervalSince1970: 0)
    activated = try date("activated_at")
    status = try row["status"]
    statusTime = try row["status_time"]
    statusReceived = try date("status_at")
    manualOverride = try row["manual_override"]
    generation = try row["generation"]
  }

  /// The members of its JSON: `id`, `version`, `seen`, `activated`, `status`, `status_time`, `status_received` and
  /// `manual_override`; what is not known is null.
  var members: [(key: String, value: JSONText)] {
    func time(_ date: Date?) -> JSONText { .optional(date.map { Timestamp($0).utc }) }
    return [
      ("id", .string(id)), ("version", .string(version)), ("seen", time(seen)), ("activated", time(activated)),
      ("status", .optional(status)), ("status_time", .optional(statusTime)), ("status_received", time(statusReceived)),
      ("manual_override", manualOverride.map { .bool($0) } ?? .null),
    ]
  }
}
