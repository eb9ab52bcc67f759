internal import LinuxIO
package import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// A booking service as a gate's ticket system: the list on board is the answer, our ledger the book, and a code that the list lacks is
/// asked about where the service allows it. One for each gate.
///
/// ```
/// examine ─▶ no booking's code: unreadable
/// attempt ─▶ no clock that is trusted: clockWrong
///    └─▶ the list names it ──────────────────────────────▶ judged
///        └─ it does not: said a short while ago ─────────▶ judged, or notFound
///             └─ asked, one of two in 15 min ─┬─ told ───▶ judged, or notFound
///                                             └─ not ────▶ undecided: not on the list of 19:02, ask the box office
/// ```
/// It is never offline: what the list decides needs nobody, and on the policies of gates, which know nothing of shows, nobody passes.
package struct BookingsTicketSystem: OnBoardTicketSystem {
  package let id: TicketSystemID
  package let rule: GateRule?
  let door: Door
  let judge: BookingJudge
  private let list: ListOnBoard
  private let cure: String

  /// Makes the gate's face of `door`.
  init(id: TicketSystemID, door: Door, gate: BookingsSection.Gate, list: ListOnBoard, cure: String) {
    self.id = id
    self.door = door
    self.list = list
    self.cure = cure
    judge = BookingJudge(gate: gate, zone: door.zone)
    // What one gate has given back another one takes without asking: of another show it must not.
    if case .ids(let ids) = gate.shows {
      rule = GateRule { ticket in
        guard let show = ticket?.eventID else { return .unknown }
        return ids.contains(show)
          ? .takes : .bars(GateBar(.refuse(.wrongEvent), detail: ticket?.event.map { "It is for “\($0)”." }))
      }
    } else {
      rule = nil
    }
  }

  package var whereabouts: Whereabouts? { Whereabouts(host: door.host, cure: cure) }

  /// A check marks nothing.
  package var mayRedeem: Bool { false }

  package func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(BookingCode.ownForm(of: code)) }

  /// A code has one spelling once it is in its own form.
  package func foldedKey(of code: Code) -> TicketKey? { nil }

  package func examine(_ code: Code, at time: WallTime) -> Examination {
    BookingCode.fault(of: code) == nil ? .proceed(TicketKey(code.bytes)) : .refuse(.unreadable)
  }

  package func refusalWords(for code: Code) -> String? { BookingCode.fault(of: code)?.words }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    switch await onBoard(request) {
    case .known(let outcome): return outcome
    case .asked(let missing, let moment, let began):
      let check = await door.check(request.code, until: request.deadline) { check in
        late(outcome(of: check, at: moment, missing, since: began))
      }
      if let check { return outcome(of: check, at: moment, missing, since: began) }
      return outcome(
        .undecided(
          .unreachable, detail: "\(missing), and \(door.host) did not answer in time. Please present the code again."),
        .pending, at: began)
    }
  }

  package func outcomeOnBoard(of request: AttemptRequest) async -> AttemptOutcome? {
    if case .known(let outcome) = await onBoard(request) { outcome } else { nil }
  }

  /// What can be said of a code before anybody is asked.
  private enum OnBoard {
    case known(AttemptOutcome)
    /// The list lacks it, and why that says nothing: it is to be asked for, as of a moment.
    case asked(missing: String, moment: WallTime, began: MonotonicTime)
  }

  private func onBoard(_ request: AttemptRequest) async -> OnBoard {
    let now = list.now()
    guard now.monotonic < request.deadline else {
      return .known(outcome(.undecided(.unreachable, detail: nil), .notSent, at: nil))
    }
    if let fault = BookingCode.fault(of: request.code) {
      // Nobody is asked about what is no booking's code.
      return .known(
        outcome(.refused(.unreadable, detail: fault.words), .answered, at: now.monotonic, isRemembered: true))
    }
    guard now.isTrusted else { return .known(clockWrong) }
    let moment = now.wall - (request.owedFor ?? .zero)
    let missing: String
    do throws(ListOnBoard.Doubt) {
      let found = try await list.find(request.code, at: now)
      if let ticket = found.ticket {
        return .known(outcome(said(of: ticket, at: moment), .answered, at: now.monotonic))
      }
      missing = await listWords
    } catch {
      // A list that is too old, or cannot be read, keeps nobody from being asked about.
      guard error.reason == .outOfService else {
        return .known(outcome(.undecided(error.reason, detail: error.detail), .notSent, at: nil))
      }
      missing = String(error.detail.reversed().drop { $0 == "." }.reversed())
    }
    if let answer = door.remembered(request.code) {
      return .known(outcome(said(by: answer, at: moment), .answered, at: now.monotonic, isRemembered: true))
    }
    return .asked(missing: missing, moment: moment, began: now.monotonic)
  }

  /// No show can be judged without a clock; one that is told by signing in is not, where that fails.
  private var clockWrong: AttemptOutcome {
    if let fault = door.session?.fault {
      return outcome(
        .undecided(
          fault.reason,
          detail: "\(fault.detail) Until staff are signed in there, nothing keeps this machine's clock right either."),
        .notSent, at: nil)
    }
    return outcome(
      .undecided(
        .clockWrong,
        detail:
          "Whether the booking's show is on cannot be told: nothing keeps this machine's clock right. Set the clock."),
      .notSent, at: nil)
  }

  /// By the list that decides, else by a sign-in: whoever holds a session can be asked about what no list names. Where nothing keeps this
  /// machine's clock right, a sign-in tells the time as well, without which no show can be judged.
  package func reach(deadline: MonotonicTime) async -> Reach {
    // Before the first scan: what was asked before a restart still counts at the service.
    await door.recall()
    let found = await list.reach()
    let isTrusted = list.now().isTrusted
    if found.isAnswer, isTrusted {
      door.session?.renew()
      return found
    }
    guard let session = door.session else { return found }
    do throws(TransportFault) {
      _ = try await session.session(until: deadline, wantsDate: !isTrusted)
      return .answers(date: session.date)
    } catch {
      guard case .fault(let reason, let detail) = found else { return found }
      // Without a list it is no outage that a policy could bridge.
      return .fault(
        error.reason.isOfKey || error.reason.isFault ? error.reason : reason, detail: "\(detail) \(error.detail)")
    }
  }

  // MARK: What is said

  private func said(of ticket: ListedTicket, at moment: WallTime) -> TicketAnswer {
    switch judge.judge(ticket, at: moment) {
    case .valid(let entitlement): .valid(entitlement)
    case .refused(let reason, let detail): .refused(reason, detail: detail)
    case .undecided(let reason, let detail): .undecided(reason, detail: detail)
    }
  }

  private func said(by answer: CheckBook.Answer, at moment: WallTime) -> TicketAnswer {
    switch answer {
    case .told(let ticket): said(of: ticket, at: moment)
    case .unknown(let words): .refused(.notFound, detail: words)
    }
  }

  private func outcome(
    of check: DoorCheck, at moment: WallTime, _ missing: String, since began: MonotonicTime
  ) -> AttemptOutcome {
    let answer: TicketAnswer
    switch check.result {
    case .said(let said): answer = self.said(by: said, at: moment)
    case .undecided(let reason, let detail):
      answer = .undecided(reason, detail: "\(missing), ask the box office. \(detail)")
    }
    // Another gate may have begun to ask before.
    let sentAt = check.fate == .notSent ? nil : max(check.sentAt ?? began, began)
    return AttemptOutcome(
      fate: check.fate, answer: answer, mayHaveRedeemed: false, sentAt: sentAt,
      endedAt: max(check.endedAt, sentAt ?? check.endedAt), serverDate: check.serverDate, retryAfter: check.retryAfter)
  }

  private func outcome(
    _ answer: TicketAnswer, _ fate: AttemptOutcome.Fate, at sentAt: MonotonicTime?, isRemembered: Bool = false
  ) -> AttemptOutcome {
    AttemptOutcome(
      fate: fate, answer: answer, mayHaveRedeemed: false, sentAt: sentAt, endedAt: list.now().monotonic,
      isRemembered: isRemembered)
  }

  /// `Not on the list of 19:02`.
  private var listWords: String {
    get async {
      guard let asOf = await list.asOf() else { return "No list is on board" }
      let now = list.now().wall
      let isOfToday = CivilDay.split(asOf.seconds).day == CivilDay.split(now.seconds).day
      return "Not on the list of \(ShowTime.words(asOf, in: door.zone, withDate: !isOfToday))"
    }
  }
}
