import Hummingbird

extension ConsoleRoutes {
  /// `/api/v1/`.
  func addAPI(to group: ConsoleGroup) {}
}
