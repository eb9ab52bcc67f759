import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import TicketLists

/// A list to which its ticket system adds one answer after the other.
@Suite struct MergeTests {
  private let evenings: Evenings

  init() throws { evenings = try Evenings() }

  private func booking(
    _ code: String, day: Int64? = 0, status: ListedTicket.Status? = .valid, quantity: Int = 2, sale: String? = nil,
    seats: [String] = []
  ) -> ToldTicket {
    evenings.booking(code, day: day, status: status, quantity: quantity, sale: sale, seats: seats)
  }

  private func codes(_ range: Range<Int>) -> [ToldTicket] { range.map { booking("code\($0)") } }

  @Test func whatIsToldIsOfNowAndAllElseStaysAsOldAsItWas() async throws {
    let first = evenings.now
    let told = try await evenings.merge([
      booking("a"), booking("b"), booking("later", day: 3), booking("ever", day: nil),
    ])
    expectEqual(told, MergedTickets(taken: 4))
    evenings.now = first + .seconds(300)
    try await expectEqual(evenings.merge([booking("a", quantity: 3), booking("new")]), MergedTickets(taken: 2))
    for (code, asOf) in [("a", evenings.now), ("new", evenings.now), ("b", first), ("later", first), ("ever", first)] {
      try await expectEqual(evenings.asOf(code), asOf, "\(code)")
      try await expectEqual(evenings.status(code), .valid, "\(code)")
    }
    try await expectEqual(evenings.find("a")?.quantity, 3)
    try await expectEqual(evenings.find("a")?.saleQuantity, 3)
    let state = try #require(try await evenings.list().state())
    expect(state.told.asOf == evenings.now && state.count == 5)
    expectEqual(evenings.folder.names, ["tickets-venue.sqlite"])
    try evenings.reader().verify()
  }

  @Test func whatIsToldNoMoreOfItsDayIsCancelledAsOfNow() async throws {
    let first = evenings.now
    try await evenings.merge(codes(0..<5) + [booking("tomorrow", day: 1), booking("ever", day: nil)])
    evenings.now = first + .seconds(300)
    let told = try await evenings.merge(codes(0..<3), whole: Evenings.day(0))
    expectEqual(told, MergedTickets(taken: 3, vanished: 2))
    for code in ["code3", "code4"] {
      try await expectEqual(evenings.status(code), .cancelled)
      try await expectEqual(evenings.asOf(code), evenings.now)
    }
    for code in ["tomorrow", "ever"] {
      try await expectEqual(evenings.status(code), .valid)
      try await expectEqual(evenings.asOf(code), first)
    }
    // A cancelled one is one no more of those that have vanished, and stays as old as that.
    let cancelled = evenings.now
    evenings.now = cancelled + .seconds(300)
    try await expectEqual(evenings.merge(codes(0..<3), whole: Evenings.day(0)), MergedTickets(taken: 3))
    try await expectEqual(evenings.asOf("code3"), cancelled)
    // It comes back where it is told again.
    try await evenings.merge(codes(0..<4), whole: Evenings.day(0))
    try await expectEqual(evenings.status("code3"), .valid)
  }

  /// A server that tells half of what it has, or an answer that was cut off.
  @Test func whereMoreThanHalfVanishNobodyBelievesIt() async throws {
    try await evenings.merge(codes(0..<10) + [booking("refunded", status: .refunded)])
    evenings.now = evenings.now + .seconds(300)
    let told = try await evenings.merge(codes(0..<4), whole: Evenings.day(0))
    expectEqual(told, MergedTickets(taken: 4, vanished: 6, isDoubtful: true))
    try await expectEqual(evenings.status("code3"), .valid)
    try await expectEqual(evenings.status("code4"), .unconfirmed)
    // Who was refused before is refused on.
    try await expectEqual(evenings.status("refunded"), .refunded)
    // They count on, or a server that tells few would be believed the second time.
    try await expectEqual(
      evenings.merge(codes(0..<4), whole: Evenings.day(0)), MergedTickets(taken: 4, vanished: 6, isDoubtful: true))
    // Told again they are tickets again, and the rest is not more than half.
    try await expectEqual(
      evenings.merge(codes(0..<5), whole: Evenings.day(0)), MergedTickets(taken: 5, vanished: 5))
    try await expectEqual(evenings.status("code4"), .valid)
    try await expectEqual(evenings.status("code5"), .cancelled)
  }

