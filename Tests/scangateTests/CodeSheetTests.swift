import Expectations
import Foundation
import Testing
import VenueServer

/// Codes to print: whatever reads codes at a gate reads them from the page.
@Suite struct CodeSheetTests {
  private struct Figure {
    var side: Int
    var dark: Set<[Int]>
    var caption: String
  }

  /// What stands in the page, read as a browser would draw it.
  private func figures(_ html: String) throws -> [Figure] {
    try html.components(separatedBy: "<figure>").dropFirst().map { text in
      let box = try #require(text.firstMatch(of: /viewBox="0 0 ([0-9]+) ([0-9]+)"/))
      var dark: Set<[Int]> = []
      for run in text.matches(of: /M([0-9]+) ([0-9]+)h([0-9]+)v1h-[0-9]+z/) {
        let (column, row, width) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
        for place in column..<column + width { dark.insert([row, place]) }
      }
      let caption = try #require(text.firstMatch(of: /<figcaption>(.*)<\/figcaption>/)).1
      return Figure(side: Int(box.1) ?? 0, dark: dark, caption: String(caption))
    }
  }

  private func pgm(_ figure: Figure) -> [UInt8] {
    let (scale, side) = (6, figure.side * 6)
    var bytes = [UInt8]("P5 \(side) \(side) 255\n".utf8)
    for row in 0..<side {
      for column in 0..<side { bytes.append(figure.dark.contains([row / scale, column / scale]) ? 0 : 255) }
    }
    return bytes
  }

  @Test func everyCodeOfThePageIsReadAndNamed() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = folder.appending(path: "venue.sqlite").path
    let sheet = folder.appending(path: "codes.html").path
    let venue = try VenueServer(VenueConfiguration(storage: .file(database)))
    let seeded = try await venue.seed(Seed(random: 1, zone: "UTC"))
    _ = try await venue.importTickets(
      [
        ImportedTicket(line: 2, code: "grün-und-lang-abcd", status: .refunded, name: "<b>Eve & Co</b>", quantity: 3)
      ], file: "t.csv")
    let made = try await Program.run(["venue", "codes", "--database", database, "--sheet", sheet])
    expectEqual(made.status, 0, "\(made.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: sheet)
    expect(attributes[.posixPermissions] as? Int == 0o600)
    let html = try String(contentsOfFile: sheet, encoding: .utf8)
    // A page of its own: nothing is fetched, nothing runs, and no whole code is readable.
    for other in ["<script", "src=", "href=", "url("] { expect(!html.contains(other), "\(other)") }
    for ticket in seeded.tickets { expect(!html.contains(ticket.code)) }

    let figures = try figures(html)
    expectEqual(figures.count, seeded.tickets.count + 1)
    var read: Set<String> = []
    for (index, figure) in figures.enumerated() {
      // Readers need four light modules around a code.
      let edge = 4..<figure.side - 4
      expect(figure.dark.allSatisfy { edge.contains($0[0]) && edge.contains($0[1]) })
      let picture = folder.appending(path: "\(index).pgm")
      try Data(pgm(figure)).write(to: picture)
      let result = try await Program.run(["decode", "--json", picture.path])
      let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let symbols = try #require(object["symbols"] as? [[String: Any]])
      let code = try #require(symbols.first?["text"] as? String)
      expect(symbols.count == 1 && figure.caption.contains("…\(code.suffix(4))"), "\(figure.caption)")
      read.insert(code)
    }
    expectEqual(read, Set(seeded.tickets.map(\.code) + ["grün-und-lang-abcd"]))
    expect(html.contains("<b>Zoë O'Neill</b><br>sale for 2<br>"))
    expect(html.contains("<b>Noor Haddad</b><br>entry, another day<br>"))
    expect(html.contains("<b>&lt;b&gt;Eve &amp; Co&lt;/b&gt;</b><br>sale for 3, refunded<br>"))

    let again = try await Program.run(["venue", "codes", "--database", database, "--sheet", sheet])
    expect(again.status == 74 && again.errors.contains("Nothing is overwritten"), "\(again.errors)")
    try await expectEqual(Program.run(["venue", "codes", "--database", database]).status, 64)
    try await expectEqual(Program.run(["venue", "codes", "--sheet", sheet]).status, 64)
  }

  @Test func aVenueWithoutTicketsHasNoPage() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = folder.appending(path: "venue.sqlite").path
    let venue = try VenueServer(VenueConfiguration(storage: .file(database)))
    _ = try await venue.issueKey("a-key-for-a-test")
    let sheet = folder.appending(path: "codes.html").path
    let made = try await Program.run(["venue", "codes", "--database", database, "--sheet", sheet])
    expect(made.status == 65 && made.errors.contains("seed it, or import some"), "\(made.errors)")
    expect(!FileManager.default.fileExists(atPath: sheet))
  }
}
