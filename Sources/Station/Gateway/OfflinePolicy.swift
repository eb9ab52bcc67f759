internal import Admission
import ScanModel

/// What a gate does while its ticket system is offline.
package struct OfflinePolicy: Sendable, Equatable {
  /// Who may pass then.
  package enum Rule: Sendable, Equatable {
    /// Nobody.
    case refuse
    /// Whoever shows a code that passes the gate's filter, until so many admissions of the gate wait to be told.
    case admitAndQueue(most: Int)
    /// Whom the list on board names, while it is no older than this.
    case list(maxAge: Duration)
  }

  /// What the list counts for while the machine's clock cannot be trusted.
  package enum ClockRule: Sendable, Equatable {
    /// Nothing: nobody passes by it.
    case undecided
    /// Neither its age nor a ticket's day is looked at.
    case ignoreDay
  }

  /// Who may pass.
  package var rule: Rule
  /// How long an answer is awaited before the policy decides.
  package var after: Duration
  /// Whether a spent budget (429) counts as offline.
  package var rateLimited: Bool
  /// What the list counts for without a trusted clock.
  package var untrustedClock: ClockRule
  /// How long an admission waits to be durable before the policy for a failing journal decides.
  package var durableWithin: Duration

  /// Makes a policy; without arguments nobody passes.
  package init(
    _ rule: Rule = .refuse, after: Duration = .seconds(1), rateLimited: Bool = false,
    untrustedClock: ClockRule = .undecided, durableWithin: Duration = .milliseconds(300)
  ) {
    self.rule = rule
    self.after = after
    self.rateLimited = rateLimited
    self.untrustedClock = untrustedClock
    self.durableWithin = durableWithin
  }

  /// Whether anybody ever passes by it.
  package var mayAdmit: Bool { rule != .refuse }

  /// Whether it decides when the ticket system is offline for this cause.
  func applies(to cause: OfflineCause) -> Bool { mayAdmit && (cause != .rateLimited || rateLimited) }
}

/// What a gate's policy says of one scan, before the ledger has judged whether the ticket has an admission left.
enum OfflineWord: Sendable {
  /// It may pass.
  case may(OfflineRight, Decider)
  /// The list refuses it.
  case refuse(RefuseReason, detail: String)
  /// Nobody can decide.
  case undecided(UndecidedReason, detail: String)
}

/// The list on board of a ticket system, judged by a gate's policy.
struct ListJudge: Sendable {
  let list: (any TicketList)?
  let system: TicketSystemID

  /// What the list says of a code now.
  /// - Parameters:
  ///   - lastWord: what the ticket system itself said last; it counts unless the list is newer.
  ///   - otherWord: the same of another code that it may take for this one, of which a list that names both says nothing;
  ///     or of this one at another gate or time.
  func word(
    on code: Code, _ policy: OfflinePolicy, maxAge: Duration, lastWord: LastWord?, otherWord: LastWord? = nil,
    at now: JournalTime
  ) async -> OfflineWord {
    let cure = "Import one with: scangate tickets import FILE --system \(system)"
    let found: (ticket: ListedTicket?, state: TicketListState)
    do throws(TicketListFault) {
      guard let list, let state = try await list.state() else {
        return .undecided(.outOfService, detail: "There is no list of tickets of \(system) on board. \(cure)")
      }
      found = (try await list.find(code), state)
    } catch {
      return .undecided(.outOfService, detail: error.description)
    }
    let age = found.state.age(at: now)
    let ignoresDay = policy.untrustedClock == .ignoreDay
    guard age != nil || ignoresDay else {
      return .undecided(
        .clockWrong,
        detail:
          "How old the list on board of \(system) is cannot be told: nothing keeps this machine's clock right, and it was "
          + "started since the list was imported. Set the clock, or import a list. \(cure)")
    }
    if let age, age > maxAge {
      return .undecided(
        .outOfService,
        detail: "The list on board of \(system) is \(age.asAge) old; it may be \(maxAge.asAge). \(cure)")
    }
    if let lastWord, lastWord.at >= found.state.asOf { return .refuse(by: lastWord, of: system) }
    let listed = "the list on board, " + (age.map { "\($0.asAge) old" } ?? "of an age that cannot be told")
    guard let ticket = found.ticket else {
      return .undecided(.unreachable, detail: "\(system) does not answer, and \(listed), does not name the ticket.")
    }
    if let reason = ticket.refusal(at: now) { return .refuse(reason, detail: "By \(listed).") }
    if let otherWord, otherWord.at >= found.state.asOf,
      otherWord.reason.isOfPlaceOrTime || !ticket.hasOtherSpelling
    {
      return .undecided(by: otherWord, of: system)
    }
    // What needs no day asks no clock.
    if ticket.from != nil || ticket.until != nil, !now.isTrusted, !ignoresDay {
      return .undecided(
        .clockWrong,
        detail:
          "Whether the ticket is for today cannot be told: nothing keeps this machine's clock right. Set the clock.")
    }
    return .may(
      OfflineRight(
        quantity: ticket.quantity, sale: ticket.sale, saleQuantity: ticket.saleQuantity,
        details: ticket.details), .list)
  }
}

extension OfflineWord {
  /// A refusal that the ticket system itself has told before.
  static func refuse(by word: LastWord, of system: TicketSystemID) -> OfflineWord {
    .refuse(word.reason, detail: "By \(system)'s last word on the ticket, at \(word.at.iso8601).")
  }

  /// A refusal that it has told of another code that it may take for this one, or of this one at another gate or time.
  static func undecided(by word: LastWord, of system: TicketSystemID) -> OfflineWord {
    .undecided(
      .unreachable,
      detail:
        "\(system) does not answer, and has refused "
        + (word.reason.isOfPlaceOrTime
          ? "the ticket at another gate or time" : "another code that it may take for this one")
        + " (\(word.reason.rawValue)). Let staff decide.")
  }
}
