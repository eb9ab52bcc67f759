/// How weighty a line of the log is; the raw values are syslog's, which sd-daemon(3) takes as a prefix.
package enum HolderLogLevel: Int, Sendable {
  /// Something does not work.
  case error = 3
  /// Something is not as it should be.
  case warning = 4
  /// Somebody may want to know.
  case notice = 5
}

/// Takes a line for the operator; from any thread, and at once.
package typealias HolderLog = @Sendable (HolderLogLevel, String) -> Void
