internal import Calls
internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A venue's door at its booking service, typed: the list and checks of single codes, within the few calls that the service allows and with
/// the session of a staff account. One for each connection; what it knows survives a reload (`DoorMemory`).
package final class Door: Sendable {
  /// How long the list waits for a call that it may make: a whole period, as nobody waits for it; or as long as a person at a terminal
  /// does.
  static let patience = DoorRation.period + .seconds(60), briefPatience = Duration.seconds(20)

  let calls: BookingCalls
  /// `nil` where nobody is signed in.
  let session: StaffSession?
  let memory: DoorMemory
  private let records: (any SessionRecords)?
  private let patience: Duration

  /// Makes a door; connects nowhere.
  init(
    _ calls: BookingCalls, session: StaffSession?, memory: DoorMemory, records: (any SessionRecords)?,
    patience: Duration = Door.patience
  ) {
    self.calls = calls
    self.session = session
    self.memory = memory
    self.records = records
    self.patience = patience
  }

  var host: String { calls.host }
  var words: ServerWords { calls.words }
  var time: any TimeSource { calls.time }
  /// What is left of the ration; nothing of it is asked while nobody is signed in.
  var left: RateBudget.Left? { session == nil ? nil : memory.ration.left(at: time.now()) }
  var zone: ZoneRules { calls.venue.zone }

  /// What the service's text must not show.
  func redactions(_ code: Code? = nil) -> [Redaction] {
    (session?.redactions ?? []) + (code.map { [Redaction($0.text, shownAs: $0.shortened)] } ?? [])
  }

  /// That is as it is configured, and no fault.
  private var nobody: TransportFault {
    TransportFault(
      .outOfService,
      "Nobody is signed in at \(host): write staff: { email: …, password: NAME }, or import a file: scangate tickets import FILE"
    )
  }

  /// Takes what commands of this station, and its last process, have asked.
  func recall() async { await memory.ration.read(records, time) }

  // MARK: The list

  /// What the list told, and between which moments it was asked for.
  struct ListAnswer: Sendable {
    var answer: HTTPAnswer
    /// Each booking that it tells, or what keeps one from being one.
    var rows: [Result<Booking, Booking.Fault>]
    /// When it was asked for.
    var began: MonotonicTime
    /// How long it took.
    var took: Duration
  }

  /// The door list: waits for its place in the ration, signs in where that is needed, and once more where the service wants it.
  /// - Parameter isUnhurried: whether nobody waits for it: it is read in bits then (`Pacer`), so it is for a thread of its own.
  /// - Throws: why there is none.
  func list(isUnhurried: Bool = false) async throws(TransportFault) -> ListAnswer {
    guard let session else { throw nobody }
    let end = time.now() + patience
    await recall()
    var refusals = 0
    while true {
      let cookie = try await session.session(until: min(end, time.now() + .seconds(30)))
      let place = try await place(until: end)
      let began = time.now()
      let outcome = await calls.list(cookie)
      await settle(place, outcome)
      switch outcome.result {
      case .notSent(let fault), .lost(let fault): throw fault
      case .pending: throw TransportFault(.unreachable, "\(host) did not answer in time.")
      case .answered(let answer) where answer.status == 200 && answer.isJSON:
        guard let rows = Self.rows(answer.body, in: zone, isUnhurried: isUnhurried) else {
          throw TransportFault(
            .badAnswer, "\(host) answered with a door list that cannot be read. \(words.addressCure)")
        }
        session.accept(for: .list)
        var answer = answer
        // What was read is not kept twice.
        answer.body = []
        return ListAnswer(answer: answer, rows: rows, began: began, took: outcome.endedAt - began)
      case .answered(let answer):
        let isDenied = answer.refusesSession && session.refuse(cookie, for: .list)
        let fault = DoorFault.fault(
          answer, host: host, hiding: redactions(), words: words, asking: "the door list", isDenied: isDenied)
        if answer.refusesSession {
          refusals += 1
          if refusals < 2 { continue }
        }
        // The wait is in the ration.
        if answer.isOfRation, time.now() < end, !Task.isCancelled { continue }
        throw fault
      }
    }
  }

  /// Each row of a list, of which one at a time is in memory as JSON; `nil` where it is none.
  static func rows(
    _ body: [UInt8], in zone: ZoneRules, isUnhurried: Bool = false
  ) -> [Result<Booking, Booking.Fault>]? {
    var rows: [Result<Booking, Booking.Fault>] = []
    var pacer = isUnhurried ? Pacer() : nil
    let document = try? JSONValue.read(
      body,
      handingOverAll: { row in
        rows.append(Result { () throws(Booking.Fault) in try Booking(row, seats: "seatCount", in: zone) })
        pacer?.breathe()
      })
    guard case .array? = document else { return nil }
    return rows
  }

  /// A place for a list, waited for.
  private func place(until end: MonotonicTime) async throws(TransportFault) -> DoorRation.Place {
    while true {
      let now = time.now()
      switch memory.ration.tryTake(.list, at: now) {
      case .granted(let place): return place
      case .spent(let until):
        guard until < end, (try? await Task.sleep(for: until - now)) != nil else {
          throw TransportFault(.rateLimited, spentWords(.list, until - now), retryAfter: until - now)
        }
      }
    }
  }

  private func spentWords(_ use: DoorRation.Use, _ wait: Duration) -> String {
    let minutes = max(1, (wait.milliseconds + 59_999) / 60_000)
    let what = use == .list ? "its door list \(use.most) times" : "single codes \(use.most) times"
    return
      "\(host) is asked for \(what) in 15 min and not more often, for it allows few calls: again in \(minutes) min."
  }

  private func settle(_ place: DoorRation.Place, _ outcome: HTTPOutcome) async {
    count(place, outcome)
    await memory.ration.keep(records, time)
  }

  private func count(_ place: DoorRation.Place, _ outcome: HTTPOutcome) {
    let now = outcome.endedAt
    memory.ration.end(place) { ration in
      switch outcome.result {
      case .notSent: ration.notSent(place)
      case .answered(let answer) where answer.isOfRation:
        ration.limited(place, at: now, retryAfter: answer.retryAfter)
      case .answered, .lost, .pending: ration.finished(place, at: now)
      }
    }
  }

  // MARK: Single codes

  /// What was said of a code a short while ago, where that still counts.
  func remembered(_ code: Code) -> CheckBook.Answer? {
    memory.checks.withLock { $0.answer(on: code, at: time.now()) }
  }

  /// What was said of single codes before a list that tells all of a time, and not them, counts no more.
  func forget(of whole: Range<WallTime>, but told: Set<Code>, before began: MonotonicTime) {
    memory.checks.withLock { $0.forget(of: whole, but: told, before: began) }
  }

  /// Asks about a code, once, whoever asks besides; `nil` where no end was known by the deadline, and `late` is told it.
  ///
  /// What holds it back (nobody is signed in, the ration is spent) is told at once.
  func check(
    _ code: Code, until deadline: MonotonicTime, late: @escaping @Sendable (DoorCheck) -> Void = { _ in }
  ) async -> DoorCheck? {
    if let flight = memory.checks.withLock({ $0.flights[code] }) {
      return await flight.value(until: deadline, by: time, late: late)
    }
    let now = time.now()
    func heldBack(_ fault: TransportFault) -> DoorCheck {
      DoorCheck(
        result: .undecided(fault.reason, fault.detail), fate: .notSent, endedAt: time.now(),
        retryAfter: fault.retryAfter)
    }
    guard let session else { return heldBack(nobody) }
    guard let cookie = session.held else {
      // Whoever stands there does not wait for a sign-in.
      session.renew()
      let fault = session.fault
      let reason = fault.map { $0.reason } ?? .unreachable
      let detail = fault?.detail ?? "Staff are being signed in at \(host). Please present the code again."
      return heldBack(TransportFault(reason, detail))
    }
    let place: DoorRation.Place
    switch memory.ration.tryTake(.check, at: now) {
    case .granted(let granted): place = granted
    case .spent(let until):
      return heldBack(TransportFault(.rateLimited, spentWords(.check, until - now), retryAfter: until - now))
    }
    let (flight, isNew) = memory.checks.withLock { checks in
      if let flight = checks.flights[code] { return (flight, false) }
      let flight = SharedAnswer<DoorCheck>()
      checks.flights[code] = flight
      return (flight, true)
    }
    if isNew {
      // It ends behind a gate that cannot wait, and what it brings is kept.
      Task.detached { [self] in
        await ask(code, cookie, place, flight, until: max(deadline, now + BookingCalls.longestCheck))
      }
    } else {
      memory.ration.end(place) { $0.notSent(place) }
    }
    return await flight.value(until: deadline, by: time, late: late)
  }

  private func ask(
    _ code: Code, _ cookie: Secret, _ place: DoorRation.Place, _ flight: SharedAnswer<DoorCheck>,
    until deadline: MonotonicTime
  ) async {
    let outcome = await calls.check(code, cookie, deadline: deadline)
    count(place, outcome)
    var isDenied = false
    if case .answered(let answer) = outcome.result, let session {
      if answer.refusesSession {
        isDenied = session.refuse(cookie, for: .check)
        session.renew()
      } else if answer.status == 200 || answer.status == 404, answer.isJSON {
        session.accept(for: .check)
      }
    }
    let check = DoorCheck(outcome, of: code, self, isDenied: isDenied)
    memory.checks.withLock { checks in
      checks.flights[code] = nil
      if case .said(let answer) = check.result {
        checks.take(answer, on: code, at: check.endedAt, wall: time.wall())
      }
    }
    flight.give(check)
    await memory.ration.keep(records, time)
  }
}
