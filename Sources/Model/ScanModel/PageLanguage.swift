/// A language that people are spoken to in. The raw values are the words in the file, as browsers have them.
package enum PageLanguage: String, Sendable, Hashable, CaseIterable {
  case en
  case de
  case fr
  case es

  /// The language of a locale, such as `de_AT.UTF-8`; `nil` where it is none of ours.
  package init?(locale: String) {
    self.init(rawValue: locale.prefix { $0.isASCII && $0.isLetter }.lowercased())
  }

  /// The language of messages for a program's user: of `LC_ALL`, `LC_MESSAGES` and `LANG` (POSIX, 8.2) the first that is set counts,
  /// whatever it says; English where that is none of ours.
  /// - Parameter environment: a variable's value by its name.
  package static func spoken(_ environment: (String) -> String?) -> PageLanguage {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    return set.flatMap { PageLanguage(locale: $0) } ?? .en
  }

  /// The longest `Accept-Language` that is looked at, in bytes.
  private static let longest = 1_000

  /// The first language of ours that a browser likes best, by its `Accept-Language`; `nil` where it likes none.
  package static func preferred(_ field: String) -> PageLanguage? {
    var best: (language: PageLanguage, weight: Int)?
    for part in field.prefix(longest).split(separator: ",") {
      let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let range = pieces.first, let tag = range.split(separator: "-").first else { continue }
      guard let language = PageLanguage(rawValue: String(tag)) else { continue }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { thousandths(of: $0.dropFirst(2)) } ?? 1_000
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    return best?.language
  }

  /// `1`, `0.8` or `0.125` in thousandths; 0 of what is none.
  private static func thousandths(of text: Substring) -> Int {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole == "0" || whole == "1" else { return 0 }
    let digits = parts.dropFirst().first ?? ""
    guard digits.utf8.count <= 3, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    let fraction = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count)) ?? 0
    return min(1_000, (whole == "1" ? 1_000 : 0) + fraction)
  }
}
