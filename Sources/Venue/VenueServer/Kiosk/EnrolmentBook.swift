import Foundation
import LibCrypto
import SQLiteFile

/// One-time secrets for which stations get an API key, inside a transaction. Of a secret only its hash is stored.
struct EnrolmentBook {
  /// How long an answer that was lost on its way is given again to the station that it was for, in seconds.
  static let repeatable: Int64 = 600
  /// The length of a secret, in bytes.
  static let secretLength = 16

  let db: Database
  let now: Timestamp

  /// What a gate is told of itself.
  struct Gate: Sendable, Equatable {
    var name: String
    /// The sale ticket that the gate names in each scan; nil for none.
    var saleTicket: Int64?
    /// The seat, likewise.
    var seat: String?
  }

  enum Outcome: Sendable, Equatable {
    case enrolled(Gate, url: String, apiKey: String)
    case unknown, expired, used, otherStation, otherGate
  }

  func add(secret: [UInt8], gate: Gate, station: String?, expires: Int64) throws {
    try db.run(
      "INSERT INTO enrolments (sha256, gate, sale_ticket, seat, station_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
      Secret.hash(secret), gate.name, gate.saleTicket, gate.seat, station, expires)
  }

  /// Uses a secret up, or gives once more what it has given.
  func enrol(_ secret: [UInt8], station: String, gate wanted: String?, url: String) throws -> Outcome {
    let hash = Secret.hash(secret)
    guard let row = try db.row("SELECT * FROM enrolments WHERE sha256 = ?", hash) else { return .unknown }
    let gate = try Gate(name: row["gate"], saleTicket: row["sale_ticket"], seat: row["seat"])
    if let by: String = try row["used_by"], let at: Int64 = try row["used_at"] {
      guard by == station, at >= now.seconds - Self.repeatable, wanted == nil || wanted == gate.name else {
        return .used
      }
      return try .enrolled(gate, url: row["url"], apiKey: apiKey(secret, station))
    }
    let expires: Int64 = try row["expires_at"]
    guard now.seconds < expires else { return .expired }
    if let meant: String = try row["station_id"], meant != station { return .otherStation }
    if let wanted, wanted != gate.name { return .otherGate }
    let key = try apiKey(secret, station)
    try APIKeys.store(db, hash: APIKeys.hash(key), ability: .manage)
    try db.run(
      "UPDATE enrolments SET used_by = ?, used_at = ?, url = ? WHERE sha256 = ?", station, now.seconds, url, hash)
    return .enrolled(gate, url: url, apiKey: key)
  }

  /// The key that a station gets for a secret: made of both and of what only this venue has, so that it can be told again
  /// and need not be kept.
  private func apiKey(_ secret: [UInt8], _ station: String) throws -> String {
    let input = [UInt8]("enrolment".utf8) + secret + [UInt8](station.utf8)
    return Secret.hex(HMACSHA256(key: try VenueSecret.key(db)).authenticationCode(for: input))
  }
}
