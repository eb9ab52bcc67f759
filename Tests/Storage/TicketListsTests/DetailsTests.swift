import Expectations
import SQLiteFile
import ScanModel
import ScanTesting
import Testing

@testable import TicketLists

/// Holders and seats of a list that keeps them.
@Suite struct DetailsTests {
  private let evenings: Evenings
  private static let file = """
    code,date,show,holder,section,row,seats
    X,2026-11-21,show-0,Ada Lovelace,Stalls,F,12-13
    Y,2026-11-22,show-1,Grace Hopper,Circle,B,7

    """

  init() throws { evenings = try Evenings() }

  private func database() throws -> Database {
    try Database(evenings.folder.place.path, .write, busyMilliseconds: 0)
  }

  private func version() throws -> Int64? { try database().integer("PRAGMA user_version") }

  private func sealed() throws -> Int64? {
    try database().integer("SELECT count(*) FROM ticket WHERE details IS NOT NULL")
  }

  private func replace(_ tickets: [ToldTicket], keepsDetails: Bool) async throws {
    let work = try await evenings.list(keepsDetails: keepsDetails).replacement(of: nil, asOf: evenings.now) { _ in nil }
    try await work.add(tickets)
    _ = try await work.merge(whole: nil, forgetting: nil)
  }

  @Test func theyAreToldAndTheFileHasThemSealed() async throws {
    let report = try evenings.load(Self.file)
    expectEqual(report.ignored, [])
    let found = try #require(try await evenings.find("X"))
    expect(found.holder == "Ada Lovelace" && found.seats == ["Stalls F 12", "Stalls F 13"], "\(found)")
    expectEqual(found.quantity, 2)
    expectEqual(found.details.seats, ["Stalls F 12", "Stalls F 13"])
    let text = String(decoding: try bytes(of: evenings.folder.place.path), as: UTF8.self)
    for secret in ["Lovelace", "Ada", "Hopper", "Stalls", "Circle"] { expect(!text.contains(secret), "\(secret)") }
    try expectEqual(version(), 5)
    try evenings.reader().verify()
    // Told as bookings are, too.
    try await evenings.merge([evenings.booking("Z", holder: "Mary Shelley", seats: ["A 1"])])
    try await expectEqual(evenings.find("Z")?.holder, "Mary Shelley")
    let merged = String(decoding: try bytes(of: evenings.folder.place.path), as: UTF8.self)
    expect(!merged.contains("Shelley"))
  }

  @Test func whereTheyAreNotKeptThereIsNothingOfThem() async throws {
    let plain = try Evenings(keepsDetails: false)
    let report = try plain.load(Self.file)
    // How many they are, seats say.
    expectEqual(report.ignored, ["holder"])
    let found = try #require(try await plain.find("X"))
    expect(found.holder == nil && found.seats.isEmpty && found.quantity == 2, "\(found)")
    try await plain.merge([plain.booking("Z", holder: "Mary Shelley", seats: ["A 1"])])
    try await expectEqual(plain.find("Z")?.holder, nil)
    let database = try Database(plain.folder.place.path, .write, busyMilliseconds: 0)
    try expectEqual(database.integer("SELECT count(*) FROM ticket WHERE details IS NOT NULL"), 0)
    try expectEqual(database.integer("PRAGMA user_version"), 4)
  }

  @Test func whoeverDoesNotKeepThemIsToldNone() async throws {
    try evenings.load(Self.file)
    let list = try evenings.list(keepsDetails: false)
    try await expectEqual(list.find(Code("X"))?.ticket?.holder, nil)
    try await expectEqual(list.find(Code("X"))?.ticket?.seats, [])
    // With the next question, where somebody changes the configuration.
    list.keepDetails(true)
    try await expectEqual(list.find(Code("X"))?.ticket?.holder, "Ada Lovelace")
    list.keepDetails(false)
    try await expectEqual(list.find(Code("X"))?.ticket?.holder, nil)
  }

  @Test func whatAnEarlierListHadIsDroppedWhereItIsWrittenWithoutThem() async throws {
    try evenings.load(Self.file)
    try expectEqual(sealed(), 2)
    try await replace([evenings.booking("new")], keepsDetails: false)
    try expectEqual(sealed(), 0)
    try expectEqual(version(), 4)
    try await expectEqual(evenings.find("X")?.holder, nil)
    try await expectEqual(evenings.find("X")?.quantity, 2)
  }

  /// Who may write to the folder and has no key.
  @Test(arguments: [
    "UPDATE ticket SET details = (SELECT max(details) FROM ticket WHERE sale = 'b') WHERE sale = 'a'",
    "UPDATE ticket SET details = NULL", "UPDATE ticket SET details = x'00'", "PRAGMA user_version = 4",
    "UPDATE ticket SET details = CAST(substr(details, 1, length(details) - 1) || x'00' AS BLOB)",
    "UPDATE ticket SET details = x''",
  ]) func aSwappedOrChangedOneIsRefused(change: String) async throws {
    try await evenings.merge([
      evenings.booking("X", sale: "a", holder: "Ada"), evenings.booking("Y", sale: "b", holder: "Grace"),
    ])
    try await expectEqual(evenings.find("X")?.holder, "Ada")
    try database().execute(change)
    await #expect(throws: TicketListFault.self, "\(change)") { try await evenings.find("X") }
  }

