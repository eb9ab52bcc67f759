/// Colours of a terminal, and brackets where it has none: what is told by colour is told by words and shape as well.
struct Paint: Sendable {
  /// What a colour stands for at a gate: go, no, look.
  enum Colour: Sendable {
    case green
    case red
    case amber
  }

  /// Whether there are colours.
  let isColourful: Bool

  /// Text on a coloured ground. Without colours the blanks at its ends are brackets.
  func badge(_ text: String, _ colour: Colour) -> String {
    if isColourful { return "\u{1B}[\(colour.ground)m\(text)\u{1B}[0m" }
    var characters = Array(text)
    if characters.count > 1, characters.last == " " { characters[characters.count - 1] = "]" }
    if characters.first == " " { characters[0] = "[" }
    return String(characters)
  }

  /// Coloured text.
  func glow(_ text: String, _ colour: Colour) -> String {
    isColourful ? "\u{1B}[\(colour.letters)m\(text)\u{1B}[0m" : text
  }
}

extension Paint.Colour {
  /// By ECMA-48: what is written on, and in what.
  fileprivate var ground: String {
    switch self {
    case .green: "42;30"
    case .red: "41;97"
    case .amber: "43;30"
    }
  }

  fileprivate var letters: String {
    switch self {
    case .green: "32"
    case .red: "31"
    case .amber: "33"
    }
  }
}
