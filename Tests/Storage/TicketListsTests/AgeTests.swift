import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import TicketLists

/// Each row is as old as what brought it, whatever came on board since.
@Suite struct AgeTests {
  private static let day = WallTime(seconds: 1_795_219_200)  // 2026-11-21
  private static let span = day..<day + .seconds(86_400)
  /// When the file was true that `ListFolder.load` imports.
  private static let file = WallTime(seconds: 1_700_000_000)

  /// Takes what is told of the day in the place of what the list has of it.
  private func refresh(
    _ folder: ListFolder, _ codes: [String], of span: Range<WallTime>? = span, asOf: WallTime
  ) async throws {
    let list = try StoredTicketList(folder.place, key: folder.key)
    let replacement = try await list.replacement(of: span, asOf: asOf) { _ in nil }
    try await replacement.add(
      codes.map {
        ToldTicket(code: $0, isWholeSale: true, status: .valid, from: Self.day, until: Self.day + .seconds(86_400))
      })
    _ = try await replacement.finish(mayShrink: true)
  }

  private func finding(_ folder: ListFolder, _ code: String) async throws -> ListFinding? {
    try await StoredTicketList(folder.place, key: folder.key).find(Code(code))
  }

  /// When that was true what the list says of a code; `nil` where it does not name it.
  private func asOf(_ folder: ListFolder, _ code: String) async throws -> WallTime? {
    guard case .named(_, let told)? = try await finding(folder, code) else { return nil }
    return told.asOf
  }

  @Test func aRefreshMakesNothingYoungerThatItDoesNotCover() async throws {
    let folder = try ListFolder()
    try folder.load("code,date,event_id\ntoday,2026-11-21,x\nlater,2026-12-24,x\never,,\nmoved,2026-12-24,\n")
    let (first, second) = (Self.day + .seconds(100), Self.day + .seconds(200))
    try await refresh(folder, ["today", "new", "moved"], asOf: first)
    for (code, told) in [("today", first), ("new", first), ("moved", first), ("later", Self.file), ("ever", Self.file)]
    {
      try await expectEqual(asOf(folder, code), told, "\(code)")
    }
    try expectEqual(folder.find("later")?.eventID, "x")
    // Of yesterday there is what was told then.
    let next = Self.span.upperBound..<Self.span.upperBound + .seconds(86_400)
    try await refresh(folder, [], of: next, asOf: second)
    for (code, told) in [("today", first), ("later", Self.file), ("ever", Self.file)] {
      try await expectEqual(asOf(folder, code), told, "\(code)")
    }
    try await expectEqual(StoredTicketList(folder.place, key: folder.key).state()?.told.asOf, second)
    // A whole list is of one age again.
    try await refresh(folder, ["today"], of: nil, asOf: second)
    try await expectEqual(asOf(folder, "today"), second)
    try expectEqual(TicketListReader(folder.place, key: folder.key).summary().older, [])
  }

  /// What was sold since is not in it.
  @Test func aCodeThatIsNotNamedIsAsOldAsTheLastWholeList() async throws {
    let folder = try ListFolder()
    let now = Self.day + .seconds(100)
    try await refresh(folder, ["today"], asOf: now)
    guard case .unnamed(all: nil, let any)? = try await finding(folder, "other"), any.asOf == now else {
      return unexpected("a list that was never whole")
    }
    try folder.load("code,date\nlater,2026-12-24\n")
    guard case .unnamed(let all?, let any)? = try await finding(folder, "other"), all == any, all.asOf == Self.file
    else {
      return unexpected("a list that is whole")
    }
    for later in [now, now + .seconds(100)] {
      try await refresh(folder, ["today"], asOf: later)
      guard case .unnamed(let all?, let any)? = try await finding(folder, "other") else {
        return unexpected("a code that is not there")
      }
      expect(all.asOf == Self.file && any.asOf == later)
      expect((all.running ?? .zero) >= .seconds(100), "\(all)")
    }
    try expectEqual(TicketListReader(folder.place, key: folder.key).summary().completeAsOf, Self.file)
  }

