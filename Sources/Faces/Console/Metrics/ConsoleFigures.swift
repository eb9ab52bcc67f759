package import Alerts
package import ScanModel

/// What the console tells of itself on the page of metrics.
package struct ConsoleFigures: Sendable, Equatable {
  /// The program's version.
  package var version: String
  /// When it was started.
  package var startedAt: WallTime
  /// What it takes of the machine.
  package var process: ProcessFigures
  /// What alerts have come to; `nil` where nobody is told.
  package var alerts: AlertFigures?
  /// When its own certificate ends; `nil` where it has none.
  package var certificateEnds: WallTime?

  package init(version: String, startedAt: WallTime, process: ProcessFigures) {
    self.version = version
    self.startedAt = startedAt
    self.process = process
  }
}
