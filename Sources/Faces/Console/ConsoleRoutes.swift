import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration

/// What the console answers, and what surrounds it.
struct ConsoleRoutes {
  let setting: ConsoleSetting
  let mirror: StationMirror

  func responder() -> RouterResponder<ConsoleContext> {
    let router = Router(context: ConsoleContext.self)
    // Outermost first.
    router.add(middleware: EveryAnswer(logger: setting.logger))
    router.add(middleware: KnownHosts(setting))
    router.add(middleware: RequestForm(setting.tokens))
    addHealth(to: router)
    let asked = router.group().add(middleware: TokenMiddleware(setting.tokens))
    addMetrics(to: asked)
    addAPI(to: asked)
    if let access = setting.access {
      let pages = router.group().add(middleware: PageGuard(setting, access))
      addSignIn(to: pages, access)
    }
    return router.buildResponder()
  }
}

/// A group of routes of which each request's caller is known, where it has one.
typealias ConsoleGroup = RouterGroup<ConsoleContext>
