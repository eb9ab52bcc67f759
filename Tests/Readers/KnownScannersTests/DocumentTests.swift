import Expectations
import Foundation
import KnownScanners
import Testing

/// `docs/scanners.md` has the models of the database. `UPDATE_DOCS=1` writes the table anew.
@Suite struct DocumentTests {
  private let file = repositoryFile("docs/scanners.md")

  @Test func theTableIsThatOfTheDatabase() throws {
    var text = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- known models -->\n"))
    let end = try #require(text.range(of: "<!-- end -->", range: begin.upperBound..<text.endIndex))
    let table = Self.table()
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] == "1" {
      text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table)
      try text.write(to: file, atomically: true, encoding: .utf8)
    } else {
      expectEqual(String(text[begin.upperBound..<end.lowerBound]), table)
    }
  }

  private static func table() -> String {
    var rows: [(model: ScannerModel, ids: [String])] = []
    for entry in ScannerDatabase.carried.entries {
      guard let product = entry.product else { continue }
      let id = "`\(hex(entry.vendor)):\(hex(product))`"
      if let index = rows.firstIndex(where: { $0.model == entry.model }) {
        rows[index].ids.append(id)
      } else {
        rows.append((entry.model, [id]))
      }
    }
    var text = "| scanner | ids | mode |\n|---|---|---|\n"
    for (model, ids) in rows {
      let mode = [model.mode?.rawValue ?? "any", model.isShared ? "shared id" : nil].compactMap(\.self)
      text += "| \(model.title) | \(ids.joined(separator: " ")) | \(mode.joined(separator: ", ")) |\n"
    }
    return text
  }

  private static func hex(_ value: UInt16) -> String { String(String(UInt32(value) + 0x10000, radix: 16).dropFirst()) }
}
