import Glibc
import Reports
import ScanConfiguration

/// Which language a report's pages are in, for who asks in a terminal.
enum ReportLanguages {
  static let names = ReportLanguage.allCases.map(\.rawValue)

  /// What was asked for; else what the configuration says of the console's pages, where there is one that this user may read; else the
  /// terminal's; else English.
  static func chosen(_ asked: String?) -> String {
    asked ?? configured(ConfigurationArgument.usual) ?? spoken(environment).rawValue
  }

  private static func configured(_ file: String) -> String? {
    guard access(file, R_OK) == 0 else { return nil }
    // What is wrong with the file is for others to say.
    return ConfigurationArgument.read(file, checkingFiles: false).configuration?.console?.language?.rawValue
  }

  /// The language of messages: of `LC_ALL`, `LC_MESSAGES` and `LANG` the first that is set counts, whatever it says.
  static func spoken(_ environment: (String) -> String?) -> ReportLanguage {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    return set.flatMap { ReportLanguage(locale: $0) } ?? .en
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
