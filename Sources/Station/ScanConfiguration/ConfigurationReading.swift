/// A configuration as far as it is good, and everything that is wrong or doubtful, each in words with its place.
package struct ConfigurationReading: Sendable {
  /// `nil` where there are errors.
  package var configuration: StationConfiguration?
  /// What is doubtful.
  package var warnings: [String]
  /// What is wrong.
  package var errors: [String]

  /// Takes what reading a configuration has found.
  package init(configuration: StationConfiguration? = nil, warnings: [String], errors: [String]) {
    self.configuration = configuration
    self.warnings = warnings
    self.errors = errors
  }
}
