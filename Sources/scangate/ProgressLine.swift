import ScanModel
import Gateway
import Glibc
import LinuxIO
import Synchronization

/// How far a command is, in one line of a terminal that is rewritten and is gone at the end. What is done within a second, or is
/// watched by nobody, says nothing. Whatever else is printed meanwhile stands where the line was.
final class ProgressLine: Sendable {
  private struct State {
    var text = ""
    var shown = ""
    var isOver = false
  }

  /// The one of this process.
  private static let current = Mutex<ProgressLine?>(nil)

  private let state = Mutex(State())

  /// Begins to count.
  /// - Parameters:
  ///   - text: what is done, until something else is said.
  ///   - isShown: whether anything may be said at all.
  ///   - patience: how long nothing is said.
  init(_ text: String = "", isShown: Bool = true, patience: Duration = .seconds(1)) {
    state.withLock { $0.text = text }
    guard isShown, isatty(STDERR_FILENO) != 0, getenv("TERM").map({ String(cString: $0) }) != "dumb" else { return }
    Self.current.withLock { $0 = self }
    // The command itself may be held up, by a disk or in a sort.
    try? SystemThread.start("progress") { [self] in
      var pause = patience
      while true {
        var time = timespec()
        time.tv_sec = Int(pause.components.seconds)
        time.tv_nsec = Int(pause.components.attoseconds / 1_000_000_000)
        nanosleep(&time, nil)
        pause = .milliseconds(200)
        if !redraw() { return }
      }
    }
  }

  /// Says how far it is; costs little.
  func show(_ text: String) { state.withLock { $0.text = text } }

  /// Leaves the terminal as it was.
  func end() {
    state.withLock { $0.isOver = true }
    hide()
  }

  /// Makes room for other words.
  static func makeRoom() { current.withLock { $0 }?.hide() }

  private func hide() {
    state.withLock { state in
      if !state.shown.isEmpty { Terminal.draw("\r\u{1B}[K") }
      state.shown = ""
    }
  }

  /// - Returns: whether there will be more.
  private func redraw() -> Bool {
    state.withLock { state in
      if state.isOver { return false }
      guard state.text != state.shown else { return true }
      // A line that is wrapped could not be rewritten.
      Terminal.draw("\r\u{1B}[K" + TerminalText.clean(state.text, limit: 70))
      state.shown = state.text
      return true
    }
  }
}
