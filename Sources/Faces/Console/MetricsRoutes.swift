import Hummingbird

extension ConsoleRoutes {
  /// `/metrics`.
  func addMetrics(to group: ConsoleGroup) {}
}