  @Test func anAnswerThatTellsAllOfNoTimeTakesNothingAway() async throws {
    try await evenings.merge(codes(0..<10))
    try await expectEqual(evenings.merge([], whole: nil), MergedTickets(taken: 0))
    for number in 0..<10 { try await expectEqual(evenings.status("code\(number)"), .valid) }
  }

  @Test func whatBeganLongAgoGoesUnlessItIsToldAgain() async throws {
    try await evenings.merge([booking("a"), booking("b"), booking("c", day: 3), booking("ever", day: nil)])
    evenings.now = evenings.now + .seconds(3 * 86_400)
    try await evenings.merge([booking("a")], forgetting: evenings.now - .seconds(2 * 86_400))
    for code in ["a", "c", "ever"] { try await expectEqual(evenings.status(code), .valid, "\(code)") }
    try await expectEqual(evenings.status("b"), nil)
    try expectEqual(evenings.reader().state.count, 3)
  }

  /// Codes are neither signed nor drawn well: two bookings may have one.
  @Test func aCodeOfTwoBookingsAdmitsNeither() async throws {
    let told = try await evenings.merge([
      booking("X", sale: "1"), booking("X", sale: "2"), booking("Y", day: 0, sale: "3"),
      booking("Y", day: 1, sale: "3"),
      booking("Z", sale: "4"), booking("Z", sale: "4"),
    ])
    expectEqual(told, MergedTickets(taken: 2, left: 4, problem: "two bookings have one code"))
    try await expectEqual(evenings.status("X"), .unconfirmed)
    try await expectEqual(evenings.status("Y"), .unconfirmed)
    // The same one told twice is one.
    try await expectEqual(evenings.status("Z"), .valid)
    try await expectEqual(evenings.find("Z")?.quantity, 2)
    // Once one of them is told, it is that.
    try await evenings.merge([booking("X", sale: "2")])
    try await expectEqual(evenings.find("X")?.sale, "2")
    try await expectEqual(evenings.status("X"), .valid)
  }

  @Test func whatIsToldReplacesAFilesRowOfItsCode() async throws {
    try evenings.load("code,date,show,status\nX,2026-11-21,show-0,cancelled\nfile,2026-11-21,show-0,paid\n")
    let file = evenings.now
    evenings.now = file + .seconds(300)
    try await evenings.merge([booking("X", sale: "1")])
    let found = try #require(try await evenings.find("X"))
    expect(found.status == .valid && found.sale == "1" && found.from == Evenings.show(0), "\(found)")
    try await expectEqual(evenings.asOf("file"), file)
  }

  /// A ticket of which something is told that cannot be judged has not vanished, and is not what it was.
  @Test func whatIsToldBadlyIsInDoubt() async throws {
    try await evenings.merge(codes(0..<6))
    let told = try await evenings.merge(codes(0..<4) + [booking("code4", status: nil)], whole: Evenings.day(0))
    expectEqual(told, MergedTickets(taken: 4, left: 1, problem: "its state is none that is known", vanished: 1))
    try await expectEqual(evenings.status("code4"), .unconfirmed)
    try await expectEqual(evenings.status("code5"), .cancelled)
    // One that the list does not have is not made by it.
    try await evenings.merge([booking("stranger", status: nil)])
    expect(try await evenings.find("stranger") == nil)
  }

  /// Of an answer that is mostly bad what is good is taken; it says of nobody that he is not in it.
  @Test func anAnswerThatIsMostlyBadTakesNothingAway() async throws {
    try await evenings.merge(codes(0..<4))
    let bad = (0..<3).map { booking("", status: .valid, quantity: $0) }
    let told = try await evenings.merge([booking("new")] + bad, whole: Evenings.day(0))
    expectEqual(told, MergedTickets(taken: 1, left: 3, problem: "it admits nobody"))
    for number in 0..<4 { try await expectEqual(evenings.status("code\(number)"), .valid) }
    try await expectEqual(evenings.status("new"), .valid)
    expectEqual(try await evenings.merge(bad, whole: Evenings.day(0)).left, 3)
    try await expectEqual(evenings.status("code0"), .valid)
  }

