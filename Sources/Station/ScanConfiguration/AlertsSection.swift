internal import TicketSystemKit

/// Whom the console tells when something is wrong: `console.alerts`.
package struct AlertsConfiguration: Sendable, Equatable {
  package init() {}
}

enum AlertsSection {
  static let key = "alerts"

  static let schema = SectionSchema("console.alerts", keys: [])

  static func read(_ reader: SectionReader) -> AlertsConfiguration? { AlertsConfiguration() }
}
