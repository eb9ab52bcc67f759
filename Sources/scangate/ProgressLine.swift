import Gateway
import Glibc
import LinuxIO
import Synchronization

/// How far a command is, in one line of a terminal that is rewritten and is gone at the end. What is done within a second, or is
/// watched by nobody, says nothing.
final class ProgressLine: Sendable {
  private struct State {
    var text = ""
    var shown = ""
    var isOver = false
  }

  private let state = Mutex(State())

  /// Begins to count.
  /// - Parameter patience: how long nothing is said.
  init(patience: Duration = .seconds(1)) {
    guard isatty(STDERR_FILENO) != 0, getenv("TERM").map({ String(cString: $0) }) != "dumb" else { return }
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
    state.withLock { state in
      state.isOver = true
      if !state.shown.isEmpty { Terminal.note("\r\u{1B}[K") }
      state.shown = ""
    }
  }

  /// - Returns: whether there will be more.
  private func redraw() -> Bool {
    state.withLock { state in
      if state.isOver { return false }
      guard state.text != state.shown else { return true }
      // A line that is wrapped could not be rewritten.
      Terminal.note("\r\u{1B}[K" + TerminalText.clean(state.text, limit: 70))
      state.shown = state.text
      return true
    }
  }
}
