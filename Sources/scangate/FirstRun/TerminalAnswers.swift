import FirstRun
import Glibc

/// The terminal that a first run asks in: draws what is to be seen, and hides what is typed where it is a key.
struct TerminalAnswers {
  private let texts: FirstRunTexts
  private var saved: termios?
  private var isHidden = false

  init(_ texts: FirstRunTexts) {
    self.texts = texts
    var now = termios()
    if isatty(STDIN_FILENO) != 0, tcgetattr(STDIN_FILENO, &now) == 0 { saved = now }
  }

  /// The terminal as it was, to be put back by whoever ends the process.
  var settings: termios? { saved }

  /// Shows what is to be seen.
  mutating func show(_ view: FirstRunView) {
    hide(view.field?.isSecret == true)
    Terminal.out("")
    let width = Self.width
    func tell(_ text: String, indent: String = "", _ out: (String) -> Void = Terminal.out) {
      for line in Self.wrapped(indent + text, to: width, indent: indent) { out(line) }
    }
    if let fault = view.fault { tell("! \(texts(fault))", Terminal.error) }
    let title = texts(view.title)
    tell(view.isOver ? title : "[\(view.step)/\(FirstRunView.steps)] \(title)")
    for line in view.words { tell(texts(line), indent: "  ") }
    if let code = view.code, let picture = try? CodePicture(code) { picture.show() }
    for line in view.text { Terminal.out("    \(line)") }
    for choice in view.choices { tell("\(choice.id)  \(texts(choice.label))", indent: "  ") }
    guard !view.isWaiting, !view.isOver else { return }
    let suggestion = view.field.map { $0.suggestion.isEmpty ? "" : " [\($0.suggestion)]" } ?? ""
    Terminal.write("\(texts(view.field?.label ?? .own(.answer)))\(suggestion): ")
  }

  /// How many columns the terminal has; `nil` where that is not known.
  private static var width: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return nil }
    return Int(size.ws_col)
  }

  /// Lines of whole words, where a terminal would break them anywhere. A word that is longer than a line stays whole.
  static func wrapped(_ text: String, to width: Int?, indent: String) -> [String] {
    guard let width, text.count > width else { return [text] }
    var lines: [String] = []
    var line = indent
    for word in text.dropFirst(indent.count).split(separator: " ") {
      if line.count > indent.count, line.count + 1 + word.count > width {
        lines.append(line)
        line = indent
      }
      line += (line.count > indent.count ? " " : "") + word
    }
    return lines + [line]
  }

  /// Shows what is typed again.
  mutating func end() { hide(false) }

  private mutating func hide(_ isWanted: Bool) {
    guard let saved, isWanted != isHidden else { return }
    var now = saved
    // Lines stay lines; nothing of them is shown.
    if isWanted { now.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
    _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &now)
    if !isWanted { Terminal.out("") }
    isHidden = isWanted
  }
}
