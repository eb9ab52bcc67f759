import Bookings
import EventSchedule
import Expectations
import Foundation
import SignedTickets
import Subscriptions
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// `docs/configuration.md` says of every key what the schema says, and speaks of no other.
///
/// `UPDATE_DOCS=1` writes the tables between their marks anew.
@Suite struct DocumentTests {
  private let file = packageFolder.appending(path: "docs/configuration.md")
  private let sections = ConfigurationFile.schema(
    options: ConfigurationOptions(ticketSystems: [.eventSchedule, .subscriptions, .signedTickets, .bookings]))

  private func mark(_ section: SectionSchema) -> String {
    "<!-- keys of \(section.path.isEmpty ? "the file" : section.path) -->"
  }

  @Test func tablesAreThoseOfTheSchema() throws {
    var text = try String(contentsOf: file, encoding: .utf8)
    for section in sections {
      let begin = try #require(text.range(of: mark(section) + "\n"), "no table for \(section.path)")
      let end = try #require(text.range(of: "<!-- end -->", range: begin.upperBound..<text.endIndex))
      if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
        text.replaceSubrange(begin.upperBound..<end.lowerBound, with: section.markdownTable + "\n")
        try text.write(to: file, atomically: true, encoding: .utf8)
      } else {
        expectEqual(String(text[begin.upperBound..<end.lowerBound]), section.markdownTable + "\n")
      }
    }
    expectEqual(text.components(separatedBy: "<!-- keys of ").count - 1, sections.count, "a table of no section")
  }

  @Test func everyKeyIsThereWithItsDefault() throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    for key in sections.flatMap(\.keys) {
      let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `\(key.name)` | ") }
      expect(!rows.isEmpty, "\(key.name)")
      if let value = key.defaultText, value != "see below" {
        expect(rows.contains { $0.contains("| `\(value)` |") }, "\(key.name) \(value)")
      }
    }
  }

  @Test func namesNoOtherKey() throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let known = Set(sections.flatMap(\.keys).map(\.name))
    for row in text.split(separator: "\n") where row.hasPrefix("| `") {
      let name = row.dropFirst(3).prefix { $0 != "`" }
      expect(known.contains(String(name)), "\(name)")
    }
  }

  @Test func yamlBlocksOfTheDocumentAreGood() throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let blocks = text.components(separatedBy: "```yaml\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    expect(blocks.count >= 1)
    for block in blocks { expectEqual(errors(in: block), []) }
  }

  /// A schema whose own examples it would refuse helps nobody.
  @Test func everyDefaultWouldBeAccepted() {
    let gate = ConfigurationFile.schema(options: testOptions).first { $0.path == "gates.<name>" }
    for key in gate?.keys ?? [] {
      guard let value = key.defaultText, key.sections.isEmpty else { continue }
      expectEqual(errors(in: goodFile + "    \(key.name): \(value)\n"), [], "\(key.name)")
    }
    for kind in ReaderConfiguration.Kind.allCases.map(\.rawValue) {
      let reader = ConfigurationFile.schema(options: testOptions).first { $0.path == "readers.<name>, type \(kind)" }
      expect(reader != nil, "\(kind)")
      for key in reader?.keys ?? [] {
        guard let value = key.defaultText else { continue }
        let text = goodFile.replacingOccurrences(of: "type: wedge,", with: "type: \(kind), \(key.name): \(value),")
        expectEqual(errors(in: text), [], "\(kind) \(key.name)")
      }
    }
  }
}
