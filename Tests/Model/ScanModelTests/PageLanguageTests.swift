import Expectations
import ScanModel
import Testing

/// Which language somebody is spoken to in.
@Suite struct PageLanguageTests {
  @Test(arguments: [
    ("de_AT.UTF-8", PageLanguage.de), ("fr", .fr), ("es-MX", .es), ("ES_es@euro", .es), ("EN_US", .en), ("C", nil),
    ("C.UTF-8", nil), ("", nil), ("it_IT.UTF-8", nil), ("den", nil), ("deutsch", nil),
  ])
  func aLocaleIsALanguage(locale: String, language: PageLanguage?) {
    expectEqual(PageLanguage(locale: locale), language)
  }

  /// POSIX, 8.2: the first that is set and not empty, also where it is none of ours.
  @Test func aTerminalSaysItsLanguage() {
    for (variables, language) in [
      (["LANG": "de_DE.UTF-8"], PageLanguage.de), (["LC_ALL": "fr_FR", "LANG": "de_DE"], .fr),
      (["LC_ALL": "", "LC_MESSAGES": "es_ES", "LANG": "de_DE"], .es), (["LC_ALL": "C", "LANG": "de_DE"], .en),
      ([:], .en),
    ] { expectEqual(PageLanguage.spoken { variables[$0] }, language, "\(variables)") }
  }
}
