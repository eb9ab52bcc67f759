/// Seats as exports name them: `12`, `12-15`, `12, 13`, `F12;F13`.
enum SeatText {
  /// A row of more seats is none: the numbers mean something else.
  private static let mostInRow = 100
  /// More seats in one cell are none.
  private static let most = 1_000

  /// A seat in words, such as `Stalls F 12`: section, row and number, where they are told.
  static func seat(_ number: String, row: String?, section: String?) -> String {
    [section, row, number].compactMap(\.self).joined(separator: " ")
  }

  /// The seats that a cell names. One that is not understood is one seat, as it stands: it admits no more than one.
  /// - Parameters:
  ///   - row: the row that another column names; else letters before the number are.
  ///   - section: what another column names.
  static func seats(_ cell: String, row: String?, section: String?) -> [String] {
    let parts = cell.split(omittingEmptySubsequences: true) { ",;&+".contains($0) }.map { Part($0) }
    var seats: [String] = []
    var current = row
    for part in parts {
      guard let part, let numbers = part.numbers(upTo: mostInRow), seats.count + numbers.count <= most else {
        return [seat(cell, row: row, section: section)]
      }
      // F12, 13 are of one row.
      if let own = part.row { current = row.map { $0.lowercased() == own.lowercased() ? $0 : "\($0) \(own)" } ?? own }
      for number in numbers {
        let seat = seat(number, row: current, section: section)
        if !seats.contains(seat) { seats.append(seat) }
      }
    }
    return seats
  }

  /// `12`, `12a`, `F12`, `F 12`, `12-15`, `F12-F15`.
  private struct Part {
    var row: String?
    var first: Int
    /// Behind the number of a single seat: 12a.
    var suffix: String
    var last: Int

    init?(_ text: Substring) {
      let compact = text.filter { !$0.isWhitespace }
      let ends = compact.split(separator: /[-–]/, omittingEmptySubsequences: false)
      guard (1...2).contains(ends.count), let begin = Self.end(ends[0]) else { return nil }
      (row, first, suffix, last) = (begin.row, begin.number, begin.suffix, begin.number)
      guard ends.count == 2 else { return }
      guard let end = Self.end(ends[1]), begin.suffix.isEmpty, end.suffix.isEmpty,
        end.row.map({ $0.lowercased() == begin.row?.lowercased() }) ?? true, begin.number < end.number
      else { return nil }
      last = end.number
    }

    private static func end(_ text: Substring) -> (row: String?, number: Int, suffix: String)? {
      guard let match = text.wholeMatch(of: /([A-Za-z]{0,3})([0-9]{1,5})([A-Za-z]?)/), let number = Int(match.2) else {
        return nil
      }
      return (match.1.isEmpty ? nil : String(match.1), number, String(match.3))
    }

    /// The seats' numbers; `nil` where they are too many for a row.
    func numbers(upTo most: Int) -> [String]? {
      guard last - first < most else { return nil }
      return (first...last).map { "\($0)\(suffix)" }
    }
  }
}
