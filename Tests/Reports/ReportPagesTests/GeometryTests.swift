import Expectations
import Foundation
import LinuxIO
import ReportPages
import Reports
import ScanModel
import ScanTesting
import Testing

/// Where words stand on paper: within the page's margins, and none over another, whatever they are.
@Suite struct GeometryTests {
  /// A word of a document, in points from the upper left corner.
  private struct Word {
    var page: Int
    var text: String
    var left, top, right, bottom: Double

    init?(_ line: Substring, page: Int) {
      func number(_ name: String) -> Double? {
        line.firstRange(of: "\(name)=\"").flatMap { Double(line[$0.upperBound...].prefix { $0 != "\"" }) }
      }
      guard line.contains("<word"), let left = number("xMin"), let top = number("yMin"), let right = number("xMax"),
        let bottom = number("yMax"), let open = line.firstIndex(of: ">"), let close = line.lastIndex(of: "<")
      else { return nil }
      self.page = page
      text = String(line[line.index(after: open)..<close])
      (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }
  }

  private static func words(of document: ReportPages.Document) throws -> [Word] {
    var page = 0
    return try PageTests.told("pdftotext", ["-bbox", "FILE", "-"], of: document.bytes).split(separator: "\n").compactMap
    {
      if $0.contains("<page ") { page += 1 }
      return Word($0, page: page)
    }
  }

  /// Names as ticket systems have them, and as nobody expects them.
  private static let names = [
    "Gala", "حفلة موسيقية في دار الأوبرا", "春节音乐会 — 第二场", "🎻🎶 Nuit blanche 🎉", String(repeating: "Ω", count: 200),
    "Ein Abend mit " + String(repeating: "sehr ", count: 40) + "langem Namen", "שירים",
    String(repeating: "W", count: 200),
  ]

  private static func report(seed: Int, gates: Int, events: Int, scans: Int, length: Int64, listed: Int) throws
    -> Report
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    let start: Int64 = 1_792_864_800
    var report = Report(
      scope: ReportScope(
        from: WallTime(seconds: start), until: WallTime(seconds: start + length), gate: nil,
        zone: try #require(ZoneRules.named("Europe/Berlin")), zoneName: "Europe/Berlin",
        madeAt: WallTime(seconds: start + length)))
    let reasons = RefuseReason.allCases.map(\.rawValue)
    for number in 0..<scans {
      let at = JournalTime(
        wall: WallTime(seconds: start + .random(in: 0..<length, using: &generator)),
        monotonic: MonotonicTime(nanoseconds: 0), isTrusted: number % 9 > 0)
      let gate = number % 7 == 0 ? names[number / 7 % names.count] : "gate \(number % gates)"
      let event = number % 3 == 0 ? names[number / 3 % names.count] : "Event \(number % events)"
      let outcome = ReportedScan.Outcome.allCases[number % 3]
      report.add(
        ReportedScan(
          id: "scan 0000000\(number % 10)", gate: gate, at: at, outcome: outcome,
          reason: outcome == .refused
            ? reasons[number % reasons.count]
            : outcome == .undecided
              ? UndecidedReason.allCases[number % UndecidedReason.allCases.count].rawValue : "",
          decider: Decider.allCases[number % Decider.allCases.count].rawValue, event: event,
          isAnnulled: outcome == .admitted && number % 2 == 0))
      guard number < listed else { continue }
      report.add(
        ReportedItem(
          .provisional, at: at, gate: gate, event: event, decider: "policy", what: "contradicted",
          reason: reasons[number % reasons.count], scan: "scan 12e45678"))
      report.add(
        ReportedItem(.conflict, at: at, gate: gate, decider: "policy", what: "contradicted", reason: "notAuthorised"))
      report.add(
        ReportedItem(
          .order, at: at, gate: gate, what: "openOnce", reason: "refused: nothingToAnnul",
          who: number % 2 == 0 ? "Zoë-Marie van der Sommerfeldt" : names[number % names.count],
          why: number % 5 == 0 ? names[number % names.count] + String(repeating: " and more", count: 60) : "wheelchair")
      )
    }
    return report
  }

