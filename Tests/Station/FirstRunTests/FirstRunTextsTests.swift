import Expectations
import FirstRun
import Foundation
import ScanModel
import ScanTesting
import Testing

/// The one file of texts.
@Suite struct FirstRunTextsTests {
  @Test func everyTextIsThereInEachLanguage() {
    let all = FirstRunTexts.file()
    expectEqual(Set(all.keys), Set(FirstRunWord.allCases.map(\.rawValue)))
    let languages = Set(PageLanguage.allCases.map(\.rawValue))
    for (key, words) in all {
      expectEqual(Set(words.keys), languages, "\(key)")
      for (language, text) in words {
        expect(!text.trimmingCharacters(in: .whitespaces).isEmpty, "\(key) \(language)")
        expect(text.unicodeScalars.allSatisfy(TerminalText.isHarmless), "\(key) \(language)")
        expect(!text.contains("<") && !text.contains("&"), "\(key) \(language)")
        expectEqual(Self.gaps(text), Self.gaps(words["en"] ?? ""), "\(key) \(language)")
      }
    }
  }

  private static func gaps(_ text: String) -> Set<String> { Set((0...9).map { "{\($0)}" }.filter(text.contains)) }

  @Test func eachTextIsUsed() throws {
    var sources = ""
    for folder in ["Sources/Station/FirstRun", "Sources/Faces/FirstRunPage", "Sources/scangate/FirstRun"] {
      let place = repositoryFile(folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: place.path)
      where file.hasSuffix(".swift") && file != "FirstRunWord.swift" {
        sources += try String(contentsOf: place.appending(path: file), encoding: .utf8)
      }
    }
    // A name may begin another one.
    let words = Set(sources.split(separator: ".").dropFirst().map { $0.prefix { $0.isLetter || $0.isNumber } })
    expect(words.count > 300)
    for word in FirstRunWord.allCases { expect(words.contains(Substring(word.rawValue)), "\(word) is used nowhere") }
  }

  @Test func whatIsSaidInOneProcessIsReadInAnother() {
    let texts: [FirstRunText] = [
      .own(.back), .own(.readerTaken, "a", ""), .told(""), .told("a\u{1F}b"), .told("back"),
      .words(.trialFailed, ["\u{202E}<b>"]),
    ]
    for text in texts { expectEqual(FirstRunText(line: text.line), text) }
    for none in ["", "noSuchText", "<b>"] { expectEqual(FirstRunText(line: none), nil) }
    // What fills a gap is one value, whatever is in it.
    expectEqual(FirstRunText(line: FirstRunText.own(.trying, "a\u{1F}b").line), .own(.trying, "a b"))
  }
}
