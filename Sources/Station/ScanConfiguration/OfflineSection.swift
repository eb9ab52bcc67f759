internal import TicketSystemKit

/// What a gate does while its ticket system is offline: `gates.<name>.offline`.
package struct OfflinePolicy: Sendable, Equatable {
  /// Who decides then. The raw values are the words in the file.
  package enum Rule: String, Sendable, CaseIterable {
    /// Nobody: every scan is undecided.
    case refuse
    /// The gate's own filter: whatever passes `accept` is admitted, and told later.
    case admitAndQueue
    /// The list of tickets on board; who is admitted by it is told later.
    case list
  }

  /// What the list counts for while the clock cannot be trusted. The raw values are the words in the file.
  package enum UntrustedClock: String, Sendable, CaseIterable {
    /// Nothing: nobody passes by it.
    case undecided
    /// Neither its age nor a ticket's day is looked at.
    case ignoreDay
  }

  /// How long an answer is awaited unless the file says otherwise.
  package static let usualWait = Duration.seconds(1)

  /// Who decides.
  package var rule = Rule.refuse
  /// How long an answer is awaited before the policy decides; never more than the gate's deadline.
  package var after = usualWait
  /// How many admissions of this gate may wait to be told, with `admitAndQueue`.
  package var most = 100
  /// Whether a rate limit (429) counts as offline.
  package var rateLimited = false
  /// What the list counts for while the clock cannot be trusted, with `list`.
  package var untrustedClock = UntrustedClock.undecided
  /// How long the gate waits for the disk to hold an admission before it opens; after that the journal counts as failing.
  package var durableWithin = Duration.milliseconds(300)
  /// How old the list may be, with `list`; its ticket system says it.
  package var maxAge = TicketListConfiguration().maxAge
  /// For how long what the ticket system has said of one ticket admits, with `list`; likewise.
  package var freshFor: Duration?

  /// Makes the usual policy: nobody passes.
  package init() {}
}

enum OfflineSection {
  static let key = "offline"
  static let policyKey = "policy"

  private static let policy = SchemaKey.key(
    policyKey, .choice(OfflinePolicy.Rule.self), default: .refuse,
    "Who decides: nobody (`refuse`), the gate's `accept` alone (`admitAndQueue`), or the list of tickets on board (`list`)."
  )
  private static let after = SchemaKey.key(
    "after", .duration(.milliseconds(300) ... .milliseconds(2500), example: "1 s"),
    default: OfflinePolicy.usualWait,
    "How long an answer is awaited before the policy decides; no longer than the gate's `deadline`, which is its default where that is shorter."
  )
  private static let most = SchemaKey.key(
    "most", .integer(1...100_000, "admissions", example: "100"), default: OfflinePolicy().most,
    "With `admitAndQueue`: how many admissions of this gate may wait to be told; after that it admits nobody offline.")
  private static let rateLimited = SchemaKey.key(
    "rateLimited", .boolean, default: OfflinePolicy().rateLimited,
    "Whether a ticket system that answers 429, or whose rate is used up here, counts as offline.")
  private static let untrustedClock = SchemaKey.key(
    "untrustedClock", .choice(OfflinePolicy.UntrustedClock.self),
    default: OfflinePolicy().untrustedClock,
    "With `list`: while the clock cannot be trusted, nobody is admitted (`undecided`), or the list counts on any day and at any age (`ignoreDay`)."
  )
  private static let durableWithin = SchemaKey.key(
    "durableWithin", .duration(.milliseconds(20) ... .seconds(5), example: "300 ms"),
    default: OfflinePolicy().durableWithin,
    "How long the gate waits for the disk to hold an admission before it opens; after that the journal counts as failing (`journal.whenFailing`)."
  )

  static let schema = SectionSchema(
    "gates.<name>.offline",
    policy, after, most, rateLimited, untrustedClock, durableWithin)

  static func read(_ reader: SectionReader) -> OfflinePolicy? {
    let policy = reader.read(policy)
    let after = reader.read(after)
    let most = reader.read(most)
    let rateLimited = reader.read(rateLimited)
    let untrustedClock = reader.read(untrustedClock)
    let durableWithin = reader.read(durableWithin)
    if let policy { warnOfIdleKeys(policy, reader) }
    guard let policy, let after, let most, let rateLimited, let untrustedClock, let durableWithin else { return nil }
    var offline = OfflinePolicy()
    offline.rule = policy
    offline.after = after
    offline.most = most
    offline.rateLimited = rateLimited
    offline.untrustedClock = untrustedClock
    offline.durableWithin = durableWithin
    return offline
  }

  /// Somebody who writes how many may wait believes that some are admitted.
  private static func warnOfIdleKeys(_ policy: OfflinePolicy.Rule, _ reader: SectionReader) {
    for key in [after.name, most.name, rateLimited.name, untrustedClock.name, durableWithin.name] {
      guard let place = reader.keyPosition(of: key) else { continue }
      let users: [OfflinePolicy.Rule] =
        switch key {
        case most.name: [.admitAndQueue]
        case untrustedClock.name: [.list]
        default: [.admitAndQueue, .list]
        }
      guard !users.contains(policy) else { continue }
      let words = users.map { "policy: \($0.rawValue)" }.joined(separator: " or ")
      reader.findings.warning(
        at: place, "\(key) has no effect with policy: \(policy.rawValue)", "write \(words), or remove \(key)")
    }
  }
}
