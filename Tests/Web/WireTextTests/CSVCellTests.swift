import Expectations
import Testing
import WireText

@Suite struct CSVCellTests {
  @Test(arguments: ["=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"])
  func whatWouldBeCalculatedIsText(begin: String) {
    expect(CSVCell.text("\(begin)1+1").hasPrefix("'"), "\(begin.unicodeScalars)")
  }

  /// A spreadsheet whose separator is a semicolon begins a cell behind each, whatever quotes are round the whole.
  @Test func nothingBehindASemicolonIsCalculated() {
    for (text, wanted) in [
      ("x;=1+1", "x;'=1+1"), ("x; @SUM(1)", "x;' @SUM(1)"), ("a;b", "a;b"), ("-1;-2", "'-1;'-2"), ("x;", "x;"),
      ("x;;+1", "x;;'+1"), ("x;\u{FF1D}1", "x;'\u{FF1D}1"),
      // And where it is quoted for its comma or its quotes.
      ("a,b;=1", "\"a,b;'=1\""), ("x;\"=1\"", "\"x;'\"\"=1\"\"\""),
    ] {
      expectEqual(CSVCell.text(text), wanted)
    }
  }

  @Test func aPlainValueStaysAsItIs() {
    for text in ["", "north", "2026-10-25 02:30:00", "UTC+02:00", "scan 12e45678", "Zoë’s night (2)"] {
      expectEqual(CSVCell.text(text), text)
    }
    expectEqual(CSVCell.text("a,\"b\""), "\"a,\"\"b\"\"\"")
  }
}
