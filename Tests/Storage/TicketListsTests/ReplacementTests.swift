import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import TicketLists

/// A list that its own ticket system fills, a time of it or all.
@Suite struct ReplacementTests {
  private static let day = WallTime(seconds: 1_795_219_200)  // 2026-11-21
  private static func span(_ days: Int64) -> Range<WallTime> {
    day + .seconds(86_400 * days)..<day + .seconds(86_400 * (days + 1))
  }

  private func told(_ code: String, day: Int64?, quantity: Int = 1, sale: String? = nil) -> ToldTicket {
    let evening = day.map { Self.day + .seconds(86_400 * $0 + 64_800) }
    return ToldTicket(
      code: code, isWholeSale: true, status: .valid, from: evening, until: evening.map { $0 + .seconds(7_200) },
      quantity: quantity, sale: sale, event: "Play", eventID: day.map { "show-\($0)" }, kind: "stalls")
  }

  @discardableResult private func replace(
    _ folder: ListFolder, _ span: Range<WallTime>?, _ tickets: [ToldTicket], asOf: Int64 = 1_795_300_000,
    mayShrink: Bool = true
  ) async throws(TicketListFault) -> Int {
    let replacement = try await begun(folder, span, asOf: asOf)
    try await replacement.add(tickets)
    return try await replacement.finish(mayShrink: mayShrink)
  }

  private func begun(
    _ folder: ListFolder, _ span: Range<WallTime>?, asOf: Int64 = 1_795_300_000
  ) async throws(TicketListFault) -> any TicketListReplacement {
    try await StoredTicketList(folder.place, key: folder.key).replacement(of: span, asOf: WallTime(seconds: asOf)) {
      TicketKey(Array($0.text.lowercased().utf8))
    }
  }

  /// Somebody may have deleted an event by mistake; or a server tells half of what it has.
  @Test func aDayThatHasLostMoreThanHalfIsHeldBack() async throws {
    let folder = try ListFolder()
    try await replace(folder, nil, (0..<10).map { told("code-\($0)", day: 0) } + [told("next", day: 1)])
    func tell(_ count: Int) async throws(TicketListFault) {
      try await replace(folder, Self.span(0), (0..<count).map { told("code-\($0)", day: 0) }, mayShrink: false)
    }
    for count in [0, 4] {
      do throws(TicketListFault) {
        try await tell(count)
        Issue.record("\(count) of 10 were taken")
      } catch {
        expect(
          error.isShrunk && error.description.contains("\(count) tickets, and the list on board has 10"), "\(error)")
      }
      expect(try folder.find("code-9") != nil)
    }
    try await tell(5)
    expect(try folder.find("code-4") != nil && folder.find("code-5") == nil && folder.find("next") != nil)
    // What is left is what counts from now on.
    try await tell(3)
  }

  @Test func oneDayIsReplacedAndTheOthersStay() async throws {
    let folder = try ListFolder()
    try await replace(
      folder, nil,
      [
        told("a0", day: 0), told("b0", day: 0, quantity: 4, sale: "s"), told("A1", day: 1), told("a1", day: 1),
        told("ever", day: nil), told("moves", day: 0),
      ])
    let former = try folder.find("A1")
    expect(former?.hasOtherSpelling == true && former?.eventID == "show-1")
    let bad = try await replace(
      folder, Self.span(1), [told("c1", day: 1, quantity: 2), told("moves", day: 1), told("", day: 1)])
    expectEqual(bad, 1)
    expect(try folder.find("A1") == nil && folder.find("a1") == nil)
    try expectEqual(folder.find("c1")?.quantity, 2)
    try expectEqual(folder.find("moves")?.eventID, "show-1")
    try expectEqual(
      folder.find("b0"),
      ListedTicket(
        status: .valid, from: Self.day + .seconds(64_800), until: Self.day + .seconds(72_000), quantity: 4, sale: "s",
        saleQuantity: 4, event: "Play", eventID: "show-0", kind: "stalls"))
    expect(try folder.find("ever") != nil)
    let reader = try TicketListReader(folder.place, key: folder.key)
    expectEqual(reader.state, TicketListState(asOf: WallTime(seconds: 1_795_300_000), count: 5))
    try reader.verify()
    expectEqual(folder.names, ["tickets-venue.sqlite"])
    // A day on which nothing is sold any more.
    try await replace(folder, Self.span(1), [])
    try expectEqual(TicketListReader(folder.place, key: folder.key).state.count, 3)
    try await replace(folder, nil, [])
    try expectEqual(TicketListReader(folder.place, key: folder.key).state.count, 0)
  }

  @Test func afterAFaultTheListIsAsItWas() async throws {
    let folder = try ListFolder()
    try folder.load("code,date\na,2026-11-21\nb,2026-11-22\n")
    let before = try bytes(of: folder.place.path)
    func refusal(_ span: Range<WallTime>?, _ tickets: [ToldTicket]) async -> String {
      do {
        try await replace(folder, span, tickets)
        return ""
      } catch { return "\(error)" }
    }
    let bad = await refusal(nil, [told("", day: 0), told("", day: 0), told("c", day: 0)])
    expect(bad.contains("More than half of it is bad. Ticket 1:"), "\(bad)")
    expect(await refusal(nil, [told("", day: 0)]).contains("No line of it is good."))
    expect(await refusal(Self.span(0), [told("c", day: 0), told("", day: 0), told("", day: 0)]).contains("half"))
    try expectEqual(bytes(of: folder.place.path), before)
    // What is damaged is not carried over under a new seal.
    try Database(folder.place.path, .write, busyMilliseconds: 0).execute("UPDATE ticket SET quantity = 9")
    expect(await refusal(Self.span(5), [told("c", day: 5)]).contains("damaged"))
    try await replace(folder, nil, [told("c", day: 5)])
    expect(try folder.find("c") != nil && folder.find("a") == nil)
  }

