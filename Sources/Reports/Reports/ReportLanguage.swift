/// A language in which pages are written. CSV is the same in all of them: programs read it.
package enum ReportLanguage: String, Sendable, Hashable, CaseIterable {
  case en
  case de
  case fr
  case es

  /// The language that a system's name for its customs means, such as `de_AT.UTF-8` or `fr-CH`.
  package init?(locale: String) {
    let name = locale.prefix { $0.isASCII && $0.isLetter }
    self.init(rawValue: name.lowercased())
  }

  /// What stands between thousands.
  package var thousands: String {
    switch self {
    case .en: ","
    case .de, .es: "."
    // Narrow, and no line ends there.
    case .fr: "\u{202F}"
    }
  }
}