  /// Even with a proof that fits.
  @Test func theyOpenInNoOtherRow() throws {
    let seals = TicketListSeals(evenings.folder.key, of: evenings.folder.place)
    let (x, y) = (seals.digest(of: Code("X")), seals.digest(of: Code("Y")))
    let details = try #require(KeptDetails(holder: "Ada", seats: ["F 12"]))
    let sealed = seals.seal(details, of: x)
    expectEqual(seals.details(sealed, of: x), details)
    expectEqual(seals.details(sealed, of: y), nil)
    expect(sealed != seals.seal(details, of: x), "each time another nonce")
  }

  // MARK: When they are over

  @Test func theyAreGoneADayAfterTheShow() async throws {
    try await evenings.merge([
      evenings.booking("X", day: 0, holder: "Ada"), evenings.booking("Y", day: 1, holder: "Grace"),
      evenings.booking("ever", day: nil, holder: "Mary"),
    ])
    let (own, asOf) = (try evenings.reader().own, evenings.now)
    evenings.now = Evenings.show(0) + .seconds(86_400) - .nanoseconds(1)
    try await expectEqual(evenings.find("X")?.holder, "Ada")
    expect(try await !evenings.list().tidy())
    evenings.now = evenings.now + .nanoseconds(1)
    // At once for who asks, and from the file with the next upkeep.
    try await expectEqual(evenings.find("X")?.holder, nil)
    try expectEqual(sealed(), 3)
    expect(try await evenings.list().tidy())
    try expectEqual(sealed(), 2)
    for (code, holder) in [("X", nil), ("Y", "Grace"), ("ever", "Mary")] {
      let found = try #require(try await evenings.find(code))
      expect(
        found.holder == holder && found.status == .valid && found.quantity == 2 && found.saleQuantity == 2, "\(found)")
      try await expectEqual(evenings.asOf(code), asOf, "\(code)")
    }
    expectEqual(try evenings.reader().own, own)
    try evenings.reader().verify()
    expect(try await !evenings.list().tidy(), "nothing more is over")
    expectEqual(evenings.folder.names, ["tickets-venue.sqlite"])
  }

  /// Each part of it stays what it was: its ages, and when all was told.
  @Test func whatIsWrittenAnewIsAsOldAsItWas() async throws {
    try evenings.load("code,date,holder\nfile,2026-11-21,Ada\n")
    let file = evenings.now
    evenings.now = file + .seconds(300)
    try await evenings.merge([evenings.booking("X", holder: "Grace")])
    let told = evenings.now
    try await evenings.merge((0..<4).map { evenings.booking("gone\($0)") })
    try await evenings.merge([], whole: Evenings.show(0)..<Evenings.show(0) + .seconds(1))
    evenings.now = Evenings.show(0) + .seconds(90_000)
    func summary() throws -> TicketListReader.Summary { try evenings.reader().summary() }
    let before = try summary()
    expectEqual(before.completeAsOf, file)
    expect(try await evenings.list().tidy())
    expectEqual(try summary(), before)
    try expectEqual(sealed(), 0)
    // Some of it is not confirmed still.
    try expectEqual(version(), 5)
    try await expectEqual(evenings.asOf("file"), file)
    try await expectEqual(evenings.asOf("gone1"), told)
    try await expectEqual(evenings.status("gone1"), .unconfirmed)
  }

  @Test func aRefreshDropsWhatIsOver() async throws {
    try await evenings.merge([evenings.booking("X", holder: "Ada")])
    evenings.now = Evenings.show(0) + .seconds(86_400)
    try await evenings.merge([evenings.booking("Y", day: 1, holder: "Grace"), evenings.booking("Z", holder: "Mary")])
    try expectEqual(sealed(), 1)
    try await expectEqual(evenings.find("Y")?.holder, "Grace")
  }

  @Test func whereTheyAreKeptNoMoreTheUpkeepDropsAll() async throws {
    try evenings.load(Self.file)
    expect(try await !evenings.list().tidy())
    let list = try evenings.list(keepsDetails: false)
    expect(try await list.tidy())
    try expectEqual(sealed(), 0)
    try expectEqual(version(), 3)
    try await expectEqual(list.find(Code("X"))?.ticket?.eventID, "show-0")
  }

