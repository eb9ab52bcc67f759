/// A table that is printed page by page: the first page's widths are kept where they suffice.
package struct DeskTable {
  private static let widest = 60
  private let heads: [String]
  private var widths: [Int]
  private var isBegun = false

  package init(heads: [String]) {
    self.heads = heads
    widths = heads.map(\.count)
  }

  /// The lines of a page; before the first one, the heads.
  package mutating func lines(_ rows: [[String]]) -> [String] {
    if rows.isEmpty { return [] }
    for row in rows {
      for (index, cell) in row.enumerated() where index < widths.count {
        widths[index] = max(widths[index], min(cell.count, Self.widest))
      }
    }
    defer { isBegun = true }
    return ((isBegun ? [] : [heads]) + rows).map { row in
      let cells = zip(row.dropLast(), widths).map { $0.padded(to: $1 + 2) } + row.suffix(1)
      return cells.joined().trimmingBlanks
    }
  }

  /// Names and what stands for each, a line for one.
  package static func lines(_ fields: [(name: String, text: String)]) -> [String] {
    let width = (fields.map { $0.name.count }.max() ?? 0) + 2
    return fields.map { $0.name.padded(to: width) + $0.text }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }

  fileprivate var trimmingBlanks: String { String(reversed().drop { $0 == " " }.reversed()) }
}
