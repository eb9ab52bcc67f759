import ScanModel

/// A line of a page. Whatever is put into it is cleaned: nothing in it can move a cursor, and it never breaks.
struct ScreenLine: Equatable, Sendable {
  /// How a piece of it looks.
  enum Style: Equatable, Sendable {
    case plain
    /// On a coloured ground; its text begins and ends with a blank.
    case badge(Paint.Colour)
    /// Coloured.
    case glow(Paint.Colour)
  }

  private struct Piece: Equatable {
    var text: String
    var style: Style
  }

  private var pieces: [Piece] = []

  /// Begins with a text.
  init(_ text: String = "") { add(text) }

  /// A line of one style.
  init(_ text: String, _ style: Style) { add(text, style) }

  /// The columns that it takes.
  var columns: Int { pieces.reduce(0) { $0 + TerminalColumns.count($1.text) } }

  /// Puts a text behind it.
  mutating func add(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { pieces.append(Piece(text: TerminalText.clean(text, limit: 2_000), style: style)) }
  }

  /// Puts a line behind it.
  mutating func add(_ line: ScreenLine) { pieces += line.pieces }

  /// Puts a text behind it, two blanks apart; nothing where there is none.
  mutating func add(apart text: String?, _ style: Style = .plain) {
    guard let text, !text.isEmpty else { return }
    if !pieces.isEmpty { add("  ") }
    add(text, style)
  }

  /// Fills it up to a column; where it is there already, it stays.
  mutating func pad(to column: Int) { add(String(repeating: " ", count: max(0, column - columns))) }

  /// What fits into so many columns.
  func clipped(to columns: Int) -> ScreenLine {
    guard self.columns > columns else { return self }
    var clipped = ScreenLine()
    for piece in pieces {
      let room = columns - clipped.columns
      if room <= 0 { break }
      let text = TerminalColumns.prefix(piece.text, room)
      clipped.pieces.append(Piece(text: text, style: piece.style))
      // A wide character that half fits is left out, and so is what follows it.
      if text != piece.text { break }
    }
    return clipped
  }

  /// The same text in one style.
  func restyled(_ style: Style) -> ScreenLine {
    var line = ScreenLine()
    line.pieces = [Piece(text: pieces.map(\.text).joined(), style: style)]
    return line
  }

  /// It as it is written.
  func text(_ paint: Paint) -> String {
    pieces.map { piece in
      switch piece.style {
      case .plain: piece.text
      case .badge(let colour): paint.badge(piece.text, colour)
      case .glow(let colour): paint.glow(piece.text, colour)
      }
    }.joined()
  }
}
