import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import StationProtocol
import StationReport
import Testing

@testable import Console

/// The one file of texts.
@Suite struct PageTextsTests {
  /// The texts whose names are what stations call things by: each name of these has its text, and no other.
  private static let families: [String: [String]] = [
    "reason": RefuseReason.allCases.map(\.rawValue) + UndecidedReason.allCases.map(\.rawValue),
    "light": CameraView.Light.allCases.map(\.rawValue),
    "refused": OrderRefusal.allCases.map(\.rawValue),
    "refusal": PageRefusal.allCases.map(\.rawValue),
    "status": StationStatus.allCases.map(\.rawValue) + ["own"],
    "conflict": ["contradicted", "unsettled", "tooLate"],
    "finding": StationFinding.Kind.allCases.map(\.rawValue),
    "offline": OfflineCause.allCases.map(\.rawValue),
    "decider": Decider.allCases.map(\.rawValue),
    "signal": TechnicianRoutes.signals,
    "refresh": ["refreshed", "failed", "heldBack", "partial", "missing", "fileRefused"],
    "gateState": ["ready", "maintenance", "closed", "notSetUp", "fault", "starting"],
    "readerState": ["parked", "waiting", "reading", "failed", "starting"],
    "journalState": ["working", "failing", "doubted"],
    "absence": ["nobody", "notAllowed", "refused", "silent"],
    "trouble": ["nobody", "notAllowed", "refused", "silent", "busy", "tooMuch", "question", "fault"],
    "place": [
      "gate", "reader", "ticketSystem", "certificate", "list", "outbox", "journal", "disk", "configuration", "control",
      "fleet", "clock", "service",
    ],
    "note": [],
    "problem": [],
    "done": [],
  ]

  @Test func everyTextIsThereInEachLanguage() {
    let all = PageTexts.sections()
    expect(all.count > 100)
    let languages = Set(PageLanguage.allCases.map(\.rawValue))
    for (key, words) in all {
      expectEqual(Set(words.keys), languages, "\(key)")
      for (language, text) in words {
        expect(!text.trimmingCharacters(in: .whitespaces).isEmpty, "\(key) \(language)")
        expect(text.unicodeScalars.allSatisfy(TerminalText.isHarmless), "\(key) \(language)")
        expect(!text.contains("<") && !text.contains("&"), "\(key) \(language)")
        // The same gaps in each language.
        expectEqual(Self.gaps(text), Self.gaps(words["en"] ?? ""), "\(key) \(language)")
      }
    }
  }

  private static func gaps(_ text: String) -> Set<String> {
    Set((0...9).map { "{\($0)}" }.filter(text.contains))
  }

  @Test func familiesHaveWhatTheirNamesAre() {
    let all = PageTexts.sections()
    for (family, names) in Self.families where !names.isEmpty {
      let found = Set(all.keys.filter { $0.hasPrefix("\(family).") })
      expectEqual(found, Set(names.map { "\(family).\($0)" }))
    }
  }

  /// Each note of the document has a text.
  @Test func notesAreThoseOfTheDocument() throws {
    let document = try String(contentsOf: repositoryFile("docs/events.md"), encoding: .utf8)
    let notes = try #require(document.components(separatedBy: "\nNotes: ").dropFirst().first)
    let named = notes.components(separatedBy: "\n\n")[0].components(separatedBy: "`").enumerated()
      .filter { $0.offset % 2 == 1 }.map(\.element)
    expect(named.count > 10)
    expectEqual(
      Set(PageTexts.sections().keys.filter { $0.hasPrefix("note.") }), Set(named.map { "note.\($0)" }))
  }

  @Test func eachTextIsUsed() throws {
    let folder = repositoryFile("Sources/Faces/Console")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String })
    let sources = try files.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".mustache") }
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    expect(sources.utf8.count > 100_000)
    for key in PageTexts.sections().keys {
      guard let family = key.split(separator: ".").first, Self.families[String(family)] == nil else { continue }
      let isState = DoorIdle.Kind.allCases.contains { key == "door.\($0.rawValue)" }
      expect(
        isState || sources.contains("\"\(key)\"") || sources.contains("t.\(key)}}"), "\(key) is used nowhere")
    }
  }

  /// Each text that a template or a source names is there.
  @Test func eachTextThatIsNamedIsThere() throws {
    let folder = repositoryFile("Sources/Faces/Console")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String })
    var count = 0
    for file in files where file.hasSuffix(".mustache") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for part in text.components(separatedBy: "{{t.").dropFirst() {
        let key = part.components(separatedBy: "}}")[0]
        expect(PageTexts.of(.en).has(key), "\(file): \(key)")
        count += 1
      }
    }
    expect(count > 20)
    for kind in DoorIdle.Kind.allCases { expect(PageTexts.of(.de).has("door.\(kind.rawValue)")) }
  }

  @Test func gapsAreFilledOnce() {
    let texts = PageTexts.of(.en)
    expectEqual(texts("verdict.of", "2", "4"), "2 of 4 in")
    // What fills a gap is no text of ours.
    expectEqual(texts("verdict.usedGate", "{1}", "{0}"), "used {1}, gate {0}")
    expectEqual(texts("verdict.of", "2"), "2 of {1} in")
    expectEqual(texts["no.such"], "no.such")
    expectEqual(texts.named("reason", "alreadyUsed"), "Already used")
    expectEqual(texts.named("reason", "<b>"), "<b>")
  }

  @Test(
    arguments: [
      (nil, PageLanguage.en), ("", .en), ("de", .de), ("de-AT,en;q=0.5", .de), ("it,fr;q=0.3,es;q=0.7", .es),
      ("DE", .de), ("fr;q=0,en", .en), ("nl, pt", .en), ("es;q=0.9, de;q=0.9", .es), ("*", .en), ("de;q=2", .en),
      (";;;,,,=,de;q=0.0001,fr ; q=0.1", .fr), ("de;q=+1", .en), ("de;q=0.-1", .en),
    ] as [(String?, PageLanguage)])
  func theBrowsersLanguageIsHeeded(_ field: String?, _ language: PageLanguage) {
    expectEqual(PageLanguage.choice(configured: nil, accepted: field), language)
    expectEqual(PageLanguage.choice(configured: .fr, accepted: field), .fr)
    expectEqual(PageLanguage.choice(configured: nil, own: "es", accepted: field), .es)
    expectEqual(PageLanguage.choice(configured: nil, own: "xx", accepted: field), language)
  }

  @Test func aLongFieldIsNotReadToItsEnd() {
    let field = String(repeating: "x,", count: 100_000) + "de"
    expectEqual(PageLanguage.choice(configured: nil, accepted: field), .en)
  }
}
