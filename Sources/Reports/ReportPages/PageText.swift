import ScanModel

/// A text of a report in its languages. Gaps are written `{0}`, `{1}`.
struct PageText: Sendable {
  private let en: String
  private let de: String
  private let fr: String
  private let es: String

  init(_ en: String, de: String, fr: String, es: String) {
    self.en = en
    self.de = de
    self.fr = fr
    self.es = es
  }

  subscript(language: PageLanguage) -> String {
    switch language {
    case .en: en
    case .de: de
    case .fr: fr
    case .es: es
    }
  }
}
