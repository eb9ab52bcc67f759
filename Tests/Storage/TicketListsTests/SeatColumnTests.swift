import Expectations
import ScanModel
import Testing

@testable import TicketLists

/// Which seats a file names, and how many persons those are.
@Suite struct SeatColumnTests {
  private let folder: ListFolder

  init() throws { folder = try ListFolder() }

  @discardableResult private func load(
    _ text: String, _ columns: [String] = [], keepsDetails: Bool = true
  ) throws -> TicketImport.Report {
    var settings = folder.settings()
    settings.keepsDetails = keepsDetails
    settings.rules = TicketFileRules(columns: try columns.map { try #require(ColumnChoice($0)) })
    settings.mayShrink = true
    return try folder.load([UInt8](text.utf8), settings)
  }

  /// As it was told when the list was made: by now the shows are over.
  private func find(_ code: String) throws -> ListedTicket? {
    try TicketListReader(folder.place, key: folder.key, keepsDetails: true)
      .find(Code(code), at: WallTime(seconds: 1_700_000_000))
  }

  @Test(arguments: [
    ("12", ["F 12"]), ("12-15", ["F 12", "F 13", "F 14", "F 15"]), ("12, 13", ["F 12", "F 13"]),
    ("F12;F13", ["F 12", "F 13"]), ("F 12 – F 14", ["F 12", "F 13", "F 14"]), ("12-13, 17", ["F 12", "F 13", "F 17"]),
    ("12a", ["F 12a"]), ("12, 12", ["F 12"]), ("12 & 14", ["F 12", "F 14"]), ("f12", ["F 12"]),
    // What is not understood is one seat: it admits no more than one.
    ("Box, left", ["F Box, left"]), ("15-12", ["F 15-12"]), ("1-5000", ["F 1-5000"]), ("12-", ["F 12-"]),
    ("12-14-16", ["F 12-14-16"]), ("-", ["F -"]), ("12, x", ["F 12, x"]), ("A1-B3", ["F A1-B3"]),
    ("99999999999999999999", ["F 99999999999999999999"]), ("4,5,", ["F 4", "F 5"]),
  ]) func aCellNamesSeats(cell: String, seats: [String]) {
    expectEqual(SeatText.seats(cell, row: "F", section: nil), seats)
    expectEqual(SeatText.seats(cell, row: "F", section: "Stalls"), seats.map { "Stalls \($0)" })
  }

  @Test func withoutARowTheLettersBeforeTheNumberAreIt() {
    expectEqual(SeatText.seats("F12, 13; G1", row: nil, section: nil), ["F 12", "F 13", "G 1"])
    expectEqual(SeatText.seats("12-13", row: nil, section: nil), ["12", "13"])
    expectEqual(
      SeatText.seats("AA12-14", row: nil, section: "Circle"), ["Circle AA 12", "Circle AA 13", "Circle AA 14"])
    expectEqual(SeatText.seats("A12", row: "3", section: nil), ["3 A 12"])
  }

  @Test func moreSeatsThanAHouseHasAreNone() {
    let cell = (0..<20).map { "\($0 * 200)-\($0 * 200 + 90)" }.joined(separator: ",")
    expectEqual(SeatText.seats(cell, row: nil, section: nil), [cell])
  }

  @Test func withoutAQuantityThereAreAsManyPersonsAsSeats() throws {
    try load("code,row,seats\nX,F,12-15\nY,F,\nZ,,\n")
    try expectEqual(find("X")?.quantity, 4)
    try expectEqual(find("X")?.seats, ["F 12", "F 13", "F 14", "F 15"])
    for code in ["Y", "Z"] {
      try expectEqual(find(code)?.quantity, 1)
      try expectEqual(find(code)?.seats, [])
    }
    // What a column says counts; where it is empty, one.
    try load("code,row,seats,quantity\nX,F,12-15,2\nY,F,12-15,\n")
    try expectEqual(find("X")?.quantity, 2)
    try expectEqual(find("Y")?.quantity, 1)
    // An entry is for one.
    let report = try load("code,row,seats,kind\nX,F,12-15,entry\nY,F,12,entry\n")
    expectEqual(report.badLines.map(\.line), [2])
  }

  /// A cell of a column for one seat may have more in it: 2-15 is seat 15 of row 2.
  @Test func aColumnForOneSeatNamesOne() throws {
    try load("code,seat\nX,2-15\nY,\"Stalls, F 12\"\n")
    try expectEqual(find("X")?.quantity, 1)
    try expectEqual(find("X")?.seats, ["2-15"])
    try expectEqual(find("Y")?.seats, ["Stalls, F 12"])
    // Until somebody says that it is for several.
    try load("code,seat\nX,2-15\n", ["seats=seat"])
    try expectEqual(find("X")?.quantity, 14)
    try load("code,Platzgruppe,Inhaber,Vorstellung\nX,12-13,Ada,42\n", ["seats=Platzgruppe", "show=Vorstellung"])
    expectEqual(
      try find("X"),
      ListedTicket(status: .valid, quantity: 2, eventID: "42", holder: "Ada", seats: ["12", "13"]))
    try load("code,who\nX,Ada\n", ["holder=who"])
    try expectEqual(find("X")?.holder, "Ada")
  }

  /// A line for each seat, as box offices write them.
  @Test func linesOfOneBookingAreOneBookingOfAllItsSeats() throws {
    let text = """
      code,date,show,section,row,seat,name
      X,2026-11-21,7,Stalls,F,12,Ada
      X,2026-11-21,7,Stalls,F,13,Grace
      X,2026-11-21,7,Stalls,F,14,Ada
      X,2026-11-21,7,Stalls,F,14,Ada
      Y,2026-11-21,7,Circle,A,1,Mary

      """
    for keepsDetails in [true, false] {
      let report = try load(text, keepsDetails: keepsDetails)
      expect(report.codes == 2 && report.joined == 2 && report.repeated == 1 && report.contradicting == 0, "\(report)")
      let found = try #require(try find("X"))
      expectEqual(found.quantity, 3)
      expectEqual(found.seats, keepsDetails ? ["Stalls F 12", "Stalls F 13", "Stalls F 14"] : [])
      expectEqual(found.holder, keepsDetails ? "Ada" : nil)
    }
    try load("code,sale,row,seats\nX,1,F,12-13\nX,1,G,1-3\n")
    try expectEqual(find("X")?.quantity, 5)
    try expectEqual(find("X")?.saleQuantity, 5)
  }

  @Test func quantitiesOfSeveralLinesAddUpToNoMoreThanTheirSeats() throws {
    try load("code,quantity,row,seat\nX,1,F,12\nX,1,F,13\n")
    try expectEqual(find("X")?.quantity, 2)
    // Each line says how many all are.
    try load("code,quantity,row,seat\nX,3,F,12\nX,3,F,13\nX,3,F,14\n")
    try expectEqual(find("X")?.quantity, 3)
    try load("code,quantity,row,seats\nX,1,F,12-15\nX,1,F,16-19\n")
    try expectEqual(find("X")?.quantity, 2)
  }

  @Test func linesThatDifferInMoreThanTheirSeatsContradictEachOther() throws {
    let report = try load(
      """
      code,status,show,date,row,seat
      X,paid,7,2026-11-21,F,12
      X,refunded,7,2026-11-21,F,13
      Y,paid,7,2026-11-21,F,1
      Y,paid,8,2026-11-21,F,2

      """)
    expect(report.contradicting == 2 && report.joined == 0, "\(report)")
    expect(try find("X")?.status == .refunded && find("X")?.quantity == 1)
    expect(try find("Y")?.quantity == 1)
    // Nor does a line that names more of them after one that contradicts.
    try load("code,status,row,seat\nX,paid,F,12\nX,refunded,F,12\nX,paid,F,13\n")
    expect(try find("X")?.status == .refunded && find("X")?.quantity == 1)
    // Without seats all is as it was.
    expectEqual(try load("code,quantity\nX,2\nX,2\nX,3\n").repeated, 1)
    try expectEqual(find("X")?.quantity, 2)
  }

  /// It may be the day, or the hour: then nobody knows when it is.
  @Test func aShowIsUnderstoodWhereSomethingElseSaysWhen() throws {
    #expect(throws: TicketListFault.self) { try load("code,show\nX,matinee\n") }
    try load("code,show,valid_from\nX,42,2026-11-21 18:00\n")
    try expectEqual(find("X")?.eventID, "42")
    // A column that is named better counts.
    try load("code,show,show_id,date\nX,Hamilton,42,2026-11-21\n")
    try expectEqual(find("X")?.eventID, "42")
    try load("code,show\nX,42\n", ["show=show"])
    try expectEqual(find("X")?.eventID, "42")
  }

  @Test func seatsThatAreTooLongAreBad() throws {
    let report = try load("code,seats\nX,\"\(String(repeating: "1,", count: 600))\"\nY,1\nZ,2\n")
    expectEqual(report.badLines.map(\.line), [2])
    expectEqual(report.badLines.first?.words, "its seats is longer than 1024 bytes")
  }
}
