import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import Bookings

/// A gate's verdicts over real HTTP: the list first, then one question where the service allows it.
@Suite struct DoorTests {
  typealias Row = TheatreService.Row
  typealias Gate = BookingsSection.Gate

  private static let matinee = Row("MATINEE1") { ($0.show, $0.time) = ("matinee", "14:30:00") }

  // MARK: On the list

  @Test(arguments: TheatreService.Shape.allCases)
  func whatIsOnTheListIsDecidedWithoutARequest(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    stage.service.has(
      Row("NIGHT001"), Self.matinee, Row("UNPAID01") { $0.status = "pending" },
      Row("GONE0001") { $0.status = "cancelled" },
      Row("OVER0001") { $0.status = "expired" }, Row("AHEAD001") { $0.date = "2026-05-03" },
      Row("LATE0001") { ($0.show, $0.time) = ("late", "22:30:00") })
    try await stage.refresh()
    let asked = stage.service.requests.count
    for (code, expected) in [
      ("NIGHT001", "valid"), ("LML-night001", "valid"), ("MATINEE1", "refused tooLate"), ("UNPAID01", "refused unpaid"),
      ("GONE0001", "refused cancelled"), ("OVER0001", "refused expired"), ("AHEAD001", "refused wrongEvent"),
      ("LATE0001", "refused tooEarly"),
    ] {
      let outcome = await stage.attempt(code)
      expectEqual(name(outcome.answer), expected, "\(code)")
      expectEqual(outcome.fate, .answered)
      expect(!outcome.mayHaveRedeemed && outcome.offline == nil && !detail(outcome.answer).contains(code))
    }
    let others = Gate(shows: .ids(["matinee"]))
    expectEqual(name(await stage.attempt("NIGHT001", at: others).answer), "refused wrongEvent")
    expectEqual(stage.service.requests.count, asked)
    await stage.close()
  }

  @Test func aPartyIsAsManyAsItHasSeats() async throws {
    let stage = try await Stage.open()
    stage.service.has(Row("NIGHT001"))
    try await stage.refresh()
    for (party, quantity) in [(BookingsSection.Party.each, 4), (.whole, 1)] {
      guard case .valid(let right) = await stage.attempt("NIGHT001", at: Gate(party: party)).answer else {
        expect(false, "\(party)")
        continue
      }
      expectEqual(right.quantity, quantity)
      expectEqual(right.ends, try london("2026-05-02T20:00"))
      expectEqual(right.details.holder, "Ada Byron")
    }
    await stage.close()
  }

  @Test func aClockThatIsNotTrustedDecidesNothingAndAsksNobody() async throws {
    let stage = try await Stage.open(isTrusted: false)
    stage.board.put(
      [Code("NIGHT001"): ListedTicket(status: .valid, from: try london("2026-05-02T19:30"))], asOf: stage.time.wall())
    for code in ["NIGHT001", "LATE0001"] {
      let outcome = await stage.attempt(code)
      expectEqual(name(outcome.answer), "undecided clockWrong")
      expectEqual(outcome.fate, .notSent)
    }
    expectEqual(stage.service.requests, [])
    await stage.close()
  }

  /// A clock that signing in would have set is not what the usher can mend.
  @Test func whereSigningInFailedThatIsSaidAndNotTheClock() async throws {
    let stage = try await Stage.open(password: "wrong", isTrusted: false)
    stage.board.put(
      [Code("NIGHT001"): ListedTicket(status: .valid, from: try london("2026-05-02T19:30"))], asOf: stage.time.wall())
    stage.door.session?.renew()
    await until { stage.door.session?.fault != nil }
    let outcome = await stage.attempt("NIGHT001")
    expectEqual(name(outcome.answer), "undecided keyRefused")
    let words = detail(outcome.answer)
    expect(words.contains("credential set theatre-door") && !words.contains("Set the clock"), "\(words)")
    await stage.close()
  }

