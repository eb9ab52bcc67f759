import Foundation
import SQLiteFile

/// The shop, inside a transaction.
struct ShopBook {
  let db: Database
  let now: Timestamp

  /// What the shop has sold under this id.
  func subscription(_ id: String) throws -> ShopSubscription? {
    try db.row("SELECT * FROM shop_subscriptions WHERE original_id = ?", id).map { try read($0) }
  }

  /// What a receipt is of; nil for one that it has not given.
  func subscription(ofReceipt receipt: String) throws -> ShopSubscription? {
    try db.row("SELECT * FROM shop_subscriptions WHERE receipt = ?", receipt).map { try read($0) }
  }

  /// The seeded one of a label.
  func id(seeded label: String) throws -> String? {
    try db.value("SELECT original_id FROM shop_subscriptions WHERE seed = ?", label)
  }

  private func read(_ row: StoredRow) throws -> ShopSubscription {
    let id: String = try row["original_id"]
    let transactions = try db.rows(
      "SELECT * FROM shop_transactions WHERE original_id = ? ORDER BY expires_at DESC, rowid DESC", id
    ).map { row in
      let cancelled: Int64? = try row["cancelled_at"]
      return try ShopSubscription.Transaction(
        id: row["id"], product: ShopProduct(rawValue: row["product"]) ?? .standardMonth,
        purchased: Timestamp(clamping: row["purchased_at"]), expires: Timestamp(clamping: row["expires_at"]),
        cancelled: cancelled.map { Timestamp(clamping: $0) })
    }
    guard let latest = transactions.first else { throw SQLiteError.damage("nothing was paid for \(id)") }
    return try ShopSubscription(
      id: id, environment: ShopEnvironment(rawValue: row["environment"]) ?? .production, receipt: row["receipt"],
      answer: ShopAnswer(row["answer"]) ?? .valid, renews: row["renews"], transactions: transactions, latest: latest)
  }

  /// Sells one.
  func add(_ new: NewSubscription, id: String, product: ShopProduct, purchased: Timestamp, expires: Timestamp) throws {
    var random = SystemRandomNumberGenerator()
    let receipt = Data(Secret.bytes(384, &random)).base64EncodedString()
    try db.run(
      """
      INSERT INTO shop_subscriptions (original_id, environment, receipt, answer, renews, seed) VALUES (?, ?, ?, ?, ?, ?)
      """, id, new.environment.rawValue, receipt, new.answer.text, new.renews, new.label)
    try db.run(
      """
      INSERT INTO shop_transactions (id, original_id, product, purchased_at, expires_at) VALUES (?, ?, ?, ?, ?)
      """, id, id, product.rawValue, purchased.seconds, expires.seconds)
  }

  /// Has it end at another time, and no payment later than that.
  func end(_ sold: ShopSubscription, at time: Timestamp, renews: Bool) throws {
    try db.run(
      """
      UPDATE shop_transactions SET expires_at = ?1, purchased_at = min(purchased_at, ?1)
      WHERE original_id = ?2 AND (expires_at > ?1 OR id = ?3)
      """, time.seconds, sold.id, sold.latest.id)
    try db.run("UPDATE shop_subscriptions SET renews = ? WHERE original_id = ?", renews, sold.id)
  }

  /// Has it paid for again, from its end on.
  /// - Parameter until: the new end; one cycle later, or as many as lead past now, where it is nil.
  func renew(_ sold: ShopSubscription, until: Timestamp?) throws {
    var random = SystemRandomNumberGenerator()
    var id = Self.digits(15, &random)
    while try exists(transaction: id) { id = Self.digits(15, &random) }
    let end = until ?? Self.end(after: sold.latest.expires, sold.latest.product.cycle, past: now)
    try db.run(
      "INSERT INTO shop_transactions (id, original_id, product, purchased_at, expires_at) VALUES (?, ?, ?, ?, ?)", id,
      sold.id, sold.latest.product.rawValue, min(sold.latest.expires.seconds, end.seconds), end.seconds)
    try db.run("UPDATE shop_subscriptions SET renews = ? WHERE original_id = ?", true, sold.id)
  }

  /// Gives the last payment back.
  func refund(_ sold: ShopSubscription) throws {
    try db.run("UPDATE shop_transactions SET cancelled_at = ? WHERE id = ?", now.seconds, sold.latest.id)
  }

  func exists(transaction id: String) throws -> Bool {
    try db.value("SELECT 1 FROM shop_transactions WHERE id = ?", id) as Int64? != nil
  }

  /// An id as the shop gives them: test accounts' begin with 1000000.
  func freshID(_ environment: ShopEnvironment, _ random: inout some RandomNumberGenerator) throws -> String {
    while true {
      let id = environment == .sandbox ? "1000000" + Self.digits(9, &random) : Self.digits(15, &random)
      if try !exists(transaction: id) { return id }
    }
  }

  private static func digits(_ count: Int, _ random: inout some RandomNumberGenerator) -> String {
    (0..<count).map { String(Int.random(in: ($0 == 0 ? 2 : 0)...9, using: &random)) }.joined()
  }

  /// The end of the first cycle that leads past a time, by the calendar of UTC.
  static func end(after start: Timestamp, _ cycle: MemberCycle, past now: Timestamp) -> Timestamp {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let date = Date(timeIntervalSince1970: Double(start.seconds))
    let unit: Calendar.Component = cycle == .month ? .month : .year
    // 2,000 years of months: no end is further away.
    for count in 1...24_000 {
      guard let end = calendar.date(byAdding: unit, value: count, to: date) else { break }
      if Timestamp(end).seconds > now.seconds { return Timestamp(end) }
    }
    return Timestamp(seconds: max(start.seconds, now.seconds) + 30 * 86_400)
  }
}
