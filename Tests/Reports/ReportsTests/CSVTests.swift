import Expectations
import Foundation
import LinuxIO
import Reports
import ScanModel
import ScanTesting
import Testing

@Suite struct CSVTests {
  /// The records of a file, by another reading than ours: quotes, and what stands in them.
  static func records(_ text: String) -> [[String]] {
    var records: [[String]] = [[""]]
    var isQuoted = false
    for character in text {
      let (row, cell) = (records.count - 1, records[records.count - 1].count - 1)
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: records[row].append("")
      case "\r\n" where !isQuoted: records.append([""])
      default: records[row][cell].append(character)
      }
    }
    return Array(records.dropLast())
  }

  @Test(arguments: 0..<extent(landing: 20, release: 200)) func eachTableSumsUp(seed: Int) throws {
    var random = Evenings(seed: seed)
    var report = Report(scope: ReportTests.scope())
    for _ in 0..<random.below(400) { report.add(random.scan(after: 0, within: 86_400)) }
    let bytes = ReportCSV.bytes(of: report)
    expectEqual(Array(bytes.prefix(3)), [0xEF, 0xBB, 0xBF])
    let records = Self.records(String(decoding: bytes.dropFirst(3), as: UTF8.self))
    expectEqual(records.first, ReportCSV.columns)
    expect(records.allSatisfy { $0.count == ReportCSV.columns.count }, "seed \(seed)")
    for table in ["total", "time", "gate", "event", "decided_by"] {
      for (what, count) in [
        ("admitted", report.total.admitted), ("refused", report.total.refused), ("undecided", report.total.undecided),
        ("annulled", report.total.annulled),
      ] {
        let sum = records.filter { $0[0] == table && $0[7] == what }.reduce(0) { $0 + (Int($1[13]) ?? 0) }
        expectEqual(sum, count, "seed \(seed), \(table), \(what)")
      }
    }
  }

  /// Nothing that a spreadsheet would calculate, whoever named it.
  @Test func formulasStayText() {
    var report = Report(scope: ReportTests.scope())
    let at = JournalTime(wall: WallTime(seconds: 10), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    report.add(
      ReportedItem(
        .order, at: at, gate: "=1+1", what: "+open", reason: "@x", subject: "-2", who: "=cmd|' /C calc'!A0",
        why: "\u{202E}=HYPERLINK(\"http://x\")"))
    for record in Self.records(String(decoding: ReportCSV.bytes(of: report).dropFirst(3), as: UTF8.self)) {
      for cell in record { expect(!"=+-@".contains(cell.first ?? "x"), "\(cell)") }
    }
  }

  @Test func aReportOfNothingIsOne() {
    let records = Self.records(
      String(decoding: ReportCSV.bytes(of: Report(scope: ReportTests.scope())).dropFirst(3), as: UTF8.self))
    expect(records.contains { $0[0] == "total" && $0[7] == "admitted" && $0[13] == "0" })
    expect(records.dropFirst().allSatisfy { $0[0] == "total" })
  }
}
