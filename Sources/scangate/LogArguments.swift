import ArgumentParser
import Gateway
import Logging

/// What the operator wants in the log.
struct LogArguments: ParsableArguments {
  /// The least that a line must matter, by syslog's names.
  enum Level: String, ExpressibleByArgument, CaseIterable {
    case debug, info, notice, warning, error
  }

  @Option(
    name: .customLong("log-level"),
    help: ArgumentHelp("Log what matters as much, and more: each verdict is info.", valueName: "level"))
  var level = Level.info

  @Flag(
    name: .customLong("log-holders"),
    help: "Name tickets' holders in the log. Without this they are in no log; events have them.")
  var namesHolders = false

  /// The level, as the logger calls it.
  var loggerLevel: Logger.Level { Self.level(level) }

  /// A level, as the logger calls it.
  static func level(_ level: Level) -> Logger.Level {
    switch level {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}

/// Who drives the outputs, as commands that use them are told.
struct OutputPlaceArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The socket of the output holder, which then drives relays, lamps and buzzers. Without it this process does.",
      valueName: "socket"), completion: .file())
  var holder: String?

  var outputs: OutputPlace { holder.map { .holder(path: $0) } ?? .own }
}
