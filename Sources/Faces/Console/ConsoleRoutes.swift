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
    if setting.configuration.hasPages { router.add(middleware: PageProblems(language: setting.configuration.language)) }
    router.add(middleware: KnownHosts(setting))
    router.add(middleware: RequestForm(setting.tokens))
    addHealth(to: router)
    let asked = router.group().add(middleware: TokenMiddleware(setting.tokens))
    addMetrics(to: asked)
    addAPI(to: asked)
    if setting.configuration.hasPages, let access = setting.access { addPages(to: router, access) }
    return router.buildResponder()
  }
}

/// A group of routes of which each request's caller is known, where it has one.
typealias ConsoleGroup = RouterGroup<ConsoleContext>
