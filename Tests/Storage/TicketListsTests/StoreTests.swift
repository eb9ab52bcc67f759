import Expectations
import Glibc
import SQLiteFile
import ScanModel
import ScanTesting
import Sealing
import Testing

@testable import TicketLists

/// Lists in their files: made, found, replaced, damaged.
@Suite struct StoreTests {
  private static let day = WallTime(seconds: 1_795_219_200)  // 2026-11-21

  @Test func ticketsAreFoundAsTheyWereListed() throws {
    let folder = try ListFolder()
    let report = try folder.load(
      """
      Ticket Code;Name;payment_status;usage-status;event_date;quantity;sale_id;event
      https://v.example/ticket/view/x/aB3;Ada;paid;unused;2026-11-21;2;s1;"The Play; late"
      second;Bob;paid;used;;;s1;
      third;Cy;unpaid;unused;21.11.2026;;;
      """)
    expect(report.good == 3 && report.bad == 0 && report.codes == 3 && report.refusal == nil)
    expectEqual(report.ignored, ["Name"])
    expectEqual(report.encoding, .utf8)
    expectEqual(report.counts, [.valid: 1, .used: 1, .unpaid: 1])
    try expectEqual(
      folder.find("aB3"),
      ListedTicket(
        status: .valid, from: Self.day, until: Self.day + .seconds(86_400), quantity: 2, sale: "s1", saleQuantity: 3,
        event: "The Play; late"))
    try expectEqual(folder.find("second"), ListedTicket(status: .used, sale: "s1", saleQuantity: 3))
    try expectEqual(folder.find("third")?.status, .unpaid)
    try expectEqual(folder.find("third")?.until, Self.day + .seconds(86_400))
    expect(try folder.find("https://v.example/ticket/view/x/aB3") == nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
    var status = stat()
    expect(stat(folder.place.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let summary = try TicketListReader(folder.place, key: folder.key).summary()
    expectEqual(summary.state, TicketListState(asOf: WallTime(seconds: 1_700_000_000), count: 3))
    expectEqual(summary.imported, WallTime(seconds: 1_700_000_100))
    expect(summary.counts == report.counts && summary.guessability == report.guessability)
  }

  @Test(arguments: [
    "code;event;event_id;ticket_type;valid_from;valid_until",
    "Ticketcode;Veranstaltung;Veranstaltungs-ID;Ticketart;Gültig ab;gilt bis",
    "code billet;Spectacle;ID événement;Type de billet;Valable du;Valable jusqu'au",
    "Código;Evento;ID evento;Tipo de entrada;Válido desde;Válido hasta",
  ])
  func eventsKindsAndMomentsAreKeptOfEachTicket(header: String) throws {
    let folder = try ListFolder()
    let report = try folder.load(
      """
      \(header)
      a;Play;4711;stalls;2026-11-21 18:00;2026-11-21T22:30:00+01:00
      b;Play;4711;;;
      c;Play;;;2026-11-21;
      d;;4712;stalls;;2026-11-21
      e;;;;;
      f;;;stalls;;
      """)
    expect(report.good == 6 && report.ignored.isEmpty, "\(report)")
    let (evening, end) = (Self.day + .seconds(64_800), Self.day + .seconds(86_400))
    let whole = ListedTicket(
      status: .valid, from: evening, until: evening + .seconds(12_600), event: "Play", eventID: "4711", kind: "stalls")
    for (code, ticket) in [
      ("a", whole),
      ("b", ListedTicket(status: .valid, event: "Play", eventID: "4711")),
      ("c", ListedTicket(status: .valid, from: Self.day, event: "Play")),
      ("d", ListedTicket(status: .valid, until: end, eventID: "4712", kind: "stalls")),
      ("e", ListedTicket(status: .valid)), ("f", ListedTicket(status: .valid, kind: "stalls")),
    ] { try expectEqual(folder.find(code), ticket) }
    try expectEqual(
      folder.find("a")?.details,
      TicketDetails(
        event: "Play", eventID: "4711", date: .span(evening..<evening + .seconds(12_600)), kind: "stalls"))
  }

  /// What an event is and of which kind a ticket is may decide: who changes it in the file changes nothing else unseen.
  @Test func aChangedEventOrKindIsDamage() throws {
    for change in [
      "UPDATE event SET identity = 'y'", "UPDATE event SET kind = 'balcony'", "UPDATE event SET kind = NULL",
      "PRAGMA user_version = 2", "UPDATE ticket SET event = NULL", "DELETE FROM event",
    ] {
      let folder = try ListFolder()
      try folder.load("code,event_id,category\na,x,stalls\n")
      try expectEqual(folder.find("a")?.kind, "stalls")
      try Database(folder.place.path, .write, busyMilliseconds: 0).execute(change)
      #expect(throws: TicketListFault.self, "\(change)") { try folder.find("a") }
    }
  }

  /// What says nothing of them is as it was, and read by programs that know none.
  @Test func aListWithoutThemIsOfTheFormerForm() throws {
    func version(_ folder: ListFolder) throws -> Int64? {
      try Database(folder.place.path, .write, busyMilliseconds: 0).integer("PRAGMA user_version")
    }
    let folder = try ListFolder()
    try folder.load("code,event_id\na,x\n")
    try expectEqual(version(folder), 3)
    try folder.load("code,event,category\na,Play,\nb,,\n")
    try expectEqual(version(folder), 2)
    do {
      let database = try Database(folder.place.path, .write, busyMilliseconds: 0)
      try database.execute("ALTER TABLE event DROP COLUMN kind; ALTER TABLE event DROP COLUMN identity")
    }
    try expectEqual(folder.find("a"), ListedTicket(status: .valid, event: "Play"))
    try expectEqual(folder.find("b"), ListedTicket(status: .valid))
  }

  /// Each row refers to what it shares with others, as it did: a hundred thousand cost no more than a few do.
  @Test func eventsAndKindsTakeNoRoomInTheRows() throws {
    func size(_ more: (Int) -> String) throws -> Int {
      let folder = try ListFolder()
      try folder.load("code,event,event_id,category\n" + (0..<5_000).map { "c\($0),Play,\(more($0))\n" }.joined())
      return try bytes(of: folder.place.path).count
    }
    let plain = try size { _ in "," }
    let full = try size { "show-number-\($0 % 9),a category of seats \($0 % 7)" }
    expect(full <= plain + 16_384, "\(plain) \(full)")
  }

  @Test func tooManyEventsAreNoEvents() throws {
    let rows = (0...10_000).map { "c\($0),x\($0)\n" }.joined()
    let folder = try ListFolder()
    #expect(throws: TicketListFault.self) { try folder.load("code,event_id\n" + rows) }
    expectEqual(folder.names, [])
    // Of names the rest goes without.
    expectEqual(try folder.load("code,event\n" + rows).good, 10_001)
  }

  @Test func theFileHasNoReadableCodeAndNoName() throws {
    let folder = try ListFolder()
    try folder.load("code,name,event\nVerySecretTicketCode4711,Ada Lovelace,The Play\n")
    let file = try bytes(of: folder.place.path)
    let text = String(decoding: file, as: UTF8.self)
    expect(text.contains("The Play"))
    for secret in ["VerySecret", "4711", "Lovelace"] { expect(!text.contains(secret)) }
  }

  @Test func ofTwoLinesWithOneCodeTheStricterCounts() throws {
    let folder = try ListFolder()
    let report = try folder.load(
      """
      code,status,quantity,from,until,sale
      a,paid,4,,2026-11-23,s
      a,paid,4,,2026-11-23,s
      b,paid,4,,2026-11-23,s
      b,refunded,9,2026-11-20,2026-11-21,s
       b ,paid,1,,,s
      c,paid,1,,,s
      """)
    expect(report.codes == 3 && report.repeated == 1 && report.contradicting == 2)
    expectEqual(report.contradictions.map(\.line), [5, 6])
    expectEqual(report.contradictions.first?.words.contains("line 4"), true)
    try expectEqual(
      folder.find("b"),
      ListedTicket(
        status: .refunded, from: Self.day - .seconds(86_400), until: Self.day + .seconds(86_400), quantity: 1,
        sale: "s",
        saleQuantity: 5))
    // What is refunded adds nobody to the sale, and what is said twice counts once.
    try expectEqual(folder.find("a")?.saleQuantity, 5)
  }

  /// A ticket system may take them for one: that they are two shows by the list.
  @Test func codesThatDifferInCaseAloneAreTicketsOfTheirOwnAndSaySo() throws {
    let folder = try ListFolder()
    let report = try folder.load(
      """
      code,status,quantity
      abc,paid,1
      ABC,refunded,3
      abd,paid,1
      abd,paid,1
      """)
    expect(report.codes == 3 && report.repeated == 1 && report.contradicting == 0)
    try expectEqual(folder.find("abc"), ListedTicket(status: .valid, hasOtherSpelling: true))
    try expectEqual(folder.find("ABC"), ListedTicket(status: .refunded, quantity: 3, hasOtherSpelling: true))
    try expectEqual(folder.find("abd"), ListedTicket(status: .valid))
    expect(try folder.find("Abc") == nil)
  }

  @Test func aSaleAdmitsAsManyAsItsOwnCodeItsColumnOrAllItsCodes() throws {
    let folder = try ListFolder()
    try folder.load(
      """
      code,kind,quantity,sale,sale_quantity
      whole,sale,3,s1,
      e1,entry,,s1,
      e2,entry,,s1,
      e3,entry,,s1,
      f1,,2,s2,
      f2,,1,s2,
      g1,,1,s3,7
      g2,,1,s3,
      alone,,5,,
      """)
    try expectEqual(folder.find("whole")?.saleQuantity, 3)
    expect(try folder.find("e2")?.saleQuantity == 3 && folder.find("e2")?.quantity == 1)
    try expectEqual(folder.find("f1")?.saleQuantity, 3)
    try expectEqual(folder.find("g2")?.saleQuantity, 7)
    try expectEqual(folder.find("alone"), ListedTicket(status: .valid, quantity: 5))
  }

  @Test func badLinesAreNamedWithoutTheirCodesAndTheRestIsTaken() throws {
    let folder = try ListFolder()
    let report = try folder.load(
      """
      code,status,quantity,date,valid_until,kind,timezone
      good1,paid,,,,,
      ,paid,,,,,
      SECRET1,SECRET1,,,,,
      SECRET2,paid,0,,,,
      SECRET3,paid,1.5,,,,
      SECRET4,paid,,11/21/2026,,,
      SECRET5,paid,,2026-02-30,,,
      SECRET6,paid,,2026-11-21,2026-11-20,,
      SECRET7,paid,2,,,entry,
      SECRET8,paid
      SECRET9,,,,,,
      SECRETA,paid,,2026-11-21,,,Nowhere
      good2,paid,,,,sale,
      good3,paid,,2026-11-21T20:00+01:00,2026-11-21 23:00,,East
      good4,paid,,,,,
      good5,paid,,,,,
      good6,paid,,,,,
      good7,paid,,,,,
      good8,paid,,,,,
      good9,paid,,,,,
      """)
    expect(report.good == 9 && report.bad == 11)
    expectEqual(report.badLines.map(\.line), Array(3...13))
    for note in report.badLines { expect(!note.words.contains("SECRET"), "\(note.words)") }
    expectEqual(report.refusal, "More than half of it is bad.")
    #expect(throws: TicketListFault.self) { try folder.find("good1") }
  }

  @Test func aListOfWhichMuchIsBadIsTakenWhenForced() throws {
    let folder = try ListFolder()
    let text = [UInt8]("code,status\na,paid\nb,?\nc,?\n".utf8)
    expect(try folder.load(text, folder.settings()).refusal != nil)
    expect(folder.names.isEmpty)
    expect(try folder.load(text, folder.settings(isForced: true)).refusal == nil)
    expect(try folder.find("a") != nil)
    expect(try folder.load([UInt8]("code,status\na,?\n".utf8), folder.settings(isForced: true)).refusal != nil)
    expect(try folder.find("a") != nil)
    #expect(throws: TicketListFault.self) { try folder.load("name,status\na,paid\n") }
    #expect(throws: TicketListFault.self) { try folder.load("") }
    expect(try folder.find("a") != nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
  }

  @Test func aTrialTellsAllAndKeepsNothing() throws {
    let folder = try ListFolder()
    let report = try folder.load([UInt8]("code\na\na\nb\n".utf8), folder.settings(isTrial: true))
    expect(report.codes == 2 && report.repeated == 1 && report.refusal == nil)
    expect(folder.names.isEmpty)
  }

  @Test func timesAreReadInTheirZones() throws {
    let folder = try ListFolder()
    try folder.load(
      """
      code,from,until,timezone
      a,2026-11-21T18:00,2026-11-21T23:30:15,
      b,2026-11-21 18:00,,East
      c,2026-11-21T18:00:00+02:00,2026-11-21T18:00:00.000000Z,
      d,,2026-11-21,
      """)
    let six = Self.day + .seconds(18 * 3_600)
    try expectEqual(folder.find("a")?.from, six)
    try expectEqual(folder.find("a")?.until, six + .seconds(5 * 3_600 + 1_815))
    try expectEqual(folder.find("b")?.from, six - .seconds(3_600))
    expect(try folder.find("c")?.from == six - .seconds(7_200) && folder.find("c")?.until == six)
    // A day ends with its end.
    expect(try folder.find("d")?.until == Self.day + .seconds(86_400) && folder.find("d")?.from == nil)
  }

  @Test func windowsAndUnicodeFilesAreRead() throws {
    let folder = try ListFolder()
    let western = try folder.load(
      [UInt8]("code;event\nb\u{fc};".unicodeScalars.map { UInt8($0.value) }) + [0x80], folder.settings())
    expectEqual(western.encoding, .windows1252)
    try expectEqual(folder.find("bü")?.event, "€")
    let wide = "\u{FEFF}code\tevent\r\nбилет\tЖ\r\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    try expectEqual(folder.load(wide, folder.settings()).encoding, .utf16LittleEndian)
    try expectEqual(folder.find("билет")?.event, "Ж")
    try expectEqual(folder.load([0xEF, 0xBB, 0xBF] + [UInt8]("code\nx\n".utf8), folder.settings()).encoding, .utf8)
    expect(try folder.find("x") != nil)
  }

  /// As the gate's normaliser has them, else no code would ever match.
  @Test func codesAreNormalisedAsAtTheGate() throws {
    let folder = try ListFolder()
    try folder.load("code\n\" \u{200B}padded\t\"\nin side\n")
    expect(try folder.find("padded") != nil && folder.find("in side") != nil)
  }

  // MARK: Faults

  @Test func anotherKeyServerOrSystemIsToldInWords() throws {
    let folder = try ListFolder()
    try folder.load("code\na\n")
    let other = try #require(SealKey(bytes: [UInt8](repeating: 8, count: 32)))
    func words(_ place: TicketListPlace, _ key: SealKey) -> String? {
      do throws(TicketListFault) {
        _ = try TicketListReader(place, key: key)
        return nil
      } catch {
        return error.description
      }
    }
    expect(words(folder.place, folder.key) == nil)
    expectEqual(words(folder.place, other)?.contains("another key"), true)
    let moved = TicketListPlace(state: folder.path, system: folder.place.system, server: "eventschedule https://other")
    expectEqual(words(moved, folder.key)?.contains("https://venue.example"), true)
    let renamed = TicketListPlace(state: folder.path, system: TicketSystemID("b"), server: folder.place.server)
    rename(folder.place.path, renamed.path)
    expectEqual(words(renamed, folder.key)?.contains("made for venue"), true)
    unlink(renamed.path)
  }

  /// A state that somebody changed in the file, or that rotted, opens no gate.
  @Test(arguments: [
    "UPDATE ticket SET status = 0", "UPDATE ticket SET quantity = 9", "UPDATE ticket SET \"until\" = NULL",
    "UPDATE ticket SET sale = 's2'", "UPDATE ticket SET twin = 1", "UPDATE sale SET quantity = 9",
    "UPDATE list SET as_of = 5",
    "UPDATE list SET count = 9",
    "DELETE FROM list", "DELETE FROM sale", "DROP TABLE ticket", "PRAGMA application_id = 5", "PRAGMA user_version = 9",
  ])
  func aChangedListIsNotBelieved(change: String) throws {
    let folder = try ListFolder()
    try folder.load("code,status,until,sale\na,refunded,2026-11-21,s\nb,paid,2026-11-21,s\n")
    expect(try folder.find("a") != nil)
    let database = try Database(folder.place.path, .present, busyMilliseconds: 0)
    try database.execute(change)
    database.close()
    let error = #expect(throws: TicketListFault.self) {
      _ = try folder.find("a")
      _ = try folder.find("b")
    }
    expectEqual(error?.description.contains("mport"), true, "\(error?.description ?? "")")
  }

  /// A ticket that was refunded since, from a list that is too old by itself.
  @Test func aRowOfAnotherListIsNotBelieved() throws {
    let folder = try ListFolder()
    try folder.load("code,status\na,paid\n")
    let old = folder.path + "/old.sqlite"
    try #require(rename(folder.place.path, old) == 0)
    try folder.load([UInt8]("code,status\na,refunded\n".utf8), folder.settings(), asOf: 1_700_100_000)
    try expectEqual(folder.find("a")?.status, .refunded)
    let database = try Database(folder.place.path, .present, busyMilliseconds: 0)
    try database.execute("ATTACH '\(old)' AS old")
    try database.execute("DELETE FROM ticket")
    try database.execute("INSERT INTO ticket SELECT * FROM old.ticket")
    database.close()
    #expect(throws: TicketListFault.self) { try folder.find("a") }
  }

  /// Whatever a broken disk makes of the file: an answer as listed, none, or a fault; never an end of the process, and never
  /// another answer.
  @Test(arguments: 0..<60) func damageNeverGivesAnotherAnswer(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try ListFolder()
    try folder.load(
      "code,status,sale\n" + (0..<300).map { "code\($0),\($0 % 3 == 0 ? "refunded" : "paid"),s\($0 / 2)\n" }.joined())
    var file = try bytes(of: folder.place.path)
    switch seed % 3 {
    case 0: file = Array(file.prefix(Int.random(in: 0..<file.count, using: &random)))
    case 1:
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        file[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
    default:
      let start = Int.random(in: 0..<file.count, using: &random)
      for index in start..<min(file.count, start + 5_000) { file[index] = 0 }
    }
    let number = open(folder.place.path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    expectEqual(write(number, file, file.count), file.count)
    close(number)
    guard let reader = try? TicketListReader(folder.place, key: folder.key) else { return }
    for index in 0..<300 {
      guard let found = try? reader.find(Code("code\(index)")) else { continue }
      expectEqual(found.status, (index % 3 == 0 ? .refunded : .valid), "seed \(seed)")
      expect(found.quantity == 1 && found.sale == "s\(index / 2)", "seed \(seed)")
    }
    _ = try? reader.summary()
  }

  @Test func anImportBesideAnotherIsRefusedAndABrokenOneIsGoneOver() throws {
    let folder = try ListFolder()
    try folder.load("code\na\n")
    do {
      let first = try TicketImport(folder.settings())
      #expect(throws: TicketListFault.self) { try folder.load("code\nb\n") }
      try first.add(ToldTicket(code: "c", isWholeSale: true, status: .valid, quantity: 3))
      // Broken off: the list in use is as it was.
    }
    expect(try folder.find("a") != nil)
    // As a kill leaves it.
    let left = open(folder.place.path + ".new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    expectEqual(write(left, "half", 4), 4)
    close(left)
    try folder.load("code\nb\n")
    expect(try folder.find("b") != nil && folder.find("a") == nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
  }
}
