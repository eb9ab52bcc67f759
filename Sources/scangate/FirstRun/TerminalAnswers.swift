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
    if let fault = view.fault { Terminal.error("! \(texts(fault))") }
    let title = texts(view.title)
    Terminal.out(view.isOver ? title : "[\(view.step)/\(FirstRunView.steps)] \(title)")
    for line in view.words { Terminal.out("  \(texts(line))") }
    if let code = view.code, let picture = try? CodePicture(code) { picture.show() }
    for line in view.text { Terminal.out("    \(line)") }
    for choice in view.choices { Terminal.out("  \(choice.id)  \(texts(choice.label))") }
    guard !view.isWaiting, !view.isOver else { return }
    let suggestion = view.field.map { $0.suggestion.isEmpty ? "" : " [\($0.suggestion)]" } ?? ""
    Terminal.write("\(texts(view.field?.label ?? .own(.answer)))\(suggestion): ")
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
