import Foundation

extension BookEntry {
  /// One line of JSON: `entry_id`, `sale_id`, `event_id`, `sale_ticket_id`, `code`, `made_by_scan`, `holder`, `seat` (or
  /// null) and `scanned_at` (UTC, whole seconds).
  ///
  /// - Parameter show: how the code is shown; whole unless told otherwise.
  package func json(_ show: (String) -> String = { $0 }) -> String {
    let line: JSONText = [
      "entry_id": .integer(entryID), "sale_id": .integer(saleID), "event_id": .integer(eventID),
      "sale_ticket_id": .integer(saleTicketID),
      "code": .string(show(code)), "made_by_scan": .bool(wasMadeByScan), "holder": .string(holder),
      "seat": .optional(seat), "scanned_at": .string(time),
    ]
    return line.text()
  }

  /// The first scan as `2025-12-17T14:30:00Z`.
  package var time: String { Timestamp(scannedAt).utc }
}
