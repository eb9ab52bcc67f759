import HTTPTypes
import SQLiteFile

/// What the subscription service does about one request, inside one transaction: what is read is still true when it is written.
struct SubscriptionDesk {
  let db: Database
  let shape: SubscriptionShape
  let base: SubscriptionBase
  let now: Timestamp

  private var shop: ShopBook { ShopBook(db: db, now: now) }
  private var book: SubscriptionBook { SubscriptionBook(db: db) }
  private var memberships: MembershipBook { MembershipBook(db: db) }

  // MARK: Receipts

  /// `POST /apple/verify-receipt`
  func verify(_ input: SubscriptionInput) throws -> Answer {
    let sold = try verified(try input.text("receiptData"))
    try update(StoredSubscription(sold, at: now))
    return shape.ok(sold.body(at: now))
  }

  /// `POST /apple/subs`
  func add(_ input: SubscriptionInput) throws -> Answer {
    let fresh = StoredSubscription(try verified(try input.text("receiptData")), at: now)
    try update(fresh)
    // The real one tells what it has read off the receipt, not what it has stored.
    let told = shape == .real ? fresh : try book.find(fresh.id) ?? fresh
    return shape.ok(.object(told.text(shape)))
  }

  /// What the shop says of a receipt, which is shown to the shop of the address that was used and to no other.
  private func verified(_ receipt: String) throws -> ShopSubscription {
    guard let sold = try shop.subscription(ofReceipt: receipt) else {
      let isBase64 = receipt.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "+/=".utf8.contains(byte)
      }
      throw refused(isBase64 ? 21_003 : 21_002)
    }
    return try verified(sold)
  }

  private func verified(_ sold: ShopSubscription) throws -> ShopSubscription {
    if sold.environment != base.environment { throw refused(sold.environment == .sandbox ? 21_007 : 21_008) }
    switch sold.answer {
    case .valid, .noReceipt: return sold
    case .status(let number): throw refused(number)
    case .otherApp:
      throw shape.invalid(
        "bundle_id", "invalid", shape == .real ? "Bundle id mismatched" : Self.malformed)
    case .empty:
      throw shape.invalid(
        "latest_receipt_info", "missing_field",
        shape == .real ? "No subscription found" : "Latest receipt info should not be empty")
    case .notJSON:
      throw shape.refusal(
        shape == .real ? .badRequest : .internalServerError, "invalid character '<' looking for beginning of value")
    }
  }

  private static let malformed = "The data in the receipt-data property was malformed or missing"

  private func refused(_ status: Int) -> Answer {
    guard shape == .real else { return shape.invalid("status", "invalid", Self.malformed) }
    return shape.invalid("status", String(status), ShopAnswer.words(status))
  }

  /// Writes down what a receipt has told, and what follows for whose membership it is.
  /// - Returns: that membership as it is now; nil where it is none or was not touched.
  @discardableResult private func update(_ fresh: StoredSubscription) throws -> StoredMembership? {
    try book.save(fresh)
    guard let former = try memberships.membership(ofSubscription: fresh.id), former.ends(before: fresh) else {
      return nil
    }
    let membership = StoredMembership(fresh, of: former.ftcID, after: former)
    try memberships.save(membership)
    return membership
  }

  // MARK: Subscriptions

  /// `GET /apple/subs`
  /// - Parameter user: whose are asked for; the real server tells no others.
  func list(_ query: [String: String], user: String?) throws -> Answer {
    let page = SubscriptionPage(query)
    guard shape == .real else {
      let limit = page.limit < 1 ? SubscriptionPage(["page": "\(page.number)"]) : page
      return listed(try book.all(limit).map { .object($0.text(shape)) }, try book.count(), limit)
    }
    guard let user else { return shape.noUser }
    guard page.limit >= 0 else {
      return shape.refusal(.internalServerError, "Error 1064: You have an error in your SQL syntax")
    }
    let data = try book.all(of: user, page).map { JSONText.object($0.subscription.text(shape, inUse: $0.inUse)) }
    return listed(data, try book.count(of: user), page)
  }

  private func listed(_ data: [JSONText], _ total: Int64, _ page: SubscriptionPage) -> Answer {
    shape.ok([
      "total": .integer(total), "page": .integer(page.number), "limit": .integer(page.limit), "data": .array(data),
    ])
  }

  /// `GET /apple/subs/ID`
  func show(_ id: String) throws -> Answer {
    guard let found = try book.find(id) else { return shape.notFound }
    return shape.ok(.object(found.text(shape)))
  }

  /// `GET /apple/receipt/ID`
  func receipt(_ id: String) throws -> Answer {
    guard let found = try book.find(id) else { return shape.notFound }
    guard let sold = try shop.subscription(id), sold.answer != .noReceipt else {
      return shape.refusal(.notFound, "Apple subscription not found")
    }
    return shape.ok(.object(found.text(shape) + [("receipt", .string(sold.receipt))]))
  }

  /// `PATCH /apple/subs/ID`
  func refresh(_ id: String) throws -> Answer {
    guard let found = try book.find(id) else { return shape.notFound }
    guard let sold = try shop.subscription(id), sold.answer != .noReceipt else {
      return shape.refusal(.notFound, "Not found the Apple subscription to refresh")
    }
    var fresh = StoredSubscription(try verified(sold), at: now)
    fresh.created = found.created
    let membership = try update(fresh)
    guard shape == .real else { return shape.ok(.object(fresh.text(shape))) }
    // Nothing is told unless a membership has changed, although the row has.
    return shape.ok([
      "subscription": membership == nil ? StoredSubscription.nothing : .object(fresh.text(shape)),
      "membership": StoredMembership.text(membership, shape),
    ])
  }

  /// `POST /webhook/apple`: what the shop tells by itself.
  func notified(_ input: SubscriptionInput) throws -> Answer? {
    guard case .object(let receipt) = input.value("unified_receipt"),
      case .array(let transactions)? = receipt["latest_receipt_info"], let first = transactions.first
    else { return shape.invalid("unified_receipt", "invalid", "unified receipt field is not valid") }
    guard case .object(let transaction) = first, let id = transaction["original_transaction_id"]?.text,
      let sold = try shop.subscription(id)
    else { return nil }
    var fresh = StoredSubscription(sold, at: now)
    fresh.created = try book.find(id)?.created ?? now
    try update(fresh)
    return nil
  }

  /// As when the shop tells by itself what has become of what it sold.
  func learn(_ sold: ShopSubscription) throws { try update(StoredSubscription(sold, at: now)) }

  // MARK: Links

  /// `POST /apple/link`
  func link(_ input: SubscriptionInput) throws -> Answer {
    let (ftcID, id) = (try input.text("ftcId"), try input.text("originalTxId"))
    let force = shape == .real ? try input.flag("force") : false
    guard try memberships.hasAccount(ftcID), let subscription = try book.find(id) else { return shape.notFound }
    if shape == .real {
      if let owner = subscription.ftcID, owner != ftcID { return answer(LinkStrategy.claimed) }
      // It is claimed before it is judged, and stays so whatever comes of it.
      try book.claim(id, for: ftcID)
    }
    let former = try memberships.membership(of: ftcID)
    let strategy = LinkStrategy(
      account: former, linked: try memberships.membership(ofSubscription: id), subscription: subscription, now: now)
    let decision = shape == .real ? strategy.real(force: force) : strategy.documented
    switch decision {
    case .link:
      let membership = StoredMembership(subscription, of: ftcID, after: former)
      try memberships.save(membership)
      try book.claim(id, for: ftcID)
      return shape.ok(membership.text(shape))
    case .unchanged: return shape.ok(StoredMembership.text(former, shape))
    case .refused: return answer(decision)
    }
  }

  private func answer(_ decision: LinkStrategy.Decision) -> Answer {
    guard case .refused(let field, let code, let message) = decision else { return shape.notFound }
    return shape.linkRefused(field, code, message)
  }

  /// `POST /apple/unlink`
  func unlink(_ input: SubscriptionInput) throws -> Answer {
    let ftcID: String
    let id: String
    do throws(Answer) {
      ftcID = try input.text("ftcId")
      id = try input.text("originalTxId")
    } catch {
      guard shape == .real, error.status == .unprocessableContent else { throw error }
      // The real server goes on, and says that there is no such thing behind what it has said: the status is the first's.
      let second = try unlinked(ftcID: (try? input.text("ftcId")) ?? "", (try? input.text("originalTxId")) ?? "")
      return followed(error, by: second)
    }
    return try unlinked(ftcID: ftcID, id)
  }

  private func unlinked(ftcID: String, _ id: String) throws -> Answer {
    guard let subscription = try book.find(id) else { return shape.notFound }
    let linked = try memberships.membership(ofSubscription: id)
    let owner = shape == .real ? subscription.ftcID : linked?.ftcID
    guard owner == ftcID, linked == nil || linked?.ftcID == ftcID else {
      return shape.invalid("ftcId", "invalid", "IAP is not linked to the ftc account")
    }
    try book.claim(id, for: nil)
    if linked != nil { try memberships.remove(ftcID) }
    return Answer(status: .noContent, body: nil)
  }

  /// Two texts in one body.
  private func followed(_ first: Answer, by second: Answer) -> Answer {
    guard second.status != .noContent else { return first }
    var both = first
    both.body = .json(first.body.text(first.layout) + second.body.text(second.layout))
    return both
  }
}
