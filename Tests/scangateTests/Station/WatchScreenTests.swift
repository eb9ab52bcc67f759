import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import scangate

/// What is drawn is what is seen: a terminal is kept beside, and shows the page after each change.
@Suite struct WatchScreenTests {
  /// As much of a terminal as the page uses.
  private struct Model {
    let size: WatchScreen.Size
    private(set) var rows: [[Character]]
    private var row = 0
    private var column = 0

    init(_ size: WatchScreen.Size) {
      self.size = size
      rows = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
    }

    mutating func take(_ text: String) throws {
      var rest = text.unicodeScalars[...]
      while let scalar = rest.popFirst() {
        guard scalar == "\u{1B}" else {
          put(scalar)
          continue
        }
        try #require(rest.popFirst() == "[")
        let arguments = String(rest.prefix { ("0"..."?").contains($0) })
        rest = rest.dropFirst(arguments.unicodeScalars.count)
        switch (rest.popFirst(), arguments) {
        case ("m", _), ("h", "?1049"), ("h", "?7"), ("h", "?25"), ("l", "?1049"), ("l", "?7"), ("l", "?25"): break
        case ("J", "2"): for row in 0..<size.rows { erase(row) }
        case ("J", ""): for row in row..<size.rows { erase(row) }
        case ("K", "2"): erase(row)
        case ("H", let place):
          let numbers = place.split(separator: ";").compactMap { Int($0) }
          try #require(numbers.count == 2 && (1...size.rows).contains(numbers[0]))
          (row, column) = (numbers[0] - 1, numbers[1] - 1)
        case (let command, _): Issue.record("no terminal knows \(arguments)\(command.map(String.init) ?? "")")
        }
      }
    }

    private mutating func erase(_ row: Int) { rows[row] = Array(repeating: " ", count: size.columns) }

    private mutating func put(_ scalar: Unicode.Scalar) {
      // Nothing goes on in the next row; what is beside the page is not there.
      let width = TerminalColumns.count(scalar)
      if width > 0, column < size.columns { rows[row][column] = Character(scalar) }
      column += width
    }
  }

  private func drawn(_ lines: [ScreenLine], _ size: WatchScreen.Size, _ paint: Paint) throws -> [[Character]] {
    var model = Model(size)
    for (row, line) in lines.prefix(size.rows).enumerated() {
      try model.take("\u{1B}[\(row + 1);1H\(line.text(paint))")
    }
    return model.rows
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 30, release: 3_000)))) func theScreenShowsThePage(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let paint = Paint(isColourful: random.chance(50))
    var screen = WatchScreen(paint)
    var size = WatchScreen.Size(columns: 40, rows: 10)
    var model = Model(size)
    try model.take(WatchScreen.begin)
    for step in 0..<40 {
      let other = WatchScreen.Size(
        columns: Int.random(in: 1...60, using: &random), rows: Int.random(in: 1...14, using: &random))
      if random.chance(10), other != size {
        size = other
        // A terminal moves what is on it in ways of its own.
        model = Model(size)
        try model.take("\u{1B}[1;1Hrubbish")
      } else if random.chance(10) {
        try model.take("\u{1B}[1;1Hrubbish")
        screen.renew()
        try model.take(WatchScreen.begin)
      }
      let lines = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        var line = ScreenLine(" ✓ ADMIT ", .badge(.green))
        line.add(["", "short", Fixture.hostile, String(repeating: "x", count: 70)].randomElement(using: &random) ?? "")
        return line.clipped(to: size.columns)
      }
      try model.take(screen.draw(lines, size))
      try expectEqual(model.rows, drawn(lines, size, paint), "seed \(seed), step \(step)")
    }
  }

  @Test func whatStaysIsNotDrawnAgain() {
    var screen = WatchScreen(Paint(isColourful: false))
    let size = WatchScreen.Size(columns: 40, rows: 10)
    _ = screen.draw([ScreenLine("one"), ScreenLine("two")], size)
    expectEqual(screen.draw([ScreenLine("one"), ScreenLine("two")], size), "")
    expectEqual(screen.draw([ScreenLine("one"), ScreenLine("new")], size), "\u{1B}[2;1H\u{1B}[2Knew")
  }
}
