/// Where the seats of a show are drawn: as the service places them, or by rows where it places none. Pure, and bounded whatever it tells.
///
///     every seat has a place ─▶ these, to scale          else ─▶ section by section, row by row, 100 seats a line
struct SeatLayout: Sendable {
  /// The most seats that are drawn.
  static let most = 20_000
  /// The longest side of what is drawn, in pixels.
  static let longest = 4_000.0
  /// The most seats in a line of a row.
  private static let line = 100
  /// From seat to seat, where they are drawn by rows, in pixels.
  private static let step = 26.0
  /// Beside and above them.
  private static let margin = (left: 60.0, top: 30.0)

  /// A text beside the seats.
  struct Label: Sendable, Equatable {
    let text: String
    let x: Double, y: Double
  }

  /// A place for each seat, in the order in which they came.
  private(set) var places: [(x: Double, y: Double)] = []
  private(set) var labels: [Label] = []
  /// A seat's radius, in pixels.
  private(set) var radius = 9.0
  private(set) var width = 0.0, height = 0.0

  /// Lays out `seats`, `most` at most.
  init(_ seats: [BoxSeat]) {
    let positions = seats.compactMap(\.position)
    let xs = positions.map(\.x), ys = positions.map(\.y)
    if positions.count == seats.count, let left = xs.min(), let right = xs.max(), let top = ys.min(),
      let bottom = ys.max(), right > left || bottom > top
    {
      place(seats, positions, left: left, top: top, extent: (right - left, bottom - top))
    } else {
      placeRows(seats)
    }
  }

  private mutating func place(
    _ seats: [BoxSeat], _ positions: [BoxSeat.Position], left: Double, top: Double, extent: (x: Double, y: Double)
  ) {
    let usual = Self.spacing(seats, positions)
    let spacing = max(usual ?? max(extent.x, extent.y) / Double(max(1, seats.count - 1)), .leastNonzeroMagnitude)
    let scale = min(Self.step / spacing, (Self.longest - 2 * Self.margin.left) / max(extent.x, extent.y))
    radius = min(9, max(2, spacing * scale * 0.4))
    places = positions.map { (Self.margin.left + ($0.x - left) * scale, Self.margin.top + ($0.y - top) * scale) }
    width = extent.x * scale + 2 * Self.margin.left
    height = extent.y * scale + 2 * Self.margin.top
  }

  /// How far neighbours of a row are from each other, as half of them are; `nil` where no row has two.
  private static func spacing(_ seats: [BoxSeat], _ positions: [BoxSeat.Position]) -> Double? {
    let rows = Dictionary(grouping: zip(seats, positions)) { [$0.0.section, $0.0.row] }
    var gaps: [Double] = []
    for row in rows.values {
      let xs = row.map(\.1.x).sorted()
      gaps += zip(xs.dropFirst(), xs).map { $0 - $1 }.filter { $0 > 0 }
    }
    return gaps.isEmpty ? nil : gaps.sorted()[gaps.count / 2]
  }

  private mutating func placeRows(_ seats: [BoxSeat]) {
    places = seats.map { _ in (0, 0) }
    var y = Self.margin.top
    var sections: [String?] = []
    let bySection = Dictionary(grouping: seats.indices) { seats[$0].section }
    for seat in seats where !sections.contains(seat.section) && sections.count < 200 { sections.append(seat.section) }
    // More sections than any house has are one.
    let known = Set(sections)
    let others = bySection.filter { !known.contains($0.key) }.flatMap(\.value).sorted()
    var groups: [(section: String?, members: [Int])] = sections.map { ($0, bySection[$0] ?? []) }
    if !others.isEmpty { groups.append(("…", others)) }
    for (section, members) in groups {
      if let section {
        labels.append(Label(text: section, x: Self.margin.left - Self.step / 2, y: y))
        y += Self.step
      }
      let rows = Dictionary(grouping: members) { seats[$0].row ?? "" }
      for (row, members) in rows.sorted(by: { Self.isBefore($0.key, $1.key) }) {
        labels.append(Label(text: row, x: 8, y: y + 4))
        let ordered = members.sorted { Self.isBefore(seats[$0].number ?? "", seats[$1].number ?? "") }
        for (index, seat) in ordered.enumerated() {
          if index > 0, index % Self.line == 0 { y += Self.step }
          let x = Self.margin.left + Double(index % Self.line) * Self.step
          places[seat] = (x, y)
          width = max(width, x + Self.margin.left)
        }
        y += Self.step
      }
      y += Self.step / 2
    }
    height = y
    shrink()
  }

  /// Keeps a house of more rows than any has within bounds.
  private mutating func shrink() {
    let scale = min(1, Self.longest / max(width, height, 1))
    guard scale < 1 else { return }
    places = places.map { ($0.x * scale, $0.y * scale) }
    labels = labels.map { Label(text: $0.text, x: $0.x * scale, y: $0.y * scale) }
    radius = max(1, radius * scale)
    (width, height) = (width * scale, height * scale)
  }

  /// Rows and numbers as people count: 2 before 10, Z before AA.
  static func isBefore(_ a: String, _ b: String) -> Bool {
    switch (Int(a), Int(b)) {
    case (let a?, let b?) where a != b: a < b
    case (_?, nil): true
    case (nil, _?): false
    default: (a.utf8.count, a) < (b.utf8.count, b)
    }
  }
}
