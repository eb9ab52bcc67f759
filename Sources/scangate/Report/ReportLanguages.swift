import Glibc
import ScanConfiguration
import ScanModel

/// Which language a report's pages are in, for who asks in a terminal.
enum ReportLanguages {
  static let names = PageLanguage.allCases.map(\.rawValue)

  /// What was asked for; else what the configuration says of the console's pages, where there is one that this user may read; else the
  /// terminal's.
  static func chosen(_ asked: String?) -> String {
    asked ?? configured(ConfigurationArgument.usual) ?? PageLanguage.spoken(Terminal.variable).rawValue
  }

  private static func configured(_ file: String) -> String? {
    guard access(file, R_OK) == 0 else { return nil }
    // What is wrong with the file is for others to say.
    return ConfigurationArgument.read(file, checkingFiles: false).configuration?.console?.language?.rawValue
  }
}
