import Expectations
import Foundation
import ScanModel
import Testing

@testable import TicketLists

/// docs/tickets.md says what an import understands.
@Suite struct DocumentTests {
  @Test func everyColumnAndStateIsInTheDocument() throws {
    let file = repositoryFile("docs/tickets.md")
    let document = try String(contentsOf: file, encoding: .utf8)
    for column in TicketColumn.allCases {
      for name in ExportLanguage.allCases.flatMap(column.names) { expect(document.contains("`\(name)`"), "\(name)") }
    }
    let paragraphs = document.split(separator: "\n\n")
    let states = try #require(paragraphs.first { $0.hasPrefix("States,") })
    let listed = states.split { ",;:.\n ".contains($0) || $0 == "|" }.map(String.init)
    for (status, words) in StatusWords.written {
      for word in words { expect(listed.contains(word), "\(word) is \(status)") }
      expect(listed.contains("`\(status.rawValue)`"))
    }
    for word in StatusWords.entries + StatusWords.sales { expect(document.contains("`\(word)`"), "\(word)") }
    for meaning in ColumnChoice.meanings { expect(document.contains("`\(meaning)`"), "\(meaning)") }
  }

  /// The document's own example is taken.
  @Test func theExampleIsGood() throws {
    let file = repositoryFile("docs/tickets.md")
    let document = try String(contentsOf: file, encoding: .utf8)
    let example = try #require(document.split(separator: "```").first { $0.hasPrefix("\ncode,") })
    let folder = try ListFolder()
    let report = try folder.load(String(example.dropFirst()))
    expect(report.good == 3 && report.bad == 0 && report.ignored.isEmpty)
    expect(report.guessability.isEnough)
    try expectEqual(folder.find("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl")?.quantity, 2)
  }
}

/// What a ticket system itself tells.
@Suite struct ToldTicketTests {
  @Test func ticketsThatWereToldAreFoundAndOthersCounted() throws {
    let folder = try ListFolder()
    let work = try TicketImport(folder.settings())
    func told(_ code: String, whole: Bool = false, change: (inout ToldTicket) -> Void = { _ in }) throws {
      var ticket = ToldTicket(
        code: code, isWholeSale: whole, status: .valid, day: "2026-11-21", sale: "s", event: "Play")
      change(&ticket)
      try work.add(ticket)
    }
    try told("whole", whole: true) { $0.quantity = 3 }
    for index in 0..<3 { try told("https://v.example/ticket/view/x/e\(index)") }
    try told("gone") { $0.status = .refunded }
    try told("")
    try told("a") { $0.status = nil }
    try told("b") { $0.quantity = 0 }
    try told("c") { $0.day = "soon" }
    try told("d") { $0.obstacle = "it is a pass" }
    let report = try work.finish(asOf: WallTime(seconds: 1), imported: WallTime(seconds: 2))
    expect(report.good == 5 && report.bad == 5 && report.refusal == nil)
    expect(report.badLines.map(\.line) == Array(6...10) && report.badLines.last?.words == "it is a pass")
    let day = WallTime(seconds: 1_795_219_200)
    try expectEqual(
      folder.find("e1"),
      ListedTicket(
        status: .valid, from: day, until: day + .seconds(86_400), quantity: 1, sale: "s", saleQuantity: 3,
        event: "Play"))
    try expectEqual(folder.find("gone")?.status, .refunded)
  }
}
