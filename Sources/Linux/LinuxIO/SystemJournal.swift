internal import Glibc

/// The system's journal at the other end of standard error.
package enum SystemJournal {
  /// How much a line matters, by syslog(3).
  package enum Priority: Int, Sendable {
    /// Somebody has to act.
    case error = 3
    /// Something is not in order.
    case warning = 4
  }

  /// Whether standard error is the journal's own stream, as systemd has told (systemd.exec(5), `$JOURNAL_STREAM`): a shell under
  /// a service inherits the variable, and may have its errors elsewhere.
  package static let isRead: Bool = {
    var status = stat()
    guard let told = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: told) == "\(status.st_dev):\(status.st_ino)"
  }()

  /// Each line with its priority before it, as sd-daemon(3) has it, where the journal reads them; else as they are.
  package static func marked(_ lines: String, _ priority: Priority) -> String {
    guard isRead else { return lines }
    return lines.split(separator: "\n", omittingEmptySubsequences: true).map { "<\(priority.rawValue)>\($0)" }
      .joined(separator: "\n")
  }
}
