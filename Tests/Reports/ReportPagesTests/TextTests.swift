import Expectations
import Foundation
import LinuxIO
@testable import ReportPages
import Reports
import ScanModel
import ScanTesting
import Testing

/// The texts of reports: each in all languages, each used, and each fits its place.
@Suite struct TextTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Reports/ReportPages")

  private static func source(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  @Test func eachTextIsUsed() throws {
    let names = try Self.source("PageTexts.swift").matches(of: /static let (\w+) = PageText/).map { String($0.1) }
    expect(names.count > 80, "\(names.count) texts")
    let others = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".swift") && $0 != "PageTexts.swift" }.map { try Self.source($0) }.joined()
    for name in names {
      expect(others.firstRange(of: try Regex("PageTexts\\.\(name)\\b")) != nil, "\(name) is used nowhere")
    }
  }

  /// No language has a text of another: what is alike in two is alike on purpose.
  @Test func noTextIsLeftInEnglish() throws {
    let alike: Set = ["Scans", "Start", "Status", "Station", "scan", "station", "maintenance", "{0} admis"]
    let file = try Self.source("PageTexts.swift") + Self.source("PageNames.swift")
    let texts = file.matches(of: /PageText\(\s*"([^"]+)",\s*de: "([^"]+)",\s*fr: "([^"]+)",\s*es: "([^"]+)"/)
    expect(texts.count > 120, "\(texts.count) texts")
    for text in texts {
      for (language, words) in [("de", text.2), ("fr", text.3), ("es", text.4)]
      where words == text.1 && words.count > 3 && !alike.contains(String(words)) {
        expect(["Page {0} of {1}", "5 minutes", "15 minutes", "scan"].contains(String(words)), "\(language): \(words)")
      }
      // The same gaps.
      let gaps = { (words: Substring) in words.matches(of: /\{\d\}/).map { String($0.0) }.sorted() }
      for words in [text.2, text.3, text.4] { expectEqual(gaps(words), gaps(text.1), "\(words)") }
    }
  }

  /// What the journal may say has a word in each language.
  @Test func whatTheJournalSaysIsTranslated() {
    for name in RefuseReason.allCases.map(\.rawValue) + UndecidedReason.allCases.map(\.rawValue) {
      expect(PageNames.reasons[name] != nil, "reason \(name)")
    }
    for name in Decider.allCases.map(\.rawValue) { expect(PageNames.deciders[name] != nil, "decider \(name)") }
    for name in ToldAdmission.Ending.allCases.map(\.rawValue) {
      expect(PageNames.states[name] != nil, "ending \(name)")
    }
  }

  /// Of our own words none is cut, in any language.
  @Test(arguments: PageLanguage.allCases) func eachTextFitsItsPlace(language: PageLanguage) throws {
    let start: Int64 = 1_792_864_800
    for event in [nil, "Gala"] {
      var report = Report(
        scope: ReportScope(
          from: WallTime(seconds: start), until: WallTime(seconds: start + 14_400), event: event,
          zone: try #require(ZoneRules.named("Europe/Berlin")), zoneName: "Europe/Berlin",
          madeAt: WallTime(seconds: start)))
      let names =
        RefuseReason.allCases.map { ($0.rawValue, ReportedScan.Outcome.refused) }
        + UndecidedReason.allCases.map { ($0.rawValue, .undecided) } + [("", .admitted)]
      let states = PageNames.states.keys.sorted()
      for (number, name) in names.enumerated() {
        let at = JournalTime(
          wall: WallTime(seconds: start + Int64(number)), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: false)
        report.add(
          ReportedScan(
            id: "scan 12345678", gate: "north", at: at, outcome: name.1, reason: name.0,
            decider: Decider.allCases[number % Decider.allCases.count].rawValue, event: "Gala",
            isAnnulled: name.1 == .admitted))
        for kind in ReportedItem.Kind.allCases {
          // What became of an admission on trust stands in one cell with its reason; elsewhere each has its own.
          for (index, state) in states.enumerated()
          where kind == .provisional || index == number % states.count || index % names.count == number {
            report.add(
              ReportedItem(
                kind, at: at, gate: "north", event: "Gala", decider: "policy", what: state, reason: name.0, who: "Ada"))
          }
        }
      }
      let document = try ReportPages.document(of: report, language: language, limit: 1 << 25)
      let text = try PageTests.told("pdftotext", ["-layout", "FILE", "-"], of: document.bytes)
      for line in text.split(separator: "\n") where line.contains("…") { expect(false, "\(language): \(line)") }
    }
  }

  @Test func numbersAreAsTheLanguageHasThem() {
    expectEqual(PageWords(language: .en).count(1_234_567), "1,234,567")
    expectEqual(PageWords(language: .de).count(1_234_567), "1.234.567")
    expectEqual(PageWords(language: .fr).count(-1_234), "-1\u{202F}234")
    expectEqual(PageWords(language: .es).share(1, of: 1_000), "< 1 %")
  }

  @Test func aTextsGapsAreFilledAndWhatFillsThemIsNot() {
    let words = PageWords(language: .de)
    expectEqual(words(PageTexts.page, "{1}", "3"), "Seite {1} von 3")
  }
}
