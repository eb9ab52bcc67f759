internal import ScanModel
internal import WireText

/// A subscription as the service tells it, whole: what lacks one of its fields, or has one of another type, is none.
struct Subscription: Sendable, Equatable {
  /// Whose it is.
  var environment: SubscriptionEnvironment
  /// Its id, as it was asked for.
  var id: SubscriptionID
  /// Its level.
  var tier: SubscriptionTier
  /// From when on it has ended, as far as the service knows.
  var ends: WallTime
  /// Whether it renews itself: then it may have been renewed since.
  var isAutoRenewing: Bool

  /// Why a document is no subscription: in words for whoever runs the service.
  struct Fault: Error, Equatable {
    var words: String
  }

  /// Reads a subscription.
  /// - Throws: the first thing that keeps it from being one.
  init(_ document: JSONValue) throws(Fault) {
    guard case .object = document else { throw Fault(words: "no object") }
    func text(_ name: String) throws(Fault) -> String {
      guard let text = document[name]?.string, !text.isEmpty else { throw Fault(words: "without \(name)") }
      return text
    }
    func word<Word: CaseIterable>(_ name: String, _ words: (Word) -> String) throws(Fault) -> Word {
      let said = try text(name)
      guard let word = Word.allCases.first(where: { words($0) == said }) else {
        throw Fault(words: "with an unknown \(name)")
      }
      return word
    }
    func date(_ name: String) throws(Fault) -> WallTime {
      let said = try text(name)
      guard let date = WallTime(iso8601: said), date >= Self.earliest else {
        throw Fault(words: "without a date in \(name)")
      }
      return date
    }
    environment = try word("environment") { (word: SubscriptionEnvironment) in word.wire }
    guard let id = SubscriptionID(try text("originalTransactionId")) else { throw Fault(words: "without an id") }
    self.id = id
    tier = try word("tier") { (word: SubscriptionTier) in word.rawValue }
    ends = try date("expiresDateUtc")
    guard case .bool(let isAutoRenewing)? = document["autoRenewal"] else { throw Fault(words: "without autoRenewal") }
    self.isAutoRenewing = isAutoRenewing
    // What nobody goes by tells whether it is the service that speaks.
    for name in ["lastTransactionId", "productId"] { _ = try text(name) }
    for name in ["purchaseDateUtc", "createdUtc", "updatedUtc"] { _ = try date(name) }
    _ = try word("cycle") { (word: Cycle) in word.rawValue }
  }

  /// Zero dates are of the years 1 and 1970; before this day there was no such subscription.
  private static let earliest = WallTime(seconds: 1_199_145_600)

  private enum Cycle: String, CaseIterable { case month, year }
}

extension SubscriptionEnvironment {
  /// What the API calls it.
  var wire: String {
    switch self {
    case .production: "Production"
    case .sandbox: "Sandbox"
    }
  }
}
