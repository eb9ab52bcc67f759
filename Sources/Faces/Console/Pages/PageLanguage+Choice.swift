import ScanModel

extension PageLanguage {
  /// The language of a page: what the file says, else whoever asks by name, else the first one of ours that the browser likes best,
  /// else English.
  /// - Parameters:
  ///   - configured: the file's.
  ///   - own: what whoever asks has chosen.
  ///   - accepted: the browser's `Accept-Language`.
  static func choice(configured: PageLanguage?, own: String? = nil, accepted: String?) -> PageLanguage {
    configured ?? own.flatMap(PageLanguage.init(rawValue:)) ?? accepted.flatMap(preferred) ?? .en
  }
}
