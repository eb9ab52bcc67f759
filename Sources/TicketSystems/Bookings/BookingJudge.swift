internal import LinuxIO
internal import ScanModel

/// What a booking means at one gate. Pure: the booking, the time, the gate and the venue's zone are all that it goes by.
///
/// ```
/// cancelled, expired, unpaid, … ─▶ that
/// a show of this gate? ─┬─ another one, another day's ─▶ wrongEvent
///                       └─ yes ─▶ before it opens ─▶ tooEarly      after it has closed ─▶ tooLate
///                                     in between ─▶ valid until it closes, for a person a scan or the whole party
/// ```
struct BookingJudge: Sendable {
  /// The judgement.
  enum Verdict: Sendable, Equatable {
    /// It admits.
    case valid(Entitlement)
    /// It does not.
    case refused(RefuseReason, detail: String?)
    /// Nothing that could be believed.
    case undecided(UndecidedReason, String)
  }

  /// How far from its beginning a show that admits is tonight's, though it is of another day.
  private static let near = Duration.seconds(2 * 3_600)

  /// What the gate admits to.
  let gate: BookingsSection.Gate
  /// The venue's civil time.
  let zone: ZoneRules

  /// Judges a booking.
  /// - Parameter now: by a clock that is trusted.
  func judge(_ ticket: ListedTicket, at now: WallTime) -> Verdict {
    switch ticket.status {
    case .valid: break
    case .unpaid: return .refused(.unpaid, detail: "The booking is not paid yet. Send them to the box office.")
    case .cancelled: return .refused(.cancelled, detail: "The booking was cancelled.")
    case .refunded: return .refused(.refunded, detail: "The booking was refunded.")
    case .expired: return .refused(.expired, detail: "The booking was not paid in time.")
    case .used: return .refused(.alreadyUsed, detail: nil)
    case .unconfirmed:
      return .undecided(.badAnswer, "What is told of the booking cannot be true, or is no more. Ask the box office.")
    }
    guard let from = ticket.from else {
      return .undecided(.badAnswer, "When the booking's show is, is not told. Ask the box office.")
    }
    let show = ShowTime(from, in: zone)
    let span =
      ticket.until.map { (opens: from, closes: $0) }
      ?? (opens: show.begins - gate.opens, closes: show.latest + gate.closes)
    // Whoever is let in needs none.
    var words: String { self.words(of: ticket, show) }
    switch gate.shows {
    case .ids(let ids):
      guard let id = ticket.eventID else {
        return .undecided(.badAnswer, "Which show the booking is for is not told. Ask the box office.")
      }
      guard ids.contains(id) else { return .refused(.wrongEvent, detail: "It is for \(words).") }
    case .tonight:
      let isToday = day(of: ticket, show) == today(of: ticket, now)
      let isOpen = span.opens <= now && now < span.closes
      // Whatever day it is of, a show that is about to begin, or just has, is tonight's.
      let isNear = show.begins - Self.near <= now && now <= show.latest + Self.near
      guard isToday || isOpen && (ticket.until != nil || isNear) else {
        return .refused(.wrongEvent, detail: "It is for \(words).")
      }
    }
    if now < span.opens {
      return .refused(.tooEarly, detail: "It is for \(words); it admits from \(clock(span.opens, near: now)).")
    }
    guard now < span.closes else {
      return .refused(.tooLate, detail: "It was for \(words); it admitted until \(clock(span.closes, near: now)).")
    }
    return .valid(entitlement(of: ticket, until: span.closes, show))
  }

  /// The day that a booking is of: a whole day's is that day's, night and all.
  private func day(of ticket: ListedTicket, _ show: ShowTime) -> CivilDay {
    ticket.until == nil ? show.evening : civilDay(of: show.begins)
  }

  private func today(of ticket: ListedTicket, _ now: WallTime) -> CivilDay {
    ticket.until == nil ? ShowTime.evening(of: now, in: zone) : civilDay(of: now)
  }

  private func civilDay(of time: WallTime) -> CivilDay {
    CivilDay.split(saturatingSum(time.seconds, zone.offset(at: time.seconds))).day
  }

  private func entitlement(of ticket: ListedTicket, until closes: WallTime, _ show: ShowTime) -> Entitlement {
    let seats = max(1, ticket.quantity)
    var details = ticket.details
    details.date = show.begins < closes ? .span(show.begins..<closes) : nil
    details.ends = closes
    switch gate.party {
    case .each: return Entitlement(quantity: seats, ends: closes, details: details)
    case .whole:
      // The ledger counts the booking, and the usher its people.
      details.kind = "party of \(seats)"
      details.tickets = [TicketDetails.Line(id: .text(ticket.sale ?? "booking"), quantity: seats, isUsed: false)]
      return Entitlement(quantity: 1, ends: closes, details: details)
    }
  }

  // MARK: Words

  /// `“Hamilton”, 2026-05-02 19:30`.
  private func words(of ticket: ListedTicket, _ show: ShowTime) -> String {
    let title = ticket.event.map { "“\($0)”, " } ?? ""
    return ticket.until == nil
      ? title + ShowTime.words(show.begins, in: zone, withDate: true) : title + "\(civilDay(of: show.begins))"
  }

  private func clock(_ time: WallTime, near now: WallTime) -> String {
    ShowTime.words(time, in: zone, withDate: civilDay(of: time) != civilDay(of: now))
  }
}
