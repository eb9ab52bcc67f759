import ScanModel

/// What a gate does while its ticket system is offline.
public struct OfflinePolicy: Sendable, Equatable {
  /// Who may pass then.
  public enum Rule: Sendable, Equatable {
    /// Nobody.
    case refuse
    /// Whoever shows a code that passes the gate's filter, until so many admissions of the gate wait to be told.
    case admitAndQueue(most: Int)
    /// Whom the list on board names, while it is no older than this.
    case list(maxAge: Duration)
  }

  /// What wrong-day checks by the list do while the machine's clock cannot be trusted.
  public enum ClockRule: Sendable, Equatable {
    /// Nobody passes whose ticket is bound to a time.
    case undecided
    /// The time is not looked at.
    case ignoreDay
  }

  /// Who may pass.
  public var rule: Rule
  /// How long an answer is awaited before the policy decides.
  public var after: Duration
  /// Whether a spent budget (429) counts as offline.
  public var rateLimited: Bool
  /// What wrong-day checks do without a trusted clock.
  public var untrustedClock: ClockRule
  /// How long an admission waits to be durable before the policy for a failing journal decides.
  public var durableWithin: Duration

  /// Makes a policy; without arguments nobody passes.
  public init(
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
  public var mayAdmit: Bool { rule != .refuse }

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
  func word(on code: Code, _ policy: OfflinePolicy, maxAge: Duration, at now: JournalTime) async -> OfflineWord {
    let cure = "Import one with: scangate tickets import --system \(system) FILE"
    let found: (ticket: ListedTicket?, state: TicketListState)
    do throws(TicketListFault) {
      guard let list, let state = try await list.state() else {
        return .undecided(.outOfService, detail: "There is no list of tickets of \(system) on board. \(cure)")
      }
      found = (try await list.find(code), state)
    } catch {
      return .undecided(.outOfService, detail: error.description)
    }
    let age = now.wall - found.state.asOf
    // By a clock that was set back no list gets old.
    if !now.isTrusted, policy.untrustedClock == .undecided {
      return .undecided(
        .clockWrong,
        detail:
          "How old the list on board of \(system) is cannot be told, nor for which day a ticket is: nothing keeps this "
          + "machine's clock right. Set the clock.")
    }
    if age > maxAge {
      return .undecided(
        .outOfService,
        detail: "The list on board of \(system) is \(Self.words(age)) old; it may be \(Self.words(maxAge)). \(cure)")
    }
    guard let ticket = found.ticket else {
      return .undecided(
        .unreachable,
        detail: "\(system) does not answer, and the list on board, \(Self.words(age)) old, does not name the ticket.")
    }
    return word(on: ticket, policy, age: age, at: now)
  }

  private func word(on ticket: ListedTicket, _ policy: OfflinePolicy, age: Duration, at now: JournalTime) -> OfflineWord
  {
    let detail = "By the list on board, \(Self.words(age)) old."
    switch ticket.status {
    case .unpaid: return .refuse(.unpaid, detail: detail)
    case .cancelled: return .refuse(.cancelled, detail: detail)
    case .refunded: return .refuse(.refunded, detail: detail)
    case .expired: return .refuse(.expired, detail: detail)
    case .used: return .refuse(.alreadyUsed, detail: detail)
    case .valid: break
    }
    if ticket.from != nil || ticket.until != nil, now.isTrusted || policy.untrustedClock == .undecided {
      guard now.isTrusted else {
        return .undecided(
          .clockWrong,
          detail:
            "Whether the ticket is for today cannot be told: nothing keeps this machine's clock right. Set the clock.")
      }
      if let from = ticket.from, now.wall < from { return .refuse(.wrongDay, detail: detail) }
      if let until = ticket.until, now.wall >= until { return .refuse(.wrongDay, detail: detail) }
    }
    return .may(
      OfflineRight(
        quantity: ticket.quantity, sale: ticket.sale, saleQuantity: ticket.saleQuantity,
        details: TicketDetails(event: ticket.event)), .list)
  }

  /// An age in the unit that fits.
  private static func words(_ duration: Duration) -> String {
    let minutes = max(0, duration.milliseconds / 60_000)
    switch minutes {
    case 0..<120: return "\(minutes) min"
    case 120..<2_880: return "\(minutes / 60) h"
    default: return "\(minutes / 1_440) days"
    }
  }
}
