import Mustache
import ScanModel
import WireText

/// The words of all pages in one language, of the one file that has them: `texts.json`, section → name → language. Where words have
/// gaps, these are written `{0}`, `{1}`.
struct PageTexts: Sendable {
  /// The language.
  let language: PageLanguage
  private let texts: [String: String]

  private static let all: [PageLanguage: PageTexts] = {
    let sections = Self.sections()
    var all: [PageLanguage: PageTexts] = [:]
    for language in PageLanguage.allCases {
      all[language] = PageTexts(language: language, texts: sections.compactMapValues { $0[language.rawValue] })
    }
    return all
  }()

  /// Those of a language.
  static func of(_ language: PageLanguage) -> PageTexts {
    all[language] ?? PageTexts(language: language, texts: [:])
  }

  /// Everything in the file: each text's key, such as `door.admit`, and its words by languages.
  static func sections() -> [String: [String: String]] {
    guard case .object(let sections)? = try? JSONValue(CarriedFile.pageTexts) else { return [:] }
    var all: [String: [String: String]] = [:]
    for (section, names) in sections {
      guard case .object(let names) = names else { continue }
      for (name, words) in names {
        guard case .object(let words) = words else { continue }
        all["\(section).\(name)"] = words.compactMapValues(\.string)
      }
    }
    return all
  }

  /// Whether there is such a text.
  func has(_ key: String) -> Bool { texts[key] != nil }

  /// A text, such as that of `door.admit`; its key where there is none.
  subscript(key: String) -> String { texts[key] ?? key }

  /// A text with its gaps filled. What it is filled with is not looked at for gaps.
  func callAsFunction(_ key: String, _ values: String...) -> String { self(key, values) }

  /// The same with as many values as there are.
  func callAsFunction(_ key: String, _ values: [String]) -> String { TextGaps.fill(self[key], values) }

  /// The text of what a station calls by a name of its own, such as a reason; the name itself where there is none.
  func named(_ family: String, _ name: String) -> String { texts["\(family).\(name)"] ?? name }
}

/// The texts as templates see them: `{{t.door.admit}}`.
struct TextBranch: MustacheParent, MustacheCustomRenderable {
  let texts: PageTexts
  var path = ""

  func child(named name: String) -> Any? {
    let path = path.isEmpty ? name : "\(path).\(name)"
    return texts.has(path) ? texts[path] : TextBranch(texts: texts, path: path)
  }

  /// What a page shows where a text is missing, so that somebody sees it.
  var renderText: String { path }
  var isNull: Bool { false }
}
