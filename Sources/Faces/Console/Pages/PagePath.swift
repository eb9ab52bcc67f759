import WireText

/// Names within the paths of pages.
enum PagePath {
  /// A name as one step of a path: every byte but letters, digits and `-._~` is written `%XX`.
  static func step(_ name: String) -> String { PercentCoding.encode(name) }

  /// The name that a step stands for; `nil` where it is none.
  static func name(_ step: String) -> String? {
    PercentCoding.decode(step.utf8).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
