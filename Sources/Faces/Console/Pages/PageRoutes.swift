import HTTPTypes
import Hummingbird
import ScanConfiguration
import ScanModel
import StationProtocol

extension ConsoleRoutes {
  /// The pages for people.
  func addPages(to router: Router<ConsoleContext>, _ access: PageAccess) {
    router.get("/static/:name") { _, context in try PageStatic.respond(to: context.parameters.get("name") ?? "") }
    let pages = router.group().add(middleware: PageGuard(setting, access))
    addSignIn(to: pages, access)
    let home = HomePage(setting: setting, mirror: mirror)
    let hub = DoorHub(mirror)
    DoorRoutes(setting: setting, hub: hub).add(to: pages)
    AttendantRoutes(setting: setting, mirror: mirror, hub: hub).add(to: pages)
    let reports = PageReports(setting: setting, client: setting.reports)
    TechnicianRoutes(setting, mirror, reports).add(to: pages)
    PictureRoutes(setting, mirror).add(to: pages)
    OrganiserRoutes(setting, mirror, reports).add(to: pages)
    pages.get("/") { try await home.respond(to: $0, context: $1) }
  }
}

extension ConsoleSetting {
  /// The words of a page for whoever asks.
  func texts(for request: Request, _ context: ConsoleContext) -> PageTexts {
    .of(
      .choice(
        configured: configuration.language, own: context.pageCaller?.language,
        accepted: request.headers[.acceptLanguage]))
  }
}

/// `/`: where somebody may go, by what they are.
struct HomePage: Sendable {
  let setting: ConsoleSetting
  let mirror: StationMirror

  func respond(to request: Request, context: ConsoleContext) async throws -> Response {
    let caller = try context.requires(.door)
    let texts = setting.texts(for: request, context)
    // A door screen is at its door.
    if let gate = caller.gate { return .redirect(to: "/door/\(PagePath.step(gate))", type: .normal) }
    let station: StationSnapshot
    do throws(StationAbsence) {
      station = try await mirror.snapshot(notOlderThan: .seconds(1))
    } catch {
      throw ConsoleAnswer(.serviceUnavailable, "stationAway", "The gateway does not answer.", [.retryAfter: "1"])
    }
    let gates = station.gates.map { gate -> PageModel in
      ["name": .foreign(gate.id.name, limit: 60), "step": .text(PagePath.step(gate.id.name))]
    }
    let model: PageModel = [
      "station": .text(texts("home.title", station.station)), "gates": .list(gates),
      "attends": .flag(caller.role.includes(.attendant)), "technician": .flag(caller.role == .technician),
      "organiser": .flag(caller.role == .organiser), "isSignedIn": .flag(caller.role != .door),
      "mayGoOn": .flag(caller.sign == .loopback), "user": .foreign(caller.name, limit: 60),
      "form": .text(PageGuard.formToken(for: caller)),
    ]
    return PageLayout("home", title: texts("home.title", station.station), kind: "home", model).response(texts)
  }
}
