internal import Admission
import ScanConfiguration
import ScanModel
import TicketSystemKit

extension OfflinePolicy {
  /// Whether anybody ever passes by it.
  var mayAdmit: Bool { rule != .refuse }

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
  let list: ListOnBoard
  let system: TicketSystemID

  /// What the list says of a code now.
  /// - Parameters:
  ///   - lastWord: what the ticket system itself said last; it counts unless what the list says is newer.
  ///   - otherWord: the same of another code that it may take for this one, of which a list that names both says nothing;
  ///     or of this one at another gate or time.
  func word(
    on code: Code, _ policy: OfflinePolicy, lastWord: LastWord?, otherWord: LastWord? = nil, at now: JournalTime
  ) async -> OfflineWord {
    let ignoresDay = policy.untrustedClock == .ignoreDay
    do throws(ListOnBoard.Doubt) {
      let found = try await list.find(code, ignoresDay: ignoresDay, at: now)
      func isNoOlder(_ word: LastWord) -> Bool { found.asOf.map { word.at >= $0 } ?? true }
      if let lastWord, isNoOlder(lastWord) { return .refuse(by: lastWord, of: system) }
      guard let ticket = found.ticket else {
        return .undecided(
          .unreachable, detail: "\(system) does not answer, and \(found.words), does not name the ticket.")
      }
      if let reason = ticket.refusal(at: now) {
        // Where it is asked about single tickets, their ends are put off.
        if reason == .tooLate, policy.freshFor != nil {
          return .undecided(
            .unreachable,
            detail:
              "\(system) does not answer. By \(found.words):\(ticket.words(for: reason)) Whether that was put off "
              + "since cannot be told.")
        }
        return .refuse(reason, detail: "By \(found.words).\(ticket.words(for: reason))")
      }
      // Of what sort it is, the gate's rule judges by the ticket system's own word.
      let isJudged = ticket.checkedAt != nil && otherWord?.reason == .wrongKind
      if let otherWord, !isJudged, isNoOlder(otherWord), otherWord.reason.isOfPlaceOrTime || !ticket.hasOtherSpelling {
        return .undecided(by: otherWord, of: system)
      }
      // What was said of one ticket has an end that may have come, and an age: that is more than the day.
      if !ignoresDay || ticket.checkedAt != nil { try list.needClock(for: ticket, at: now) }
      return .may(
        OfflineRight(
          quantity: ticket.quantity, sale: ticket.sale, saleQuantity: ticket.saleQuantity,
          ends: ticket.checkedAt.flatMap { _ in ticket.until }, details: ticket.details),
        .list)
    } catch {
      return .undecided(error.reason, detail: error.detail)
    }
  }
}

extension OfflineWord {
  /// The gate does not take the ticket.
  init(_ bar: GateBar) {
    switch bar.reason {
    case .refuse(let reason): self = .refuse(reason, detail: bar.detail ?? "")
    case .undecided(let reason): self = .undecided(reason, detail: bar.detail ?? "")
    }
  }

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
