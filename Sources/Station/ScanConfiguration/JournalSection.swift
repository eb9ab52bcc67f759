internal import TicketSystemKit

/// What the journal keeps, and for how long: `journal`.
package struct JournalConfiguration: Sendable, Equatable {
  /// What gates do while it cannot be written.
  package enum WhenFailing: String, Sendable, CaseIterable {
    /// They go on where the ticket system answers.
    case `continue`
    /// They admit nobody.
    case stop
  }

  /// How long scans are kept, in days.
  package var keepDays = 400
  /// How large the file may become, in megabytes, before the oldest scans go.
  package var keepMegabytes = 1_000
  /// How long the names of holders are kept, in hours.
  package var keepNamesHours = 24
  /// What gates do while it cannot be written.
  package var whenFailing = WhenFailing.continue
}

enum JournalSection {
  private static let keepDays = SchemaKey.key(
    "keepDays", .integer(1...4_000, example: "400"), default: 400, "For how many days scans are kept.")
  private static let keepMegabytes = SchemaKey.key(
    "keepMegabytes", .integer(10...100_000, example: "1000"), default: 1_000,
    "How large the file may become before the oldest scans go.")
  private static let keepNamesHours = SchemaKey.key(
    "keepNamesHours", .integer(0...10_000, example: "24"), default: 24,
    "For how many hours the names of ticket holders are kept.")
  private static let whenFailing = SchemaKey.key(
    "whenFailing", .choice(JournalConfiguration.WhenFailing.self), default: .continue,
    "What gates do while the journal cannot be written: go on where the ticket system answers (`continue`), or admit nobody (`stop`)."
  )

  static let schema = SectionSchema(
    "journal",
    keepDays, keepMegabytes, keepNamesHours, whenFailing)

  static func read(_ reader: SectionReader) -> JournalConfiguration? {
    guard
      let (days, megabytes, hours, whenFailing) = reader.readAll(keepDays, keepMegabytes, keepNamesHours, whenFailing)
    else { return nil }
    return JournalConfiguration(
      keepDays: days, keepMegabytes: megabytes, keepNamesHours: hours, whenFailing: whenFailing)
  }
}
