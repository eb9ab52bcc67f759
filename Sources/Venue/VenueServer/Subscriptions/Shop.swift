/// Where a subscription was bought.
package enum ShopEnvironment: String, Sendable, CaseIterable, Codable {
  case production = "Production"
  /// By a test account.
  case sandbox = "Sandbox"
}

/// What a subscription entitles to.
package enum MemberTier: String, Sendable, CaseIterable, Codable {
  case standard, premium
}

/// How long one payment lasts.
package enum MemberCycle: String, Sendable, CaseIterable, Codable {
  case month, year
}

/// What the shop sells.
enum ShopProduct: String, Sendable, CaseIterable {
  case standardMonth = "com.ft.ftchinese.mobile.subscription.member.monthly"
  case standardYear = "com.ft.ftchinese.mobile.subscription.member"
  case premiumYear = "com.ft.ftchinese.mobile.subscription.vip"

  init?(_ tier: MemberTier, _ cycle: MemberCycle) {
    guard let product = Self.allCases.first(where: { $0.tier == tier && $0.cycle == cycle }) else { return nil }
    self = product
  }

  var tier: MemberTier { self == .premiumYear ? .premium : .standard }
  var cycle: MemberCycle { self == .standardMonth ? .month : .year }
}

/// What the shop says of a receipt. As text `valid`, `other-app`, `empty`, `not-json`, `no-receipt`, or a status such as 21005.
package enum ShopAnswer: Sendable, Hashable {
  /// It is good.
  case valid
  /// It is of another app.
  case otherApp
  /// It is good, and there is nothing in it.
  case empty
  /// The shop's answer is no JSON.
  case notJSON
  /// The service has lost the receipt; whoever has it may still send it.
  case noReceipt
  /// The shop refuses it with this number, from 21000 to 21199.
  case status(Int)

  private static let words: [(String, ShopAnswer)] = [
    ("valid", .valid), ("other-app", .otherApp), ("empty", .empty), ("not-json", .notJSON), ("no-receipt", .noReceipt),
  ]

  /// Reads such a text.
  package init?(_ text: String) {
    if let (_, answer) = Self.words.first(where: { $0.0 == text }) {
      self = answer
    } else {
      guard let number = Int(text), (21_000...21_199).contains(number) else { return nil }
      self = .status(number)
    }
  }

  /// The text that reads as this.
  package var text: String {
    if case .status(let number) = self { return String(number) }
    return Self.words.first { $0.1 == self }?.0 ?? ""
  }

  /// The shop's own words for a status.
  static func words(_ status: Int) -> String {
    switch status {
    case 21_000: "The request to the App Store was not made using the HTTP POST request method."
    case 21_002: "The data in the receipt-data property was malformed or missing."
    case 21_003: "The receipt could not be authenticated."
    case 21_004: "The shared secret you provided does not match the shared secret on file for your account."
    case 21_005: "The receipt server is not currently available."
    case 21_006: "This receipt is valid but the subscription has expired."
    case 21_007:
      "This receipt is from the test environment, but it was sent to the production environment for verification."
    case 21_008:
      "This receipt is from the production environment, but it was sent to the test environment for verification."
    case 21_009: "Internal data access error. Try again later."
    case 21_010: "The user account cannot be found or has been deleted."
    default: "Internal data access error."
    }
  }
}

/// What the shop has sold to somebody.
struct ShopSubscription: Sendable {
  /// One payment.
  struct Transaction: Sendable {
    let id: String
    let product: ShopProduct
    let purchased, expires: Timestamp
    let cancelled: Timestamp?
  }

  static let bundle = "com.ft.ftchinese.mobile"

  let id: String
  let environment: ShopEnvironment
  let receipt: String
  let answer: ShopAnswer
  /// Whether it is set to renew.
  let renews: Bool
  /// All payments, the one that ends last first; never empty.
  let transactions: [Transaction]
  let latest: Transaction

  /// Whether it will renew: what has been cancelled will not.
  var autoRenewal: Bool { renews && latest.cancelled == nil }

  /// What the shop answers about its receipt.
  func body(at now: Timestamp) -> JSONText {
    [
      "environment": .string(environment.rawValue), "latest_receipt": .string(receipt),
      "latest_receipt_info": .array(transactions.map { text($0) }),
      "pending_renewal_info": .array([pending(at: now)]), "status": 0, "is-retryable": false,
      "receipt": [
        "receipt_type": .string(environment == .production ? "Production" : "ProductionSandbox"), "adam_id": 0,
        "app_item_id": 0, "bundle_id": .string(Self.bundle), "application_version": "37", "download_id": 0,
        "version_external_identifier": 0, "request_date_ms": .string(Self.milliseconds(now)),
        "original_application_version": "1.0", "in_app": .array(transactions.map { text($0) }),
      ],
    ]
  }

  private func text(_ transaction: Transaction) -> JSONText {
    let first = transactions.map(\.purchased.seconds).min() ?? 0
    var members: [(key: String, value: JSONText)] = [
      ("quantity", "1"), ("product_id", .string(transaction.product.rawValue)),
      ("transaction_id", .string(transaction.id)), ("original_transaction_id", .string(id)),
      ("purchase_date", .string(Self.words(transaction.purchased))),
      ("purchase_date_ms", .string(Self.milliseconds(transaction.purchased))),
      ("original_purchase_date_ms", .string(Self.milliseconds(Timestamp(seconds: first)))),
      ("expires_date", .string(Self.words(transaction.expires))),
      ("expires_date_ms", .string(Self.milliseconds(transaction.expires))),
      ("web_order_line_item_id", .string(String(transaction.id.suffix(9)))), ("is_trial_period", "false"),
      ("is_in_intro_offer_period", "false"),
    ]
    if let cancelled = transaction.cancelled {
      members.append(("cancellation_date_ms", .string(Self.milliseconds(cancelled))))
      members.append(("cancellation_reason", "0"))
    }
    return .object(members)
  }

  private func pending(at now: Timestamp) -> JSONText {
    var members: [(key: String, value: JSONText)] = [
      ("auto_renew_product_id", .string(latest.product.rawValue)), ("original_transaction_id", .string(id)),
      ("product_id", .string(latest.product.rawValue)), ("auto_renew_status", .string(autoRenewal ? "1" : "0")),
    ]
    if !autoRenewal, latest.expires.seconds <= now.seconds { members.append(("expiration_intent", "1")) }
    return .object(members)
  }

  private static func milliseconds(_ time: Timestamp) -> String { String(time.seconds * 1_000) }
  private static func words(_ time: Timestamp) -> String { time.sql + " Etc/GMT" }
}
