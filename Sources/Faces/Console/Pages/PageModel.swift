import Mustache
import ScanModel

/// What a template is filled with: names and values. Whatever comes from outside is cleaned when it goes in, and escaped when it comes
/// out.
struct PageModel: Sendable, MustacheParent, ExpressibleByDictionaryLiteral {
  /// A value.
  enum Item: Sendable, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral {
    /// Words, of ours or cleaned before; what could still hide in them goes, too.
    case text(String)
    /// HTML or SVG that was escaped where it was made, for `{{{…}}}`.
    case markup(String)
    /// Words from outside: control and formatting characters are shown as dots, and it is cut at so many characters.
    case foreign(String, limit: Int)
    case flag(Bool)
    case part(PageModel)
    case list([PageModel])
    case texts(PageTexts)

    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }

    /// Words from outside, as long as a line may be.
    static func foreign(_ text: String) -> Item { .foreign(text, limit: 200) }
  }

  typealias Key = String
  typealias Value = Item?

  private var values: [String: any Sendable] = [:]

  init() {}

  init(dictionaryLiteral elements: (String, Item?)...) { for (name, value) in elements { set(name, value) } }

  /// Sets a value; nothing and empty text are left out, so that a section of that name is not shown.
  mutating func set(_ name: String, _ item: Item?) {
    values[name] =
      switch item {
      case .text(let text): text.isEmpty ? nil : Self.clean(text)
      case .markup(let text): text.isEmpty ? nil : text
      case .foreign(let text, let limit): text.isEmpty ? nil : TerminalText.clean(text, limit: limit)
      case .flag(let flag): flag
      case .part(let part): part
      case .list(let list): list
      case .texts(let texts): TextBranch(texts: texts)
      case nil: nil
      }
  }

  private static func clean(_ text: String) -> String {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : TerminalText.clean(text, limit: .max)
  }

  func child(named name: String) -> Any? { values[name] }
}
