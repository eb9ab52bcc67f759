internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A staff account, signed in: name and password are a credential, the session a sealed record. Joined over gates: whoever needs one while
/// it is being signed in for waits for that one.
///
/// Nobody at a gate waits for it: a scan takes what is held.
final class StaffSession: Sendable {
  /// How long a sign-in may take.
  private static let patience = Duration.seconds(20)

  private let id: TicketSystemID
  private let staff: BookingsSection.Staff
  private let password: StaffPassword
  private let calls: BookingCalls
  private let memory: DoorMemory
  private let records: (any SessionRecords)?
  /// Which server, venue and account it is of: a record of another one is none.
  private let subject: String

  /// Makes the session of an account; signs in nowhere yet.
  init(
    of id: TicketSystemID, _ staff: BookingsSection.Staff, password: StaffPassword, calls: BookingCalls,
    memory: DoorMemory, records: (any SessionRecords)?
  ) {
    self.id = id
    self.staff = staff
    self.password = password
    self.calls = calls
    self.memory = memory
    self.records = records
    subject = ["\(calls.server)", calls.venue.id, calls.venue.slug, staff.email].joined(separator: "\n")
  }

  private var recordName: String { "bookings.session.\(StableHash.digits(id.name))" }
  private var time: any TimeSource { calls.time }

  /// The session that holds now; `nil` where there is none.
  var held: Secret? { memory.signIn.withLock { $0.held(at: time.now()) }?.cookie }

  /// Why the last sign-in failed; `nil` where it did not.
  var fault: TransportFault? { memory.signIn.withLock { $0.fault } }

  /// The service's clock now, by when it signed us in; `nil` where it has not in this process, or told none.
  var date: WallTime? { memory.signIn.withLock { $0.date }.map { $0.shown + (time.now() - $0.at) } }

  /// What the service's text must not show.
  var redactions: [Redaction] {
    [password.redaction] + (memory.signIn.withLock { $0.session }.map { [$0.cookie.redaction] } ?? [])
  }

  /// The service does not take this session any more.
  /// - Returns: as `SignInState.refuse`.
  @discardableResult func refuse(_ cookie: Secret, for use: DoorRation.Use) -> Bool {
    memory.signIn.withLock { $0.refuse(cookie, for: use) }
  }

  /// It does for that.
  func accept(for use: DoorRation.Use) { memory.signIn.withLock { $0.accept(for: use) } }

  /// Signs in behind whoever asks, where it is time to.
  func renew() {
    if memory.signIn.withLock({ $0.isDue(at: time.now()) }) { _ = flight() }
  }

  /// A session: the one that holds, or one that is signed in for.
  /// - Parameter wantsDate: whether the service is to tell the time as well, where it has not yet.
  /// - Throws: why there is none by then.
  func session(until deadline: MonotonicTime, wantsDate: Bool = false) async throws(TransportFault) -> Secret {
    let isToAsk = memory.signIn.withLock { state in
      if wantsDate { state.wantDate() }
      return wantsDate && state.wantsDate
    }
    if !isToAsk, let held { return held }
    guard let result = await flight().value(until: deadline, by: time) else {
      throw TransportFault(.unreachable, "\(calls.host) did not sign \(staff.email) in in time.")
    }
    return try result.get()
  }

  /// Who is signing in, or begins to.
  private func flight() -> SharedAnswer<Result<Secret, TransportFault>> {
    let (flight, isNew) = memory.signIn.withLock { state in
      if let flight = state.flight { return (flight, false) }
      let flight = SharedAnswer<Result<Secret, TransportFault>>()
      state.flight = flight
      return (flight, true)
    }
    if isNew {
      Task.detached { [self] in
        let result = await signIn()
        memory.signIn.withLock { $0.flight = nil }
        flight.give(result)
      }
    }
    return flight
  }

  private func signIn() async -> Result<Secret, TransportFault> {
    await readRecord()
    let now = time.now()
    let (held, decision) = memory.signIn.withLock { state -> (Secret?, DoorRation.Decision?) in
      if let held = state.held(at: now), now < held.renews, !state.wantsDate { return (held.cookie, nil) }
      if let until = state.obstacle(to: password, at: now) {
        state.wantNoDate()
        return (state.held(at: now)?.cookie, .spent(until: until))
      }
      return (nil, state.ration.tryTake(.signIn, number: .random(in: .min ... .max), at: now))
    }
    if let held { return .success(held) }
    switch decision {
    case .spent(let until): return .failure(waiting(until: until, at: now))
    case .granted(let place): return await signIn(place)
    case nil: return .failure(TransportFault(.unreachable, "Nobody is signed in at \(calls.host)."))
    }
  }

  private func signIn(_ place: DoorRation.Place) async -> Result<Secret, TransportFault> {
    // Counted before it is sent: whoever is restarted again and again must not lock the account.
    await keepRecord()
    let outcome = await calls.signIn(staff.email, password, deadline: time.now() + Self.patience)
    let now = outcome.endedAt
    let result = SignInAnswer.session(outcome, calls, hiding: redactions)
    memory.signIn.withLock { state in
      if case .notSent = outcome.result { state.ration.notSent(place) } else { state.ration.finished(place, at: now) }
      switch result {
      case .success(let session):
        state.take(session)
        if case .answered(let answer) = outcome.result { state.take(date: answer.serverDate, at: now) }
      case .failure(let fault):
        state.take(fault, with: password, at: now)
        state.wantNoDate()
      }
    }
    await keepRecord()
    return result.map(\.cookie)
  }

  /// Why nothing is sent: what happened last, and when it is tried again.
  private func waiting(until: MonotonicTime, at now: MonotonicTime) -> TransportFault {
    let minutes = max(1, ((until - now).milliseconds + 59_999) / 60_000)
    guard let fault else {
      return TransportFault(
        .rateLimited,
        "\(staff.email) was signed in at \(calls.host) \(DoorRation.Use.signIn.most) times in 15 min; it is tried again in "
          + "\(minutes) min, so that the account is not locked.", retryAfter: until - now)
    }
    return TransportFault(
      fault.reason, "\(fault.detail) It is tried again in \(minutes) min, so that the account is not locked.",
      retryAfter: until - now)
  }

  // MARK: The record

  private func readRecord() async {
    guard let records, !memory.signIn.withLock({ $0.hasRead }) else { return }
    await SystemThread.run("session") { [self] in
      let record = records.read(recordName).flatMap { DoorRecord($0) }
      memory.signIn.withLock { state in
        state.hasRead = true
        guard let record, record.subject == subject else { return }
        let (now, wall) = (time.now(), time.wall())
        state.ration.take(record, at: now, wall: wall)
        guard state.session == nil, let kept = record.session else { return }
        let life = kept.ends - wall
        if life > .zero, life <= SignInState.longestLife {
          state.take(SignInState.Session(cookie: kept.cookie, for: life, at: now))
        }
      }
    }
  }

  private func keepRecord() async {
    guard let records else { return }
    await SystemThread.run("session") { [self] in
      var record = DoorRecord(subject: subject)
      let (now, wall) = (time.now(), time.wall())
      memory.signIn.withLock { state in
        state.ration.put(into: &record, at: now, wall: wall)
        record.session = state.held(at: now).map { DoorRecord.Session(cookie: $0.cookie, ends: wall + ($0.ends - now)) }
      }
      records.keep(record.bytes, as: recordName)
    }
  }
}
