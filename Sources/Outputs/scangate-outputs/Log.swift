import Glibc
import LinuxIO
import OutputHolder

/// Lines for the operator, on the standard error.
enum Log {
  /// Makes the log; with the priorities of sd-daemon(3) where the journal reads it.
  static func make() -> HolderLog {
    let isJournal = SystemJournal.isRead
    return { level, words in
      // One line, whatever a peer's or a device's words contain.
      let line = words.map { $0.isNewline ? " " : $0 }
      let text = (isJournal ? "<\(level.rawValue)>" : "") + String(line) + "\n"
      // Threads that end pulses log here: a journal that does not read costs a line, never a pulse.
      var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLOUT) != 0 else { return }
      _ = write(STDERR_FILENO, text, text.utf8.count)
    }
  }
}
