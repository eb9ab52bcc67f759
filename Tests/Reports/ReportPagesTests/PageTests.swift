import Expectations
import Foundation
import LinuxIO
@testable import ReportPages
import Reports
import ScanModel
import ScanTesting
import Testing

@Suite struct PageTests {
  private static let events = ["Gala", "حفلة موسيقية", "Ж" + String(repeating: "ö", count: 10_000), "x\u{202E}y\u{7}"]

  private static func report(_ scans: Int, seed: Int = 1, listed: Int = 3) throws -> Report {
    var generator = SeededGenerator(seed: UInt64(seed))
    var report = Report(
      scope: ReportScope(
        from: WallTime(seconds: 1_792_864_800), until: WallTime(seconds: 1_792_864_800 + 14_400),
        zone: try #require(ZoneRules.named("Europe/Berlin")), zoneName: "Europe/Berlin",
        madeAt: WallTime(seconds: 1_792_900_000)))
    for number in 0..<scans {
      let at = JournalTime(
        wall: WallTime(seconds: 1_792_864_800 + .random(in: 0..<14_400, using: &generator)),
        monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
      let outcome = ReportedScan.Outcome.allCases[number % 3]
      report.add(
        ReportedScan(
          id: "scan 0000000\(number % 10)", gate: ["north", "שער דרום", "west"][number % 3], at: at, outcome: outcome,
          reason: outcome == .refused ? "alreadyUsed" : outcome == .undecided ? "unreachable" : "", decider: "server",
          event: events[number % 4]))
      if number < listed {
        report.add(
          ReportedItem(.order, at: at, gate: "north", what: "open", reason: "done", who: "Ada", why: "wheelchair"))
      }
    }
    return report
  }

  /// What a program says of a document.
  static func told(_ program: String, _ arguments: [String], of bytes: [UInt8]) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString).pdf")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/\(program)")
    process.arguments = arguments.map { $0 == "FILE" ? file.path : $0 }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    expectEqual(process.terminationStatus, 0)
    return String(decoding: said, as: UTF8.self)
  }

  @Test func pagesAreA4AndNumbered() throws {
    let document = try ReportPages.document(of: Self.report(300), limit: 1 << 25)
    let told = try Self.told("pdfinfo", ["FILE"], of: document.bytes)
    expect(told.contains("A4"), "\(told)")
    let pages = told.split(separator: "\n").first { $0.hasPrefix("Pages:") }
    expectEqual(pages.flatMap { Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces)) }, document.pages)
    let text = try Self.told("pdftotext", ["-layout", "FILE", "-"], of: document.bytes)
    for number in 1...document.pages { expect(text.contains("Page \(number) of \(document.pages)"), "\(number)") }
  }

  /// What is on paper is found by its text, in any script.
  @Test func textIsFound() throws {
    let document = try ReportPages.document(of: Self.report(300), limit: 1 << 25)
    let text = try Self.told("pdftotext", ["FILE", "-"], of: document.bytes)
    for wanted in ["Admissions over time", "north", "already used", "wheelchair", "Gala", "UTC+02:00"] {
      expect(text.contains(wanted), "\(wanted)")
    }
    // Where one letter ends and a gap begins viewers guess.
    let dense = text.filter { !$0.isWhitespace }
    for wanted in ["שער", "حفلة"] {
      // As it is read, or as it is drawn: viewers differ.
      expect(dense.contains(wanted) || dense.contains(String(wanted.reversed())), "\(wanted) in \(text)")
    }
    expect(!text.contains("\u{202E}x") && !text.contains("\u{7}"))
  }

  @Test func nothingIsOnePage() throws {
    let document = try ReportPages.document(of: Self.report(0), limit: 1 << 25)
    expectEqual(document.pages, 1)
    expect(try Self.told("pdftotext", ["FILE", "-"], of: document.bytes).contains("No scan is of this time"))
  }

  /// A list goes over pages, and says what it leaves out.
  @Test func aLongListSaysWhatItLeavesOut() throws {
    let document = try ReportPages.document(of: Self.report(1_500, listed: 1_500), limit: 1 << 25)
    let text = try Self.told("pdftotext", ["FILE", "-"], of: document.bytes)
    expect(text.contains("500 more are counted"))
    expect(document.pages > 25, "\(document.pages)")
  }

  @Test func aDocumentThatIsTooLongIsRefused() throws {
    let report = try Self.report(300)
    var fault: PageFault?
    do throws(PageFault) {
      _ = try ReportPages.document(of: report, limit: 4_000)
    } catch {
      fault = error
    }
    expect(fault?.description.contains("take more than") ?? false)
  }
}