  @Test func anImportAtWorkIsNotDisturbed() async throws {
    let folder = try ListFolder()
    let work = try TicketImport(folder.settings())
    await #expect(throws: TicketListFault.self) { try await replace(folder, nil, [told("a", day: 0)]) }
    try work.add(told("b", day: 0))
    _ = try work.finish(asOf: WallTime(seconds: 1), imported: WallTime(seconds: 2))
    try await replace(folder, Self.span(1), [told("a", day: 1)])
    expect(try folder.find("a") != nil && folder.find("b") != nil)
  }

  /// A list may be told for minutes.
  @Test func whatIsBeingToldKeepsNobodyFromImporting() async throws {
    let folder = try ListFolder()
    let replacement = try await begun(folder, Self.span(0))
    try await replacement.add([told("a", day: 0)])
    try folder.load("code,date\nb,2026-11-22\nc,2026-11-21\n")
    try await replacement.add([told("d", day: 0)])
    expect(try folder.find("a") == nil && folder.find("b") != nil)
    try await expectEqual(replacement.finish(mayShrink: false), 0)
    expect(try folder.find("a") != nil && folder.find("b") != nil && folder.find("c") == nil && folder.find("d") != nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
  }

  @Test func whatIsLetGoOfReplacesNothing() async throws {
    let folder = try ListFolder()
    try folder.load("code\na\n")
    let before = try bytes(of: folder.place.path)
    do {
      let replacement = try await begun(folder, nil)
      try await replacement.add((0..<5_000).map { told("b\($0)", day: 0) })
    }
    try expectEqual(bytes(of: folder.place.path), before)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
    // Nor what a kill has left in the middle of the sorting.
    let left = open(folder.place.path + ".new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    expectEqual(write(left, "half", 4), 4)
    close(left)
    expect(try folder.find("a") != nil)
    try await replace(folder, nil, [told("b", day: 0)])
    expect(try folder.find("a") == nil && folder.find("b") != nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
  }

  /// What was told in part is not taken for the whole.
  @Test func afterAFaultNothingMoreIsTaken() async throws {
    let folder = try ListFolder()
    try folder.load("code\na\n")
    let replacement = try await begun(folder, nil)
    try await replacement.add([told("b", day: 0)])
    let events = (0...10_000).map { number in
      var ticket = told("c\(number)", day: 0)
      ticket.eventID = "show-\(number)"
      return ticket
    }
    await #expect(throws: TicketListFault.self) { try await replacement.add(events) }
    await #expect(throws: TicketListFault.self) { try await replacement.add([told("d", day: 0)]) }
    await #expect(throws: TicketListFault.self) { try await replacement.finish(mayShrink: true) }
    expect(try folder.find("a") != nil && folder.find("b") == nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
    let done = try await begun(folder, nil)
    try await expectEqual(done.finish(mayShrink: true), 0)
    await #expect(throws: TicketListFault.self) { try await done.finish(mayShrink: true) }
    await #expect(throws: TicketListFault.self) { try await done.add([told("d", day: 0)]) }
  }

  /// Gates ask the list that is open; the next question is to the new one.
  @Test func aListThatIsAskedIsReplaced() async throws {
    let folder = try ListFolder()
    let list = try StoredTicketList(folder.place, key: folder.key)
    expect(try await list.find(Code("a")) == nil)
    for day in 0..<5 as Range<Int64> {
      try await replace(folder, Self.span(day), [told("a", day: day)])
      try await expectEqual(list.find(Code("a"))?.ticket?.eventID, "show-\(day)")
      try await expectEqual(list.state()?.count, 1)
    }
  }

  /// Whatever is replaced in whatever order: the list says what a table in memory does.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 15, release: 150))))
  func itIsATable(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try ListFolder()
    var model: [String: (day: Int64?, quantity: Int)] = [:]
    for _ in 0..<8 {
      let day = random.chance(80) ? Int64.random(in: 0...3, using: &random) : nil
      model = model.filter { day != nil && $0.value.day != day }
      var tickets: [ToldTicket] = []
      for number in Set(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...30, using: &random) })
      {
        let own = random.chance(80) ? day : random.chance(50) ? nil : Int64.random(in: 0...3, using: &random)
        let quantity = Int.random(in: 1...9, using: &random)
        tickets.append(told("code-\(number)", day: own, quantity: quantity))
        model["code-\(number)"] = (own, quantity)
      }
      try await replace(folder, day.map(Self.span), tickets)
      for number in 0...30 {
        let found = try folder.find("code-\(number)")
        let wanted = model["code-\(number)"]
        expectEqual(found?.quantity, wanted?.quantity, "seed \(seed)")
        expectEqual(found?.eventID, wanted?.day.map { "show-\($0)" }, "seed \(seed)")
      }
      try expectEqual(TicketListReader(folder.place, key: folder.key).state.count, model.count, "seed \(seed)")
    }
  }
}
