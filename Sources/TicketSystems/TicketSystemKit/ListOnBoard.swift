package import ScanModel

/// The list on board of a ticket system, as its gates and its adapter go by it.
package struct ListOnBoard: Sendable {
  /// Why it decides nothing, in words.
  package struct Doubt: Error {
    package var reason: UndecidedReason
    package var detail: String
  }

  /// What it has of a code.
  package struct Found: Sendable {
    /// `nil` where it does not name it.
    package var ticket: ListedTicket?
    /// When that was true; `nil` where the list does not name the code, and was never told of all tickets.
    package var asOf: WallTime?
    /// Whether a code that it does not name was no ticket not too long ago.
    package var isWhole: Bool
    /// Which list that is, and how old.
    package var words: String
  }

  /// The list itself; `nil` where there can be none.
  package let list: (any TicketList)?
  private let system: TicketSystemID
  private let maxAge: Duration
  /// For how long a ticket counts that the ticket system was asked about; `nil` where none is kept.
  private let freshFor: Duration?
  private let clock: @Sendable () -> JournalTime
  /// How often it refreshes itself; `nil` where it does not, or that is not known.
  package var refresh: Duration?

  /// Joins them.
  /// - Parameters:
  ///   - maxAge: how old it may be to decide.
  ///   - freshFor: for how long what the ticket system has said of one ticket decides on that, whatever the list; `nil` where that is
  ///     not kept.
  ///   - clock: now, and whether that is trusted.
  package init(
    of system: TicketSystemID, _ list: (any TicketList)?, maxAge: Duration, freshFor: Duration? = nil,
    clock: @escaping @Sendable () -> JournalTime
  ) {
    self.freshFor = freshFor
    self.list = list
    self.system = system
    self.maxAge = maxAge
    self.clock = clock
  }

  /// Whether there surely is none, and nothing was kept of any ticket, told at once.
  package var isAbsent: Bool { list?.isAbsent ?? true }

  /// Now, and whether that is trusted.
  package func now() -> JournalTime { clock() }

  /// How old it may be to decide.
  package var mostAge: Duration { maxAge }

  /// When the newest of it was true; `nil` where there is none, or it cannot be read.
  package func asOf() async -> WallTime? { (try? await list?.state())??.told.asOf }

  /// Keeps what the ticket system has said of one ticket, or forgets it, as `TicketList.keep`.
  package func keep(_ checked: CheckedTicket?, of code: Code) { list?.keep(checked, of: code) }

  /// Looks a code up.
  /// - Parameters:
  ///   - code: in the ticket system's own form.
  ///   - ignoresDay: whether it counts though no clock tells its age.
  /// - Throws: why it decides nothing now.
  package func find(_ code: Code, ignoresDay: Bool = false, at now: JournalTime) async throws(Doubt) -> Found {
    func words(_ age: Duration?) -> String {
      "the list on board, " + (age.map { "\($0.asAge) old" } ?? "of an age that cannot be told")
    }
    switch try await asked({ (list) throws(TicketListFault) in try await list.find(code) }) {
    case .named(let ticket, _)? where ticket.status == .unconfirmed:
      throw Doubt(
        reason: .badAnswer,
        detail:
          "\(system) tells several tickets with this code, or what cannot be true of it; or it has suddenly told it no more, with many "
          + "others. Ask the box office."
      )
    case .named(let ticket, let told)?:
      if let at = ticket.checkedAt { return try checked(ticket, at, ignoresDay: ignoresDay, now) }
      let age = try age(
        of: told, "What the list on board of \(system) has of the ticket", ignoresDay: ignoresDay, at: now)
      return Found(ticket: ticket, asOf: told.asOf, isWhole: true, words: words(age))
    case .unnamed(let all, let any)?:
      let age = try age(of: any, "The list on board of \(system)", ignoresDay: ignoresDay, at: now)
      let isWhole = all.map { all in all.at(now).map { $0 <= maxAge } ?? ignoresDay } ?? false
      return Found(ticket: nil, asOf: all?.asOf, isWhole: isWhole, words: words(age))
    case nil:
      // Where it fills itself, that it is empty is no fault.
      guard freshFor == nil else { return Found(ticket: nil, asOf: nil, isWhole: false, words: Self.checks) }
      throw none
    }
  }

  private var cure: String { "Import one with: scangate tickets import FILE --system \(system)" }

  private var none: Doubt {
    Doubt(reason: .outOfService, detail: "There is no list of tickets of \(system) on board. \(cure)")
  }

  /// What the list tells; `nil` where there is none.
  private func asked<Told>(
    _ ask: (any TicketList) async throws(TicketListFault) -> Told?
  ) async throws(Doubt) -> Told? {
    guard let list else { return nil }
    do throws(TicketListFault) {
      return try await ask(list)
    } catch {
      throw Doubt(reason: .outOfService, detail: error.description)
    }
  }

  /// How old something is that counts: not too old.
  private func age(
    of told: ListAge, _ subject: String, ignoresDay: Bool, at now: JournalTime
  ) throws(Doubt) -> Duration? {
    let age = told.at(now)
    guard age != nil || ignoresDay else {
      throw Doubt(
        reason: .clockWrong,
        detail:
          "How old the list on board of \(system) is cannot be told: nothing keeps this machine's clock right, and it was "
          + "started since the list was imported. Set the clock, or import a list. \(cure)")
    }
    if let age, age > maxAge {
      throw Doubt(reason: .outOfService, detail: "\(subject) is \(age.asAge) old; it may be \(maxAge.asAge). \(cure)")
    }
    return age
  }

  private static let checks = "what is kept of tickets that were asked about"
  /// By how much the ticket system's clock may be ahead of ours.
  private static let tolerance = Duration.seconds(120)

  /// A ticket that the ticket system was asked about: it counts for a while, and until its end, which may have been put off since.
  private func checked(
    _ ticket: ListedTicket, _ at: WallTime, ignoresDay: Bool, _ now: JournalTime
  ) throws(Doubt) -> Found {
    let found = Found(ticket: ticket, asOf: at, isWhole: true, words: "what \(system) said when it was asked last")
    guard now.isTrusted, at <= now.wall + Self.tolerance else {
      if ignoresDay, !now.isTrusted { return found }
      throw Doubt(
        reason: .clockWrong,
        detail:
          "When \(system) was asked about the ticket last cannot be told: this machine's clock is not kept right. Set it."
      )
    }
    let age = now.wall - at
    if age > freshFor ?? .zero {
      throw Doubt(
        reason: .unreachable,
        detail: "\(system) does not answer, and was asked about the ticket \(age.asAge) ago: that is too long ago.")
    }
    if let ends = ticket.until, now.wall >= ends {
      throw Doubt(
        reason: .unreachable,
        detail:
          "\(system) does not answer. When it was asked last, the ticket was good until \(ends.iso8601Seconds); whether that was put "
          + "off since cannot be told.")
    }
    return found
  }

  /// Makes sure that a clock tells whether a ticket is in its time: what has none asks none.
  package func needClock(for ticket: ListedTicket, at now: JournalTime) throws(Doubt) {
    guard ticket.from != nil || ticket.until != nil, !now.isTrusted else { return }
    throw Doubt(
      reason: .clockWrong,
      detail: "Whether the ticket is for today cannot be told: nothing keeps this machine's clock right. Set the clock."
    )
  }

  // MARK: Where it is the whole answer

  /// The outcome of a request to a ticket system whose answer is its list: nothing is sent and nothing redeemed (`mayRedeem` is no), so
  /// that the ledger alone says who went in.
  /// - Returns: `nil` where the list does not name the code: what that means is for its ticket system to say.
  package func outcome(of request: AttemptRequest) async -> AttemptOutcome? {
    let now = clock()
    func outcome(_ answer: TicketAnswer, isAnswered: Bool = true) -> AttemptOutcome {
      AttemptOutcome(
        fate: isAnswered ? .answered : .notSent, answer: answer, mayHaveRedeemed: false,
        sentAt: isAnswered ? now.monotonic : nil, endedAt: clock().monotonic)
    }
    guard now.monotonic < request.deadline else {
      return outcome(.undecided(.unreachable, detail: nil), isAnswered: false)
    }
    do throws(Doubt) {
      let found = try await find(request.code, at: now)
      guard let ticket = found.ticket else {
        guard !found.isWhole else { return nil }
        throw Doubt(
          reason: .outOfService,
          detail:
            "The list on board of \(system) does not name the ticket, and was not told of all tickets for longer than "
            + "\(maxAge.asAge): it may have been sold since. \(cure)")
      }
      if let reason = ticket.refusal(at: now) {
        return outcome(.refused(reason, detail: "By \(found.words).\(ticket.words(for: reason))"))
      }
      try needClock(for: ticket, at: now)
      return outcome(.valid(Entitlement(quantity: ticket.quantity, ends: ticket.until, details: ticket.details)))
    } catch {
      return outcome(.undecided(error.reason, detail: error.detail), isAnswered: false)
    }
  }

  /// Whether it would decide scans now, and tells of any ticket what sort it is.
  package func tellsKinds() async -> Bool {
    guard await reach().isAnswer, let list else { return false }
    return (try? await list.tellsKinds()) ?? false
  }

  /// Whether it would decide a scan now.
  package func reach() async -> Reach {
    do throws(Doubt) {
      guard let state = try await asked({ (list) throws(TicketListFault) in try await list.state() }) else {
        throw none
      }
      _ = try age(of: state.told, "The list on board of \(system)", ignoresDay: false, at: clock())
      return .answers(date: nil)
    } catch {
      return .fault(error.reason, detail: error.detail)
    }
  }
}