  static let seeds = Array(0..<extent(landing: 6, release: 40))

  @Test(arguments: seeds) func noWordLeavesThePageOrLiesOverAnother(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let lengths: [Int64] = [14_400, 86_400, 90_000, 7 * 86_400, 365 * 86_400, 12 * 365 * 86_400]
    let report = try Self.report(
      seed: seed, gates: .random(in: 1...40, using: &generator), events: .random(in: 1...60, using: &generator),
      scans: .random(in: 0...900, using: &generator), length: lengths[seed % lengths.count],
      listed: .random(in: 0...120, using: &generator))
    let language = PageLanguage.allCases[seed % PageLanguage.allCases.count]
    let document = try ReportPages.document(of: report, language: language, limit: 1 << 25)
    let words = try Self.words(of: document)
    expectEqual(Set(words.map(\.page)).count, document.pages, "seed \(seed): pages with words")
    for word in words {
      // Half a point: what a letter leans over its own width.
      expect(
        word.left >= 47 && word.right <= 548.5 && word.top >= 40 && word.bottom <= 825,
        "seed \(seed), page \(word.page): “\(word.text)” at \(word.left), \(word.top) to \(word.right), \(word.bottom)")
    }
    for (_, all) in Dictionary(grouping: words, by: \.page) {
      for (index, one) in all.enumerated() {
        for other in all[(index + 1)...] {
          let (width, height) = (
            min(one.right, other.right) - max(one.left, other.left),
            min(one.bottom, other.bottom) - max(one.top, other.top)
          )
          // Boxes are as high as the font, beyond its letters: lines of one text touch.
          expect(
            width < 1.5 || height < 0.4 * min(one.bottom - one.top, other.bottom - other.top),
            "seed \(seed), page \(one.page): “\(one.text)” and “\(other.text)” lie over each other by \(width) × \(height)"
          )
        }
      }
    }
  }

  /// Each page of a list has its title and its columns, and each its number.
  @Test func headsAreOnEachPage() throws {
    let report = try Self.report(seed: 1, gates: 3, events: 3, scans: 400, length: 14_400, listed: 400)
    let document = try ReportPages.document(of: report, limit: 1 << 25)
    let pages = try PageTests.told("pdftotext", ["-layout", "FILE", "-"], of: document.bytes).split(separator: "\u{C}")
    let orders = pages.filter { $0.contains("Orders of staff") && $0.contains("given, each") }
    expect(orders.count > 5, "\(orders.count) pages")
    for page in orders {
      for column in ["time", "gate", "order", "who", "why", "became"] {
        expect(
          page.split(separator: "\n").contains { $0.contains(column) && $0.contains("became") },
          "\(column): \(page.prefix(400))")
      }
    }
    for (index, page) in pages.prefix(document.pages).enumerated() {
      expect(page.contains("Page \(index + 1) of \(document.pages)"), "page \(index + 1)")
    }
  }

  /// Somebody's long words are there to the last one; only names that are longer than a report has are cut.
  @Test func wordsAreWhole() throws {
    var report = try Self.report(seed: 2, gates: 1, events: 1, scans: 1, length: 14_400, listed: 0)
    let why = (1...45).map { "word\($0)" }.joined(separator: " ")
    let at = JournalTime(
      wall: WallTime(seconds: 1_792_864_900), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    report.add(ReportedItem(.order, at: at, gate: "north", what: "openOnce", reason: "done", who: "Ada", why: why))
    let document = try ReportPages.document(of: report, limit: 1 << 25)
    let text = try PageTests.told("pdftotext", ["FILE", "-"], of: document.bytes)
    expect(text.contains("word45"), "\(text)")
  }
}
