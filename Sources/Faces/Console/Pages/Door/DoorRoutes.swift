import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration
import ScanModel

/// `/door/GATE`, a full screen at one gate, and the stream that keeps it and the attendant's page live.
struct DoorRoutes: Sendable {
  /// After how many seconds a page loads itself anew where there is no script.
  private static let refresh = 2
  /// Where pages of no one gate are told whether the station answers.
  private static let stationPath: RouterPath = "/pages/station/events"
  /// What a stream begins with: that whoever loses it shall come back after a second.
  private static let opening = ByteBuffer(string: "retry: 1000\n\n")

  let setting: ConsoleSetting
  let hub: DoorHub

  /// The browser has gone, or the console ends: nothing more is read of this connection.
  private struct StreamEnd: Error {}

  func add(to pages: ConsoleGroup) {
    pages.get("/door/:gate") { try await page($0, $1) }
    pages.get("/pages/door/:gate/events") { request, context in
      let gate = try Self.gate(context)
      return try stream(of: gate, for: context.requires(.door, at: gate.name), request, context)
    }
    // Pages of staff: whether the station answers.
    pages.get(Self.stationPath) { request, context in
      try stream(of: nil, for: context.requires(.technician, .organiser), request, context)
    }
  }

  /// The gate that a path names.
  static func gate(_ context: ConsoleContext) throws(ConsoleAnswer) -> GateID {
    guard let step = context.parameters.get("gate"), let name = PagePath.name(step), (1...255).contains(name.utf8.count)
    else { throw .notFound }
    return GateID(name)
  }

  private func page(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let gate = try Self.gate(context)
    try context.requires(.door, at: gate.name)
    let texts = setting.texts(for: request, context)
    let (face, colours) = await hub.look(at: gate)
    let name = TerminalText.clean(gate.name, limit: ShownScan.longestFact)
    let model = Self.model(of: gate, face, texts, at: SystemTime())
    var page = PageLayout("door", title: texts("door.title", name), kind: "door", model)
    page.isLive = true
    // A screen paints after one answer, not two: the console is asked when a machine is busy with its browser's start.
    page.styles = [PageStatic.styleWithin] + (colours.map { [StyleWithin($0.style)] } ?? [])
    page.refresh = Self.refresh
    if case .noGate = face { page.status = .notFound }
    return page.response(texts)
  }

  /// What the page of a gate has of its face.
  static func model(
    of gate: GateID, _ face: DoorBoards.Face, _ texts: PageTexts, at time: some TimeSource
  ) -> PageModel {
    let clock = PageTime(now: time.wall())
    var station: String?
    if case .gate(let idle, _) = face { station = idle.station }
    return [
      "gate": .foreign(gate.name, limit: ShownScan.longestFact), "station": station.map { .text($0) },
      "step": .text(PagePath.step(gate.name)), "clock": .text(clock.clock),
      "face": .part(DoorWords(face, texts, at: time.now(), clock).model),
    ]
  }

  private func stream(
    of gate: GateID?, for caller: PageCaller, _ request: Request, _ context: ConsoleContext
  ) throws -> Response {
    let language = setting.texts(for: request, context).language
    guard let watch = hub.watch(gate, in: language) else {
      throw ConsoleAnswer(
        .serviceUnavailable, "tooManyStreams",
        "As many pages are open as may be (\(DoorHub.mostStreams)). Close one of them.", [.retryAfter: "5"])
    }
    context.closing.whenComplete { _ in watch.end() }
    let body = ResponseBody { writer in
      defer { watch.end() }
      try await writer.write(Self.opening)
      for await _ in watch.wakes {
        // Whoever is signed out meanwhile, or revoked, sees no more.
        guard setting.access?.isCurrent(caller) ?? false else { break }
        let buffers = watch.take()
        if !buffers.isEmpty { try await writer.write(contentsOf: buffers) }
      }
      try await writer.finish(nil)
      throw StreamEnd()
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }
}
