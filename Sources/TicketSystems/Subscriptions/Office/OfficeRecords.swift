internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A subscription as an office looks at it: whatever its fields are, they are shown as they were told.
struct OfficeSubscription {
  static let heads = ["ID", "TIER", "CYCLE", "ENDS", "RENEWS", "FROM", "CHANGED"]

  let id: String
  let told: JSONValue
  private let secrets: [Redaction]

  /// - Returns: `nil` where it has no id: what a server tells that has nothing to tell.
  init?(_ told: JSONValue, hiding secrets: [Redaction]) {
    guard let id = told["originalTransactionId"]?.identifier else { return nil }
    self.id = id
    self.told = told
    self.secrets = secrets
  }

  /// When the service has changed it last, for sorting; what cannot be read comes last.
  var changed: WallTime { told["updatedUtc"]?.string.flatMap { WallTime(iso8601: $0) } ?? WallTime(nanoseconds: .min) }

  private func text(_ name: String) -> String { told[name]?.told(hiding: secrets) ?? "-" }

  var cells: [String] {
    [
      StaffText.clean(id) ?? "-", text("tier"), text("cycle"), text("expiresDateUtc"), text("autoRenewal"),
      text("environment"), text("updatedUtc"),
    ]
  }

  var fields: [(name: String, text: String)] {
    var fields = [
      ("Id", StaffText.clean(id) ?? "-"), ("Tier", text("tier")), ("Cycle", text("cycle")),
      ("Ends", text("expiresDateUtc")), ("Renews", text("autoRenewal")), ("Paid", text("purchaseDateUtc")),
      ("Product", text("productId")), ("Last payment", text("lastTransactionId")), ("From", text("environment")),
      ("Made", text("createdUtc")), ("Changed", text("updatedUtc")),
    ]
    // The document's has neither.
    if told["ftcUserId"] != nil { fields.append(("Account", text("ftcUserId"))) }
    if told["inUse"] != nil { fields.append(("In use", text("inUse"))) }
    return fields.map { (name: $0.0, text: $0.1) }
  }

  /// `…4062: standard until 2020-01-25T00:24:53Z, not renewing`
  var words: String {
    let renewing =
      switch told["autoRenewal"] {
      case .bool(true)?: ", renewing"
      case .bool(false)?: ", not renewing"
      default: ""
      }
    return "\(Code(id).shortened): \(text("tier")) until \(text("expiresDateUtc"))\(renewing)"
  }
}

/// A membership as an office looks at it.
struct OfficeMembership {
  let told: JSONValue
  private let secrets: [Redaction]

  /// - Returns: `nil` where it is nobody's.
  init?(_ told: JSONValue, hiding secrets: [Redaction]) {
    guard told["ftcId"]?.identifier != nil || told["unionId"]?.identifier != nil else { return nil }
    self.told = told
    self.secrets = secrets
  }

  private func text(_ name: String) -> String { told[name]?.told(hiding: secrets) ?? "-" }

  /// The subscription that it is of.
  var subscription: String? { told["appleSubsId"]?.identifier }

  var fields: [(name: String, text: String)] {
    var fields = [
      ("Account", text("ftcId")), ("Tier", text("tier")), ("Cycle", text("cycle")), ("Last day", text("expireDate")),
      ("Renews", text("autoRenew")), ("Paid by", text("payMethod")), ("Subscription", text("appleSubsId")),
    ]
    if case .bool(true)? = told["vip"] { fields.append(("VIP", "yes")) }
    for (name, member) in [("Added standard", "standardAddOn"), ("Added premium", "premiumAddOn")] {
      if let days = told[member]?.integer, days != 0 { fields.append((name, "\(days) days")) }
    }
    return fields.map { (name: $0.0, text: $0.1) }
  }

  /// `premium until 2027-01-31`
  var words: String { "\(text("tier")) until \(text("expireDate"))" }
}
