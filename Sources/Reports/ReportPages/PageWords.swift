import Reports
import ScanModel

/// A report's words in one language.
struct PageWords: Sendable {
  let language: PageLanguage

  /// A text with its gaps filled. What it is filled with is not looked at for gaps.
  func callAsFunction(_ text: PageText, _ values: String...) -> String {
    TextGaps.fill(text[language], values)
  }

  func decider(_ name: String) -> String { PageNames.decider(name).map { self($0) } ?? Self.spaced(name) }
  func reason(_ name: String) -> String { PageNames.reason(name).map { self($0) } ?? Self.spaced(name) }
  func state(_ name: String) -> String { PageNames.state(name).map { self($0) } ?? Self.spaced(name) }

  /// A name of a gate or an event, of which some stand for none or for the rest.
  func name(_ name: String, nameless: PageText) -> String {
    name.isEmpty ? self(nameless) : name == NamedCounts.others ? self(PageTexts.others) : name
  }

  /// `alreadyUsed` as `already used`.
  static func spaced(_ name: String) -> String {
    var result = ""
    for character in name {
      if character.isUppercase, character.isASCII, result.last?.isLowercase == true {
        result += " " + character.lowercased()
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// `12,345`, in groups.
  func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += language.thousands }
      grouped.append(digit)
    }
    return (number < 0 ? "-" : "") + grouped
  }

  /// `42 %`; what is not nothing is never none.
  func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "" }
    let percent = Double(part) * 100 / Double(whole)
    if part > 0, percent < 1 { return "< 1 %" }
    return "\(Int(percent.rounded())) %"
  }
}