  /// What is on board costs no request, and what has to be asked for is left to who may.
  @Test func whatIsOnBoardIsToldWithoutARequest() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put(
      [Code("NIGHT001"): ListedTicket(status: .valid, from: try london("2026-05-02T19:30"), quantity: 2)],
      asOf: stage.time.wall())
    func onBoard(_ code: String) async -> AttemptOutcome? {
      await stage.system().outcomeOnBoard(
        of: AttemptRequest(
          attempt: AttemptID(), scan: ScanID(), code: Code(code), deadline: stage.time.now() + .seconds(9)))
    }
    let expected: [(String, String?)] = [
      ("NIGHT001", "valid"), ("PROCESSING", "refused unreadable"), ("LATE0001", nil),
    ]
    for (code, expected) in expected {
      await expectEqual(onBoard(code).map { name($0.answer) }, expected, "\(code)")
    }
    expectEqual(stage.service.count(.check), 0)
    stage.service.has(Row("LATE0001"))
    expectEqual(name(await stage.attempt("LATE0001").answer), "valid")
    await expectEqual(onBoard("LATE0001").map { name($0.answer) }, "valid", "it was told a moment ago")
    expectEqual(stage.service.count(.check), 1)
    await stage.close()
  }

  @Test func whatSuddenlyVanishedIsForTheBoxOffice() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.service.has(Row("NIGHT001"))
    stage.board.put(
      [Code("NIGHT001"): ListedTicket(status: .unconfirmed, from: try london("2026-05-02T19:30"))],
      asOf: stage.time.wall())
    let outcome = await stage.attempt("NIGHT001")
    expectEqual(name(outcome.answer), "undecided badAnswer")
    expectEqual(stage.service.count(.check), 0)
    await stage.close()
  }

  /// Nobody who is on the list is turned away for a fetch that failed.
  @Test func theNetworkMayBeGoneAllEvening() async throws {
    let stage = try await Stage.open(refresh: .seconds(300))
    stage.service.has(Row("NIGHT001"), Self.matinee)
    try await stage.refresh()
    for route in TheatreService.Route.allCases { stage.service.reply(to: route, .cut) }
    for _ in 0..<3 {
      stage.time.advance(by: .seconds(1_200))
      expectEqual(name(await stage.attempt("NIGHT001").answer), "valid")
      expectEqual(name(await stage.attempt("MATINEE1").answer), "refused tooLate")
    }
    expect(await stage.system().reach(deadline: stage.time.now() + .seconds(5)).isAnswer)
    await stage.close()
  }

  // MARK: Not on the list

  @Test(arguments: TheatreService.Shape.allCases)
  func aLateBookingIsFoundByOneQuestionAndItsPartyByNone(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    stage.service.has(Row("NIGHT001"), late: [Row("LATE0001") { $0.seats = 3 }])
    try await stage.refresh()
    for number in 0..<3 {
      let outcome = await stage.attempt("lml-late0001")
      guard case .valid(let right) = outcome.answer else {
        expect(false, "\(outcome)")
        break
      }
      expectEqual(right.quantity, 3)
      expectEqual(outcome.isRemembered, number > 0)
      expectEqual(outcome.fate, .answered)
    }
    expectEqual(stage.service.asked, [.signIn, .list, .check])
    expect(stage.service.requests.last?.hasSuffix("{\"validationCode\":\"LATE0001\"}") == true)
    // It is judged as a row is.
    expectEqual(name(await stage.attempt("LATE0001", at: Gate(shows: .ids(["gala"]))).answer), "refused wrongEvent")
    // Until its show is on no more.
    stage.time.advance(by: .seconds(2_400))
    expectEqual(name(await stage.attempt("LATE0001").answer), "valid")
    stage.time.advance(by: .seconds(3_600))
    expectEqual(name(await stage.attempt("LATE0001").answer), "refused tooLate")
    expectEqual(stage.service.count(.check), 1)
    await stage.close()
  }

  @Test func whatIsJudgedByACheckIsJudgedAsARow() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.has(
      Self.matinee, Row("AHEAD001") { $0.date = "2026-05-03" }, Row("GONE0001") { $0.status = "cancelled" },
      Row("UNPAID01") { $0.status = "pending" })
    for (code, expected) in [
      ("MATINEE1", "refused tooLate"), ("AHEAD001", "refused wrongEvent"), ("GONE0001", "refused cancelled"),
      ("UNPAID01", "refused unpaid"),
    ] {
      stage.door.memory.ration.change { $0 = DoorRation() }
      expectEqual(name(await stage.attempt(code).answer), expected)
    }
    expectEqual(stage.service.count(.check), 4)
    await stage.close()
  }

  @Test(arguments: TheatreService.Shape.allCases)
  func whatTheServiceDoesNotKnowIsNotFoundForAWhile(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    let outcome = await stage.attempt("NOBODY01")
    expectEqual(outcome.answer, .refused(.notFound, detail: "Invalid verification code or ticket not found"))
    stage.time.advance(by: .seconds(299))
    expectEqual(name(await stage.attempt("NOBODY01").answer), "refused notFound")
    expectEqual(stage.service.count(.check), 1)
    stage.time.advance(by: .seconds(2))
    stage.service.has([Row("NOBODY01")])
    expectEqual(name(await stage.attempt("NOBODY01").answer), "valid")
    expectEqual(stage.service.count(.check), 2)
    await stage.close()
  }

  /// 140 bookings, of which the list tells 100: nobody is refused.
  @Test func whatAnIncompleteListLacksIsAskedForOrUndecidedAndNeverNotFound() async throws {
    let stage = try await Stage.open()
    let all = (0..<140).map { Row("CODE\(1_000 + $0)") }
    stage.service.has(Array(all.prefix(100)))
    try await stage.refresh()
    stage.service.has(all)
    var counts: [String: Int] = [:]
    for row in all {
      let outcome = await stage.attempt(row.code)
      counts[name(outcome.answer), default: 0] += 1
      if case .undecided(_, let detail) = outcome.answer {
        expect(detail?.hasPrefix("Not on the list of 18:50, ask the box office. ") == true, "\(detail ?? "")")
        expectEqual(outcome.fate, .notSent)
        expect(outcome.retryAfter.map { $0 > .seconds(800) } == true && outcome.offline == nil)
      }
    }
    expectEqual(counts, ["valid": 102, "undecided rateLimited": 38])
    expectEqual(stage.service.count(.check), 2)
    await stage.close()
  }

  @Test func theServicesOwnRefusalForTheRateIsWaitedOut() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.has([Row("LATE0001")])
    let refusal = stage.service.response(
      "403 Forbidden", stage.service.error("Too many auth attempts"), extra: "Retry-After: 120\r\n")
    stage.service.reply(to: .check, .answer(refusal), .usual)
    expectEqual(name(await stage.attempt("LATE0001").answer), "undecided rateLimited")
    expectEqual(name(await stage.attempt("LATE0001").answer), "undecided rateLimited")
    expectEqual(stage.service.count(.check), 1, "it was asked before its time")
    stage.time.advance(by: .seconds(121))
    expectEqual(name(await stage.attempt("LATE0001").answer), "valid")
    await stage.close()
  }

  @Test func whereNobodyIsSignedInNobodyWaitsForThat() async throws {
    let stage = try await Stage.open()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.has([Row("LATE0001")])
    stage.service.reply(to: .signIn, .held)
    let outcome = await stage.attempt("LATE0001")
    expectEqual(name(outcome.answer), "undecided unreachable")
    expect(detail(outcome.answer).contains("Staff are being signed in"), "\(detail(outcome.answer))")
    expectEqual(outcome.fate, .notSent)
    await stage.service.sees(1)
    stage.service.release()
    await until { stage.door.session?.held != nil }
    expectEqual(name(await stage.attempt("LATE0001").answer), "valid")
    expectEqual(stage.service.asked, [.signIn, .check])
    await stage.close()
  }

  @Test(arguments: TheatreService.Shape.allCases)
  func aSessionThatEndsBetweenTwoCallsIsRenewedBehind(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.has([Row("LATE0001")])
    stage.service.forgetSessions()
    let outcome = await stage.attempt("LATE0001")
    expectEqual(name(outcome.answer), "undecided keyRefused")
    expect(!Stage.holdsSecret(detail(outcome.answer)))
    await until { stage.door.session?.held != nil }
    expectEqual(name(await stage.attempt("LATE0001").answer), "valid")
    expectEqual(stage.service.asked, [.signIn, .check, .signIn, .check])
    await stage.close()
  }

  /// Whose sign-in works needs no password: the account may not check tickets.
  @Test func anAccountThatMayNotCheckIsToldSo() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    let refusal = TheatreService.Reply.answer(
      stage.service.response("403 Forbidden", #"{"error":"Not authenticated"}"#, type: "application/json", extra: ""))
    stage.service.reply(to: .check, refusal, refusal)
    let first = detail(await stage.attempt("LATE0001").answer)
    expect(first.contains("credential set theatre-door"), "\(first)")
    await until { stage.door.session?.held != nil }
    let second = detail(await stage.attempt("LATE0001").answer)
    expect(second.contains("the account may not ask for a check") && !second.contains("credential set"), "\(second)")
    await stage.close()
  }

  @Test func aRefusedPasswordIsToldAtTheGate() async throws {
    let stage = try await Stage.open(password: "wrong")
    stage.board.put([:], asOf: stage.time.wall())
    stage.door.session?.renew()
    await until { stage.door.session?.fault != nil }
    let outcome = await stage.attempt("LATE0001")
    expectEqual(name(outcome.answer), "undecided keyRefused")
    expect(detail(outcome.answer).hasPrefix("Not on the list of 18:50, ask the box office. "))
    await stage.close()
  }

  /// The list comes from files alone.
  @Test func withoutStaffNobodyIsAsked() async throws {
    let stage = try await Stage.open()
    let files = try stage.again { $0.staff = nil }
    files.board.put(
      [Code("NIGHT001"): ListedTicket(status: .valid, from: try london("2026-05-02T19:30"))], asOf: stage.time.wall())
    expectEqual(name(await files.attempt("NIGHT001").answer), "valid")
    let outcome = await files.attempt("LATE0001")
    expectEqual(name(outcome.answer), "undecided outOfService")
    expect(detail(outcome.answer).contains("scangate tickets import FILE"))
    expect(await files.system().reach(deadline: stage.time.now() + .seconds(5)).isAnswer)
    expectEqual(stage.service.requests, [])
    await files.transport.close()
    await stage.close()
  }

  @Test func twoGatesAskOnce() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.has([Row("LATE0001")])
    stage.service.reply(to: .check, .held)
    async let stalls = stage.attempt("LATE0001")
    async let circle = stage.attempt("LATE0001", at: Gate(shows: .ids(["gala"])))
    await stage.service.sees(2)
    // The other gate joins, or has asked: no second question comes either way.
    stage.service.release()
    let answers = await [name(stalls.answer), name(circle.answer)]
    expectEqual(answers, ["valid", "refused wrongEvent"])
    expectEqual(stage.service.count(.check), 1)
    await stage.close()
  }

  @Test func anAnswerThatComesLateIsToldAndKept() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.board.put([:], asOf: stage.time.wall())
    stage.service.has([Row("LATE0001")])
    stage.service.reply(to: .check, .held)
    let late = AsyncStream<AttemptOutcome>.makeStream()
    let outcome = await stage.attempt("LATE0001", within: .milliseconds(300)) { late.continuation.yield($0) }
    expectEqual(outcome.fate, .pending)
    expectEqual(name(outcome.answer), "undecided unreachable")
    expect(!outcome.mayHaveRedeemed)
    await stage.service.sees(2)
    stage.service.release()
    for await outcome in late.stream {
      expectEqual(name(outcome.answer), "valid")
      break
    }
    let next = await stage.attempt("LATE0001")
    expect(name(next.answer) == "valid" && next.isRemembered)
    expectEqual(stage.service.count(.check), 1)
    await stage.close()
  }

  /// A list that is too old decides nothing, and keeps nobody from being asked about.
  @Test func beyondItsAgeTheListDecidesNothing() async throws {
    let stage = try await Stage.open()
    try await stage.signIn()
    stage.service.has(Row("NIGHT001"), Row("NIGHT002"), Row("NIGHT003"))
    let listed = ListedTicket(status: .valid, from: try london("2026-05-02T19:30"), quantity: 4)
    stage.board.put(
      [Code("NIGHT001"): listed, Code("NIGHT002"): listed, Code("NIGHT003"): listed],
      asOf: stage.time.wall() - .seconds(12 * 3_600 + 1))
    expectEqual(name(await stage.attempt("NIGHT001").answer), "valid")
    expectEqual(name(await stage.attempt("NIGHT002").answer), "valid")
    let third = await stage.attempt("NIGHT003")
    expectEqual(name(third.answer), "undecided rateLimited")
    expect(detail(third.answer).contains("12 h old"), "\(detail(third.answer))")
    await stage.close()
  }

  // MARK: Reach, and the suite of all ticket systems

  @Test func theReadyProbeIsTheSignInWhereNoListDecides() async throws {
    let stage = try await Stage.open()
    let deadline = stage.time.now() + .seconds(30)
    expect(await stage.system().reach(deadline: deadline).isAnswer)
    expectEqual(stage.service.asked, [.signIn])
    let wrong = try await Stage.open(password: "wrong")
    guard case .fault(.keyRefused, let words) = await wrong.system().reach(deadline: wrong.time.now() + .seconds(30))
    else {
      return expect(false, "a gate that cannot admit does not say so")
    }
    expect(words.contains("no list of tickets") && words.contains("credential set theatre-door"), "\(words)")
    let away = try await Stage.open()
    away.service.reply(to: .signIn, .cut)
    let found = await away.system().reach(deadline: away.time.now() + .seconds(5))
    guard case .fault(.outOfService, _) = found else { return expect(false, "it is \(found)") }
    // With a list it decides, and signs in behind.
    wrong.board.put([:], asOf: wrong.time.wall())
    expect(await wrong.system().reach(deadline: wrong.time.now() + .seconds(30)).isAnswer)
    for stage in [stage, wrong, away] { await stage.close() }
  }

  /// A machine without a battery clock: no show can be judged until somebody has told the time, and a session of before its start tells none.
  @Test func theSignInTellsTheTimeWhereNothingElseDoes() async throws {
    let stage = try await Stage.open(isTrusted: false, records: Records())
    func told(_ stage: Stage) async -> WallTime? {
      guard case .answers(let date) = await stage.system().reach(deadline: stage.time.now() + .seconds(30)) else {
        return nil
      }
      return date
    }
    func isNow(_ date: WallTime?) -> Bool {
      date.map { abs($0.seconds - stage.time.wall().seconds) <= 2 } ?? false
    }
    expect(isNow(await told(stage)))
    stage.time.advance(by: .seconds(600))
    expect(isNow(await told(stage)))
    expectEqual(stage.service.asked, [.signIn])
    let restarted = try stage.again(isTrusted: false)
    expect(isNow(await told(restarted)))
    expectEqual(stage.service.asked, [.signIn, .signIn])
    let trusted = try stage.again()
    expectEqual(await told(trusted), nil)
    expectEqual(stage.service.asked, [.signIn, .signIn])
    for stage in [restarted, trusted] { await stage.transport.close() }
    await stage.close()
  }

  /// Nor is a session spent on it that the service would not renew.
  @Test func aServiceThatCannotTellTheTimeIsAskedAgain() async throws {
    let stage = try await Stage.open(records: Records())
    try await stage.signIn()
    let restarted = try stage.again(isTrusted: false)
    restarted.board.put([:], asOf: stage.time.wall())
    stage.service.reply(to: .signIn, .cut, .usual)
    let deadline = stage.time.now() + .seconds(30)
    expect(await !restarted.system().reach(deadline: deadline).isAnswer, "nothing tells how old the list is")
    expect(restarted.door.session?.held != nil && restarted.door.session?.date == nil)
    stage.time.advance(by: .seconds(16))
    guard case .answers(.some) = await restarted.system().reach(deadline: stage.time.now() + .seconds(30)) else {
      return expect(false, "the time was not asked for again")
    }
    expectEqual(stage.service.asked, [.signIn, .signIn, .signIn])
    await restarted.transport.close()
    await stage.close()
  }

  @Test func itDoesWhatEveryTicketSystemMust() async throws {
    let stage = try await Stage.open()
    stage.service.has(Row("NIGHT001"), late: [Row("LATE0001")])
    try await stage.refresh()
    stage.service.reply(to: .check, .usual, .held)
    let failures = await TicketSystemConformance(
      system: stage.system(), goodCode: Code("LML-NIGHT001"), unknownCode: Code("NOBODY01"), slowCode: Code("LATE0001"),
      release: { stage.service.release() }, time: stage.time
    ).failures()
    expectEqual(failures, [])
    await stage.close()
  }

  /// What one gate has given back is no admission at the gate of another show.
  @Test func aGateOfItsOwnShowsBarsOthers() throws {
    let door = try Stage.offlineDoor()
    let list = ListOnBoard(of: Stage.id, nil, maxAge: .zero) {
      JournalTime(wall: WallTime(seconds: 0), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    }
    let gate = BookingsTicketSystem(id: Stage.id, door: door, gate: Gate(shows: .ids(["night"])), list: list, cure: "")
    let rule = try #require(gate.rule)
    expect(rule.takes(TicketDetails(eventID: "night")))
    expectEqual(rule.bar(TicketDetails(event: "Wicked", eventID: "gala"))?.refusal, .wrongEvent)
    expectEqual(rule.word(on: nil), .unknown)
    expectEqual(rule.word(on: TicketDetails()), .unknown)
    expect(BookingsTicketSystem(id: Stage.id, door: door, gate: Gate(), list: list, cure: "").rule == nil)
  }
}
