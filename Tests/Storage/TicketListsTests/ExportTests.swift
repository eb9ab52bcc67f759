import Expectations
import Foundation
import ScanModel
import Testing

@testable import TicketLists

/// Files as ticket systems of other countries write them, whose columns and states nobody has explained.
@Suite struct ExportTests {
  private static let day = WallTime(seconds: 1_795_392_000)  // 2026-11-23
  private static let next = WallTime(seconds: 1_795_478_400)
  private static let december = WallTime(seconds: 1_796_428_800)  // 2026-12-05

  private func export(_ name: String) throws -> [UInt8] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "exports/\(name)")
    return [UInt8](try Data(contentsOf: file))
  }

  private func load(_ folder: ListFolder, _ text: String, _ rules: TicketFileRules) throws -> TicketImport.Report {
    var settings = folder.settings()
    settings.rules = rules
    return try folder.load([UInt8](text.utf8), settings)
  }

  /// Why a file is refused as a whole.
  private func refusal(_ text: String, _ rules: TicketFileRules = TicketFileRules()) throws -> String {
    let folder = try ListFolder()
    let error = #expect(throws: TicketListFault.self) { _ = try load(folder, text, rules) }
    expect(folder.names.isEmpty)
    return error?.description ?? ""
  }

  private func choice(_ text: String) throws -> ColumnChoice { try #require(ColumnChoice(text)) }

  @Test func aGermanExportIsUnderstood() throws {
    let folder = try ListFolder()
    let report = try folder.load(export("de.csv"), folder.settings())
    expect(report.good == 5 && report.bad == 0 && report.encoding == .utf8, "\(report.badLines)")
    expectEqual(
      report.ignored, ["Vorname", "Nachname", "Bestelldatum", "Einzelpreis"])
    try expectEqual(
      folder.find("K7QXNVB2WD"),
      ListedTicket(
        status: .valid, from: Self.day, until: Self.next, quantity: 2, sale: "4711", saleQuantity: 2,
        event: "Streichquartett"))
    try expectEqual(folder.find("M3FZTRP8LH")?.status, .cancelled)
    try expectEqual(folder.find("A9SDKJ4YQE")?.status, .refunded)
    try expectEqual(folder.find("P2WLXCU6NG")?.status, .unpaid)
    try expectEqual(folder.find("T5BVRH7ZKM")?.until, Self.next + .seconds(20 * 3_600 + 1_800))
  }

  @Test func aFrenchExportIsUnderstood() throws {
    let folder = try ListFolder()
    let report = try folder.load(export("fr.csv"), folder.settings())
    expect(report.good == 5 && report.bad == 0 && report.encoding == .windows1252, "\(report.badLines)")
    expectEqual(report.ignored, ["Nom", "Prénom", "Date de commande", "Prix"])
    // Nombre is a number here.
    try expectEqual(
      folder.find("8H2KDW5PQT"),
      ListedTicket(
        status: .valid, from: Self.day, until: Self.next, quantity: 3, sale: "2001", saleQuantity: 3,
        event: "Quatuor à cordes"))
    try expectEqual(folder.find("4VXNC9RJME")?.status, .cancelled)
    try expectEqual(folder.find("6GSBZY3TFL")?.status, .refunded)
    try expectEqual(folder.find("7PWQUK4DHA")?.status, .unpaid)
    // The event's beginning beside its day shortens no ticket.
    let used = try #require(try folder.find("9MRJXE2VCN"))
    expect(used.status == .used && used.from == Self.december && used.until == Self.december + .seconds(86_400))
  }

  @Test func aSpanishExportIsUnderstood() throws {
    let folder = try ListFolder()
    let report = try folder.load(export("es.csv"), folder.settings())
    expect(report.good == 5 && report.bad == 0, "\(report.badLines)")
    // Nombre is a name here.
    expectEqual(report.ignored, ["Nombre", "Apellidos", "Fecha de compra", "Importe total"])
    try expectEqual(
      folder.find("D4TQKX8WRN"),
      ListedTicket(
        status: .valid, from: Self.december, until: Self.december + .seconds(86_400), quantity: 4, sale: "901",
        saleQuantity: 4, event: "Cuarteto de cuerda"))
    try expectEqual(folder.find("H6YVPC3ZJB")?.status, .cancelled)
    try expectEqual(folder.find("L9SMGF2EUA")?.status, .refunded)
    try expectEqual(folder.find("Q7BHDW5XKT")?.status, .unpaid)
    try expectEqual(folder.find("V3RJNC8MLZ")?.status, .expired)
  }

  @Test(arguments: [
    "GÜLTIG BIS", "gueltig-bis", "Gultig_Bis", "Gu\u{308}ltig  bis:", "gültigBis", "Valid Until", "válida hasta",
    "VALABLE JUSQU’AU",
  ])
  func namesAreKnownHoweverTheyAreWritten(name: String) throws {
    let folder = try ListFolder()
    try folder.load("code;\(name)\na;2026-11-22\n")
    try expectEqual(folder.find("a")?.until, Self.day)
  }

  // MARK: Columns

  @Test(arguments: [
    ("Anzahl Karten", "quantity='Anzahl Karten'"), ("Storniert", "status=Storniert"),
    ("Einlasszeit", "day=Einlasszeit"),
    ("Platzgruppe", "seat=Platzgruppe"), ("Nb billets", "quantity='Nb billets'"),
    ("cancelled_at", "status=cancelled_at"),
    ("Días", "day=Días"), ("Gesamtanzahl Gäste", "sale-quantity='Gesamtanzahl Gäste'"),
  ])
  func aColumnThatLimitsAndIsNotUnderstoodStopsTheImport(column: String, cure: String) throws {
    let words = try refusal("code,\(column)\nSECRETa,1\n")
    expect(words.contains("line 1: the column \(column)") && words.contains("--column \(cure)"), "\(words)")
    // As it is said, or told that it limits nobody.
    let folder = try ListFolder()
    let rules = TicketFileRules(columns: [try choice("ignored=\(column)")])
    expectEqual(try load(folder, "code,\(column)\na,1\n", rules).ignored, [column])
  }

  @Test(arguments: [
    "Kaufdatum", "Bestelldatum", "Date d'achat", "Fecha de compra", "created_at", "Geburtsdatum", "Preis", "E-Mail",
    "Telefon",
    "Farbe", "payment_method", "Ticket number", "Rechnungsdatum", "Ort",
  ])
  func aColumnThatLimitsNobodyIsNamedAndLeftAlone(column: String) throws {
    expectEqual(try ListFolder().load("code,\(column)\na,1\n").ignored, [column])
  }

  @Test func aColumnMeansWhatIsSaidOfIt() throws {
    let folder = try ListFolder()
    let text = "Ticketnummer,Anzahl Karten,Anzahl,Zustand\na,3,9,bezahlt\n"
    let rules = TicketFileRules(columns: [try choice("code=ticketnummer"), try choice("quantity=Anzahl Karten")])
    expectEqual(try load(folder, text, rules).ignored, ["Anzahl"])
    try expectEqual(folder.find("a")?.quantity, 3)
    expect(try refusal(text).contains("--column quantity='Anzahl Karten'"))
    expect(try refusal("Ticketnummer\na\n").contains("--column code="))
    let absent = TicketFileRules(columns: [try choice("quantity=Menge")])
    expect(try refusal("code,x\na,1\n", absent).contains("no column is called Menge"))
    expect(ColumnChoice("colour=x") == nil && ColumnChoice("quantity") == nil && ColumnChoice("quantity=") == nil)
  }

  @Test func twoColumnsOfOneMeaningAreNotGuessedAt() throws {
    let words = try refusal("code,date,event_date\na,2026-11-23,2026-11-24\n")
    expect(words.contains("date, event_date all say the day") && words.contains("--column day=date"), "\(words)")
    let folder = try ListFolder()
    let rules = TicketFileRules(columns: [try choice("day=event_date")])
    _ = try load(folder, "code,date,event_date\na,2026-11-20,2026-11-23\n", rules)
    try expectEqual(folder.find("a")?.from, Self.day)
    // Nothing else tells which language it is.
    expect(try refusal("code,Nombre\na,2\n").contains("a number in French and a name in Spanish"))
  }

  // MARK: States

  @Test func anUnknownStateIsShownWithItsLine() throws {
    let folder = try ListFolder()
    let text = "code,status\na,paid\nb,eingebucht\nc,wk8wfyzjrb7dv5rx\nlonelyletters,lonelyletters\ne,paid\nf,paid\n"
    let report = try folder.load(text)
    expectEqual(report.badLines.map(\.line), [3, 4, 5])
    let words = report.badLines.map(\.words)
    expect(words[0].contains("its state eingebucht is none that is known"), "\(words)")
    // What may be a code is no word.
    expect(!words[1].contains("wk8wfyz") && words[1].contains("…v5rx"), "\(words)")
    expect(!words[2].contains("lonely"), "\(words)")
    let rules = TicketFileRules(states: [try #require(StateChoice("valid=Eingebucht"))])
    expectEqual(try load(folder, text, rules).bad, 2)
    try expectEqual(folder.find("b")?.status, .valid)
    expect(StateChoice("perhaps=x") == nil)
  }

  /// Valide may go in; validé has gone in, in some systems, and is not believed in any.
  @Test func anAccentThatChangesTheMeaningIsSeen() throws {
    expectEqual(StatusWords.status("Valide"), .valid)
    expect(StatusWords.status("Validé") == nil && StatusWords.status("validée") == nil)
    expectEqual(StatusWords.status("Bezahlt"), .valid)
    expectEqual(StatusWords.status("zurueckerstattet"), .refunded)
    expectEqual(StatusWords.status("NO PAGADA"), .unpaid)
  }

  // MARK: Days and numbers

  @Test func aDayThatCanBeTwoStopsTheImportUntilItIsSaidWhich() throws {
    let text = "code,date\na,05/11/2026\n"
    let words = try refusal(text)
    expect(words.contains("line 2") && words.contains("05/11/2026") && words.contains("--dates day-first"), "\(words)")
    let folder = try ListFolder()
    _ = try load(folder, text, TicketFileRules(dates: .dayFirst))
    try expectEqual(folder.find("a")?.from, WallTime(seconds: 1_793_836_800))
    _ = try load(folder, text, TicketFileRules(dates: .monthFirst))
    try expectEqual(folder.find("a")?.from, WallTime(seconds: 1_778_457_600))
    // Days that can be but one are taken without a word.
    try folder.load("code,date\na,23/11/2026\nb,2026/11/23\n")
    try expectEqual(folder.find("a")?.from, Self.day)
    try expectEqual(folder.find("b")?.from, Self.day)
  }

  @Test func numbersOfSpreadsheetsAreWholeOnes() throws {
    let folder = try ListFolder()
    let report = try folder.load("code;Menge\na;2,0\nb;3.00\nc;4\nd;1,5\ne;1.000\n")
    expectEqual(report.badLines.map(\.line), [5, 6])
    try expectEqual(folder.find("a")?.quantity, 2)
    try expectEqual(folder.find("b")?.quantity, 3)
  }

  // MARK: Shrinking

  @Test func aListThatLosesMoreThanHalfIsTakenOnlyWhenThatIsMeant() throws {
    let folder = try ListFolder()
    func text(_ count: Int) -> [UInt8] { [UInt8](("code\n" + (0..<count).map { "code\($0)\n" }.joined()).utf8) }
    try folder.load(text(9), folder.settings())
    let small = try folder.load(text(4), folder.settings())
    expectEqual(small.shrinksFrom, 9)
    expectEqual(small.refusal?.contains("It has 4 tickets, and the list on board has 9"), true)
    expect(try folder.find("code8") != nil)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
    expect(try folder.load(text(4), folder.settings(isTrial: true)).shrinksFrom == 9)
    expect(try folder.load(text(5), folder.settings()).refusal == nil)
    var meant = folder.settings()
    meant.mayShrink = true
    expect(try folder.load(text(1), meant).refusal == nil)
    expect(try folder.find("code4") == nil)
  }
}