  /// By the clock that nobody sets, too: the file was 100 s old when it was imported.
  @Test func theRunningClockIsOfEachPart() async throws {
    let folder = try ListFolder()
    try folder.load("code,date\never,\n")
    try await refresh(folder, ["today"], asOf: SystemTime().wall())
    for (code, least) in [("ever", Duration.seconds(100)), ("today", .zero)] {
      guard case .named(_, let told)? = try await finding(folder, code), let running = told.running else {
        return unexpected("no age of \(code)")
      }
      expect(running >= least && running < least + .seconds(60), "\(code): \(running)")
    }
    // A part that a program of an earlier version imported has no such clock, and gets none.
    try folder.load("code,date\never,\n")
    try Database(folder.place.path, .write, busyMilliseconds: 0).execute("DROP TABLE import")
    try await refresh(folder, ["today"], asOf: SystemTime().wall())
    guard case .named(_, let told)? = try await finding(folder, "ever") else { return unexpected("a ticket is gone") }
    expectEqual(told, ListAge(asOf: Self.file))
  }

  /// A former program would take all of it for as old as the newest.
  @Test func whatFormerProgramsWouldMisreadTheyDoNotRead() async throws {
    func version(_ folder: ListFolder) throws -> Int64? {
      try Database(folder.place.path, .write, busyMilliseconds: 0).integer("PRAGMA user_version")
    }
    let folder = try ListFolder()
    try await refresh(folder, ["today"], asOf: Self.day)
    try expectEqual(version(folder), 4)
    try folder.load("code,date\nlater,2026-12-24\n")
    try expectEqual(version(folder), 2)
    try await refresh(folder, ["today"], asOf: Self.day)
    try expectEqual(version(folder), 4)
    try await refresh(folder, ["today"], of: nil, asOf: Self.day)
    try expectEqual(version(folder), 2)
  }

  /// Nor is anything made younger in the file itself.
  @Test(arguments: [
    "UPDATE ticket SET part = NULL", "UPDATE part SET as_of = as_of + 1", "UPDATE part SET since_boot = since_boot + 1",
    "UPDATE part SET boot = 'another'", "UPDATE part SET imported = imported - 1", "DELETE FROM part",
    "PRAGMA user_version = 3", "UPDATE list SET whole = NULL",
    "UPDATE ticket SET part = 2; INSERT INTO part SELECT 2, as_of + 9, imported, boot, since_boot FROM part",
  ]) func aPartThatWasMadeYoungerIsDamage(change: String) async throws {
    let folder = try ListFolder()
    try folder.load("code,date\nlater,2026-12-24\n")
    try await refresh(folder, ["today"], asOf: Self.day)
    expect(try folder.find("later") != nil)
    try Database(folder.place.path, .write, busyMilliseconds: 0).execute(change)
    #expect(throws: TicketListFault.self, "\(change)") { try folder.find("later") }
  }

  /// Whatever is replaced in whatever order: each row is as old as a table in memory says.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 10, release: 100))))
  func eachRowIsAsOldAsWhatBroughtIt(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try ListFolder()
    var model: [String: (day: Int64, asOf: Int64)] = [:]
    var whole: Int64?
    for time in 1..<10 as Range<Int64> {
      let day = random.chance(75) ? Int64.random(in: 0...3, using: &random) : nil
      model = model.filter { day != nil && $0.value.day != day }
      if day == nil { whole = time }
      var tickets: [ToldTicket] = []
      for number in Set((0..<6).map { _ in Int.random(in: 0...12, using: &random) }) {
        let own = day ?? Int64.random(in: 0...3, using: &random)
        let from = Self.day + .seconds(86_400 * own)
        tickets.append(
          ToldTicket(
            code: "code-\(number)", isWholeSale: true, status: .valid, from: from, until: from + .seconds(86_400)))
        model["code-\(number)"] = (own, time)
      }
      let list = try StoredTicketList(folder.place, key: folder.key)
      let span = day.map { Self.day + .seconds(86_400 * $0)..<Self.day + .seconds(86_400 * ($0 + 1)) }
      let replacement = try await list.replacement(of: span, asOf: WallTime(seconds: time)) { _ in nil }
      for ticket in tickets { try await replacement.add([ticket]) }
      _ = try await replacement.finish(mayShrink: true)
      for number in 0...12 {
        switch try await list.find(Code("code-\(number)")) {
        case .named(_, let told)?: expectEqual(told.asOf.seconds, model["code-\(number)"]?.asOf, "seed \(seed)")
        case .unnamed(let all, let any)?:
          expect(model["code-\(number)"] == nil && any.asOf.seconds == time, "seed \(seed)")
          expectEqual(all?.asOf.seconds, whole, "seed \(seed)")
        case nil: unexpected("no list, seed \(seed)")
        }
      }
    }
  }

  private func unexpected(_ what: String) { Issue.record("unexpected: \(what)") }
}
