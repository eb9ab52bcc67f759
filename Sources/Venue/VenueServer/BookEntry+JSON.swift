import Foundation

extension BookEntry {
  /// One line of JSON: `entry_id`, `sale_id`, `sale_ticket_id`, `code`, `made_by_scan`, `holder`, `seat` (or null) and
  /// `scanned_at` (UTC, whole seconds).
  ///
  /// - Parameter show: how the code is shown; whole unless told otherwise.
  package func json(_ show: (String) -> String = { $0 }) -> String {
    JSONText.object([
      ("entry_id", .integer(entryID)), ("sale_id", .integer(saleID)), ("sale_ticket_id", .integer(saleTicketID)),
      ("code", .string(show(code))), ("made_by_scan", .bool(wasMadeByScan)), ("holder", .string(holder)),
      ("seat", .optional(seat)), ("scanned_at", .string(time)),
    ]).text()
  }

  /// The first scan as `2025-12-17T14:30:00Z`.
  package var time: String { Timestamp(scannedAt).utc }

  /// Reads what `json` wrote; nil for anything else.
  init?(json: String) {
    struct Line: Decodable {
      var entry: Int64
      var sale: Int64
      var saleTicket: Int64
      var code: String
      var wasMadeByScan: Bool
      var holder: String
      var seat: String?
      var time: String

      enum CodingKeys: String, CodingKey {
        case entry = "entry_id"
        case sale = "sale_id"
        case saleTicket = "sale_ticket_id"
        case code
        case wasMadeByScan = "made_by_scan"
        case holder, seat
        case time = "scanned_at"
      }
    }
    guard let line = try? JSONDecoder().decode(Line.self, from: Data(json.utf8)),
      let scannedAt = try? Date(line.time, strategy: .iso8601)
    else { return nil }
    self.init(
      entryID: line.entry, saleID: line.sale, saleTicketID: line.saleTicket, code: line.code,
      wasMadeByScan: line.wasMadeByScan, holder: line.holder, scannedAt: scannedAt, seat: line.seat)
  }
}