  @Test func whenAllWasToldStaysWhatItWas() async throws {
    func complete() throws -> WallTime? { try evenings.reader().summary().completeAsOf }
    try await evenings.merge(codes(0..<2), whole: Evenings.day(0))
    try expectEqual(complete(), nil)
    try evenings.load("code\nfile\n")
    let file = evenings.now
    for _ in 0..<2 {
      evenings.now = evenings.now + .seconds(300)
      try await evenings.merge(codes(0..<2), whole: Evenings.day(0))
      try expectEqual(complete(), file)
    }
    // Also where nobody is confirmed, which is of a later version.
    try await evenings.merge([], whole: Evenings.day(0))
    try expectEqual(complete(), file)
    try await expectEqual(evenings.status("code0"), .unconfirmed)
  }

  /// A former program would take a ticket that is in doubt for none, or for a fault.
  @Test func whatFormerProgramsWouldMisreadTheyDoNotRead() async throws {
    func version() throws -> Int64? {
      try Database(evenings.folder.place.path, .write, busyMilliseconds: 0).integer("PRAGMA user_version")
    }
    try await evenings.merge(codes(0..<4))
    try expectEqual(version(), 4)
    try await evenings.merge([], whole: Evenings.day(0))
    try expectEqual(version(), 5)
    expectEqual(try evenings.reader().summary().counts, [.unconfirmed: 4])
    try await evenings.merge(codes(0..<4), whole: Evenings.day(0))
    try expectEqual(version(), 4)
    try evenings.load("code\na\nb\n")
    try expectEqual(version(), 2)
    // No file says it.
    let report = try evenings.load("code,status\na,unconfirmed\nb,paid\n")
    expect(report.badLines.map(\.line) == [2] && StateChoice("unconfirmed=x") == nil)
  }

  /// What somebody changes in the file makes no ticket of one that is in doubt.
  @Test(arguments: [
    "UPDATE ticket SET status = 0", "PRAGMA user_version = 4; UPDATE ticket SET status = 0",
    "UPDATE ticket SET part = NULL, status = 0", "UPDATE list SET whole = 0", "UPDATE list SET whole = NULL",
  ]) func aChangedListIsNotBelieved(change: String) async throws {
    try evenings.load("code\nfile\n")
    try await evenings.merge(codes(0..<4))
    try await evenings.merge([], whole: Evenings.day(0))
    try await expectEqual(evenings.status("code1"), .unconfirmed)
    try Database(evenings.folder.place.path, .write, busyMilliseconds: 0).execute(change)
    await #expect(throws: TicketListFault.self, "\(change)") { try await evenings.find("code1") }
  }

  @Test func aDamagedListIsNotAddedTo() async throws {
    try await evenings.merge(codes(0..<4))
    try Database(evenings.folder.place.path, .write, busyMilliseconds: 0).execute("UPDATE ticket SET quantity = 9")
    let before = try bytes(of: evenings.folder.place.path)
    await #expect(throws: TicketListFault.self) { try await evenings.merge(codes(0..<4)) }
    try expectEqual(bytes(of: evenings.folder.place.path), before)
    expectEqual(evenings.folder.names, ["tickets-venue.sqlite"])
  }

  @Test func anImportAtWorkIsNotDisturbed() async throws {
    let work = try TicketImport(evenings.folder.settings())
    await #expect(throws: TicketListFault.self) { try await evenings.merge(codes(0..<1)) }
    try work.add(booking("b"))
    _ = try work.finish(asOf: evenings.now, imported: evenings.now)
    try await evenings.merge([booking("a")])
    for code in ["a", "b"] { try await expectEqual(evenings.status(code), .valid, "\(code)") }
  }

  @Test func anAnswerIsAddedOnce() async throws {
    let work = try await evenings.list().replacement(of: nil, asOf: evenings.now) { _ in nil }
    try await work.add([booking("a")])
    _ = try await work.merge(whole: nil, forgetting: nil)
    await #expect(throws: TicketListFault.self) { try await work.merge(whole: nil, forgetting: nil) }
    await #expect(throws: TicketListFault.self) { try await work.add([booking("b")]) }
    try expectEqual(evenings.reader().state.count, 1)
  }

  /// Ten thousand told, and as many more on board: each of them what it ought to be.
  @Test func manyAreAddedToMany() async throws {
    try await evenings.merge((0..<20_000).map { booking("code\($0)", day: Int64($0 % 2)) })
    let told = try await evenings.merge(
      (0..<10_000).map { booking("code\($0)", day: Int64($0 % 2)) }, whole: Evenings.day(0))
    // Half of the first day's is not more than half.
    expectEqual(told, MergedTickets(taken: 10_000, vanished: 5_000))
    expectEqual(try evenings.reader().summary().counts, [.valid: 15_000, .cancelled: 5_000])
  }
}
