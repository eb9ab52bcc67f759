internal import Gateway
internal import Glibc
package import LinuxIO
package import Logging
internal import ScanModel

/// The operator's log on standard error, written by a thread of its own: the threads that log (the outputs' among them, which
/// end relay pulses) never wait for a terminal.
package struct OperatorLog: Sendable {
  /// For everything that logs.
  package let logger: Logger
  private let writer: LineWriter
  /// The log's own thread, for what puts events into words.
  package var executor: (any TaskExecutor)? { writer.loop.tasks }

  /// Begins the log.
  package init(level: Logger.Level = .info) throws(SystemError) {
    let writer = try LineWriter(try OwnedDescriptor.duplicate(of: STDERR_FILENO), thread: "log") { _ in }
    var logger = Logger(label: "scangate") { _ in Handler(writer: writer) }
    logger.logLevel = level
    self.logger = logger
    self.writer = writer
  }

  /// Writes what is still to be written, for a second at most.
  package func finish() async { await writer.finish() }

  private struct Handler: LogHandler {
    let writer: LineWriter
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    init(writer: LineWriter) { self.writer = writer }

    func log(event: LogEvent) {
      writer.write(
        // The journal keeps times and levels itself, the level as sd-daemon(3) writes it.
        SystemJournal.isRead
          ? "<\(event.level.syslog)>\(event.message)"
          : "\(SystemTime().wall().iso8601) \(event.level): \(event.message)")
    }
  }
}

extension Logger.Level {
  /// The level by syslog(3).
  fileprivate var syslog: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}
