import ScanModel

extension PageLanguage {
  /// What stands between thousands.
  var thousands: String {
    switch self {
    case .en: ","
    case .de, .es: "."
    // Narrow, and no line ends there.
    case .fr: "\u{202F}"
    }
  }
}