  @Test func theUpkeepDisturbsNoImportAndMindsNoMissingList() async throws {
    expect(try await !evenings.list().tidy())
    expectEqual(evenings.folder.names, [])
    try evenings.load(Self.file)
    evenings.now = Evenings.show(0) + .seconds(90_000)
    let before = try bytes(of: evenings.folder.place.path)
    do {
      let work = try TicketImport(evenings.folder.settings())
      expect(try await !evenings.list().tidy())
      try work.add(evenings.booking("b"))
    }
    try expectEqual(bytes(of: evenings.folder.place.path), before)
    expect(try await evenings.list().tidy())
    // A damaged one is not written anew under a new seal.
    try database().execute("UPDATE ticket SET quantity = 9")
    evenings.now = evenings.now + .seconds(200_000)
    await #expect(throws: TicketListFault.self) { try await evenings.list().tidy() }
  }

  // MARK: Seats of a file

  /// The ticket system tells how many; who sits where stands in a file.
  @Test func seatsOfAFileStayWithTheBookingThatIsTold() async throws {
    try evenings.load(Self.file)
    try await evenings.merge([evenings.booking("X", holder: "A. Lovelace"), evenings.booking("Y", day: 1)])
    let found = try #require(try await evenings.find("X"))
    expect(found.sale == "booking of X" && found.holder == "A. Lovelace", "\(found)")
    expectEqual(found.seats, ["Stalls F 12", "Stalls F 13"])
    // Of Y two come, and one seat is known.
    try await expectEqual(evenings.find("Y")?.seats, [])
    // So they do with each refresh.
    evenings.now = evenings.now + .seconds(300)
    try await evenings.merge([evenings.booking("X")])
    try await expectEqual(evenings.find("X")?.seats, ["Stalls F 12", "Stalls F 13"])
    try await expectEqual(evenings.find("X")?.holder, "A. Lovelace")
    // What is told counts.
    try await evenings.merge([evenings.booking("X", seats: ["G 1", "G 2"])])
    try await expectEqual(evenings.find("X")?.seats, ["G 1", "G 2"])
    // Of another show, or another booking, nothing is known.
    try await evenings.merge([evenings.booking("X", sale: "another")])
    try await expectEqual(evenings.find("X")?.seats, [])
    try evenings.load(Self.file)
    try await evenings.merge([evenings.booking("X", day: 1)])
    try await expectEqual(evenings.find("X")?.seats, [])
  }

  @Test func aFileThatSaysTheDayAloneIsOfItsShow() async throws {
    let file = "code,date,seats\nX,2026-11-21,F12-13\nY,2026-11-22,F14-15\nZ,,F16-17\n"
    try evenings.load(file)
    try await evenings.merge(["X", "Y", "Z"].map { evenings.booking($0) })
    try await expectEqual(evenings.find("X")?.seats, ["F 12", "F 13"])
    try await expectEqual(evenings.find("Y")?.seats, [])
    try await expectEqual(evenings.find("Z")?.seats, ["F 16", "F 17"])
  }

  @Test func aCodeOfTwoBookingsHasNoHolder() async throws {
    try evenings.load(Self.file)
    try await evenings.merge([
      evenings.booking("X", sale: "1", holder: "Grace"), evenings.booking("X", sale: "2", holder: "Mary"),
    ])
    let found = try #require(try await evenings.find("X"))
    expect(found.status == .unconfirmed && found.holder == nil && found.seats.isEmpty, "\(found)")
  }

  // MARK: How they are put down

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 200, release: 2_000))))
  func whatIsPutDownIsReadAgain(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ most: Int) -> String {
      String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 1...most, using: &random)).map { _ in
            ["a", "Z", "é", "Ж", "9", "\u{1F3AD}"].randomElement(using: &random) ?? "a"
          }))
    }
    let holder = random.chance(80) ? text(60) : nil
    let seats = (0..<Int.random(in: 0...110, using: &random)).map { _ in text(12) }
    guard let details = KeptDetails(holder: holder, seats: seats) else {
      return expect(holder == nil && seats.isEmpty, "seed \(seed)")
    }
    expect(details.holder == holder && details.seats == Array(seats.prefix(KeptDetails.mostSeats)), "seed \(seed)")
    let bytes = details.bytes
    expectEqual(KeptDetails(bytes), details, "seed \(seed)")
    expectEqual(bytes.count % 64, 0)
    // Whatever stands there instead, it is read or refused.
    var broken = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
    for _ in 0..<3 where !broken.isEmpty {
      broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    expect((KeptDetails(broken)?.seats.count ?? 0) <= KeptDetails.mostSeats, "seed \(seed)")
  }

  @Test func whatIsTooLongIsCutAndWhatIsBlankIsNothing() throws {
    expectEqual(KeptDetails(holder: " \t", seats: ["", "  "]), nil)
    let long = try #require(KeptDetails(holder: String(repeating: "é", count: 5_000), seats: [" F 12 "]))
    expect(long.holder?.utf8.count ?? 0 <= 258 && long.seats == ["F 12"])
    expectEqual(KeptDetails(long.bytes), long)
  }
}
