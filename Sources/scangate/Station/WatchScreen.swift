import Glibc

/// The terminal while a page is shown on it: a screen of its own, which is written over and leaves the former one as it was.
struct WatchScreen {
  /// The columns and rows of a terminal.
  struct Size: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// The size of the terminal at standard output; 80 by 24 where it does not say.
    static var now: Size {
      var size = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
        return Size(columns: 80, rows: 24)
      }
      return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
  }

  /// Begins: another screen, no cursor, and nothing that is too wide goes on in the next row.
  static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  /// Ends: everything as it was.
  static let end = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private let paint: Paint
  private var shown: [String] = []
  private var size: Size?

  init(_ paint: Paint) { self.paint = paint }

  /// Forgets what is on the screen: somebody else may have written on it.
  mutating func renew() { (shown, size) = ([], nil) }

  /// What brings a page onto the screen: the rows that have changed.
  mutating func draw(_ lines: [ScreenLine], _ size: Size) -> String {
    let new = lines.prefix(size.rows).map { $0.text(paint) }
    // Another size has moved everything.
    if size != self.size { shown = [] }
    var text = size != self.size && self.size != nil ? "\u{1B}[2J" : ""
    for (row, line) in new.enumerated() where row >= shown.count || shown[row] != line {
      // Erased first: behind a line that fills its row, the last character would go.
      text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
    }
    if shown.count > new.count { text += "\u{1B}[\(new.count + 1);1H\u{1B}[J" }
    shown = Array(new)
    self.size = size
    return text
  }
}
