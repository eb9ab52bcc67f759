import Hummingbird

extension ConsoleRoutes {
  /// `/healthz` and `/readyz`.
  func addHealth(to router: Router<ConsoleContext>) {}
}
