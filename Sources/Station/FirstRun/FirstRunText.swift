import CCarried
package import ScanModel
internal import WireText

/// A text that somebody who sets a station up reads, in whichever language.
package enum FirstRunText: Sendable, Equatable {
  /// One of ours, and what fills its gaps.
  case words(FirstRunWord, [String])
  /// What a device, a server or a check says, as it is.
  case told(String)

  /// One of ours.
  package static func own(_ word: FirstRunWord, _ values: String...) -> FirstRunText { .words(word, values) }

  // MARK: Between processes

  private static let separator: Character = "\u{1F}"

  /// As a line for another process of this program.
  package var line: String {
    let separator = String(Self.separator)
    switch self {
    case .told(let text): return separator + text
    case .words(let word, let values):
      return ([word.rawValue] + values.map { $0.replacing(separator, with: " ") }).joined(separator: separator)
    }
  }

  /// Reads such a line; `nil` where it is none.
  package init?(line: String) {
    let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first, parts.count > 1 || !first.isEmpty else { return nil }
    if first.isEmpty {
      self = .told(parts.dropFirst().joined(separator: String(Self.separator)))
    } else {
      guard let word = FirstRunWord(rawValue: first) else { return nil }
      self = .words(word, Array(parts.dropFirst()))
    }
  }
}

/// The texts in one language.
package struct FirstRunTexts: Sendable {
  /// The language.
  package let language: PageLanguage
  private let texts: [String: String]

  private static let all: [PageLanguage: FirstRunTexts] = {
    let file = Self.file()
    return Dictionary(
      uniqueKeysWithValues: PageLanguage.allCases.map { language in
        (language, FirstRunTexts(language: language, texts: file.compactMapValues { $0[language.rawValue] }))
      })
  }()

  /// Those of a language.
  package static func of(_ language: PageLanguage) -> FirstRunTexts {
    all[language] ?? FirstRunTexts(language: language, texts: [:])
  }

  /// Everything in the file: each text's name, and its words by languages.
  package static func file() -> [String: [String: String]] {
    let file = carried_first_run_texts()
    let bytes = [UInt8](UnsafeBufferPointer(start: file.start, count: file.count))
    guard case .object(let names)? = try? JSONValue(bytes) else { return [:] }
    var all: [String: [String: String]] = [:]
    for (name, words) in names {
      if case .object(let words) = words { all[name] = words.compactMapValues(\.string) }
    }
    return all
  }

  /// A text in this language.
  package func callAsFunction(_ text: FirstRunText) -> String {
    switch text {
    case .told(let text): text
    case .words(let word, let values): TextGaps.fill(texts[word.rawValue] ?? word.rawValue, values)
    }
  }

  /// One of ours in this language.
  package func callAsFunction(_ word: FirstRunWord, _ values: String...) -> String { self(.words(word, values)) }
}
