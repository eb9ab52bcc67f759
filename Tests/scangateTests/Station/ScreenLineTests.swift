import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import scangate

/// Lines of a page: clean, and never wider than they say.
@Suite struct ScreenLineTests {
  @Test func columnsAreThoseOfATerminal() {
    expectEqual(TerminalColumns.count("✓ ADMIT"), 7)
    expectEqual(TerminalColumns.count("Zoë Groß"), 8)
    expectEqual(TerminalColumns.count("Zoe\u{308}"), 3)
    expectEqual(TerminalColumns.count("漢字"), 4)
    expectEqual(TerminalColumns.count("🎟\u{FE0F}✅"), 5)
    expectEqual(TerminalColumns.prefix("漢字", 3), "漢")
    expectEqual(TerminalColumns.prefix("e\u{301}a", 1), "e\u{301}")
  }

  @Test func aBadgeIsAsWideWithoutColours() {
    let badge = ScreenLine(" ✓ ADMIT ", .badge(.green))
    expectEqual(badge.text(Paint(isColourful: true)), "\u{1B}[42;30m ✓ ADMIT \u{1B}[0m")
    expectEqual(badge.text(Paint(isColourful: false)), "[✓ ADMIT]")
    expectEqual(badge.columns, 9)
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 50, release: 5_000)))) func whatIsClippedFits(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let scalars: [Unicode.Scalar] = Array("aß漢\u{301}\u{FE0F}🎟✓ \u{1B}\u{202E}\u{9B}\n\u{0}\u{3164}".unicodeScalars)
    var line = ScreenLine()
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) { text.append(scalars.randomElement(using: &random) ?? "a") }
      line.add(String(text), random.chance(50) ? .plain : random.chance(50) ? .badge(.red) : .glow(.amber))
    }
    let columns = Int.random(in: 0...40, using: &random)
    let clipped = line.clipped(to: columns)
    expect(clipped.columns <= columns, "seed \(seed)")
    // No more is lost than the second half of a wide character.
    expect(clipped.columns >= min(columns, line.columns) - 1, "seed \(seed)")
    for line in [line, clipped] {
      let text = line.text(Paint(isColourful: false))
      expect(text.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "seed \(seed)")
      expectEqual(TerminalColumns.count(text), line.columns, "seed \(seed)")
    }
  }
}
