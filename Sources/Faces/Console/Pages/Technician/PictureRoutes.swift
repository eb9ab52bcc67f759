import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration
import ScanModel
import StationProtocol

/// `/technician/picture`: one picture of a camera for a technician who asks for it, and what was read in it. It is stored nowhere: the
/// gateway makes it of a picture that it takes anyway, and the console has it until the browser has.
struct PictureRoutes: Sendable {
  private static let path = "/technician/picture"

  private let staff: StaffPage
  private let pictures = PagePictures()

  init(_ setting: ConsoleSetting, _ mirror: StationMirror) {
    staff = StaffPage(setting, mirror, path: Self.path, role: .technician, orders: [.picture])
  }

  func add(to pages: ConsoleGroup) {
    pages.post("/technician/picture") { try await page($0, $1) }
    pages.get("/technician/picture/:number") { request, context in try file(context) }
    // Who loads the page anew by its address comes to where pictures are asked for.
    pages.get("/technician/picture") { _, context -> Response in
      try context.requires(.technician)
      return Response.redirect(to: "/technician", type: .normal)
    }
  }

  private func page(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let caller = try context.requires(.technician)
    guard let name = context.pageForm?["reader"], (1...StationLimits.maximumName).contains(name.utf8.count) else {
      throw PageRefusal.malformed
    }
    let answer = await ask(for: ReaderID(name), caller)
    return try await staff.page("picture", request, context) { model, station, texts, time, orders in
      let reader = station.readers.first { $0.id.name == name }
      model.set("reader", .foreign(name, limit: 60))
      if reader?.isCamera == true, orders.contains(.picture) { model.set("again", .text(name)) }
      switch answer {
      case .success(.picture(let view)):
        let id = OrderID()
        pictures.keep(view.jpeg, id, for: caller)
        PictureModel(view: view, texts: texts, reader: name).fill(&model)
        model.set("source", .text("\(Self.path)/\(id)"))
      case .success(.refused(let refusal, let words)):
        model.set("trouble", .text(Self.words(of: refusal, reader, texts)))
        if refusal == .outOfService { model.set("detail", .foreign(words, limit: 400)) }
      case .success: model.set("trouble", .text(texts["picture.none"]))
      case .failure: model.set("trouble", .text(texts["order.away"]))
      }
    }
  }

  private func ask(for reader: ReaderID, _ caller: PageCaller) async -> Result<OrderOutcome, StationAbsence> {
    guard staff.setting.configuration.orders.contains(.picture) else { return .success(.refused(.notAllowed, "")) }
    do throws(StationAbsence) {
      _ = try await staff.mirror.snapshot(notOlderThan: .seconds(1))
      // A number of its own each time: a picture is never the one before.
      return .success(
        try await staff.mirror.perform(StationOrder(.picture(reader), who: caller.name), within: .seconds(5)))
    } catch {
      return .failure(error)
    }
  }

  private static func words(
    of refusal: OrderRefusal, _ reader: StationSnapshot.Reader?, _ texts: PageTexts
  ) -> String {
    switch refusal {
    case .notAllowed: texts["picture.notAllowed"]
    case .unknown: texts["picture.unknown"]
    case .nothingThere: texts["picture.noCamera"]
    case .tooMany, .busy: texts["picture.tooSoon"]
    case .outOfService where reader?.condition.state == "parked": texts["picture.unplugged"]
    default: texts["picture.none"]
    }
  }

  private func file(_ context: ConsoleContext) throws -> Response {
    let caller = try context.requires(.technician)
    guard let id = context.parameters.get("number").flatMap({ OrderID(hexadecimal: $0) }),
      let jpeg = pictures.take(id, for: caller)
    else { throw ConsoleAnswer.notFound }
    return Response(
      status: .ok, headers: [.contentType: "image/jpeg", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: jpeg)))
  }
}

/// What the page of a picture shows. Pure.
struct PictureModel: Sendable {
  let view: CameraView
  let texts: PageTexts
  let reader: String

  func fill(_ model: inout PageModel) {
    model.set("width", .text(String(view.width)))
    model.set("height", .text(String(view.height)))
    model.set("alt", .foreign(texts("picture.alt", reader, String(view.seen.count)), limit: 300))
    model.set("corners", .markup(corners))
    model.set("light", .text(texts.named("light", view.light.rawValue)))
    model.set("isLit", .flag(view.light == .good))
    model.set("isFrozen", .flag(view.isFrozen))
    let rate = view.rate.map { "\($0 / 10).\($0 % 10)" } ?? "?"
    let facts = [
      (texts["picture.size"], view.format), (texts["picture.age"], "\(max(0, view.age.milliseconds)) ms"),
      (texts["picture.rate"], rate), (texts["picture.brightness"], "\(Int(view.brightness) * 100 / 255) %"),
    ]
    model.set("facts", .list(facts.map { ["name": .text($0.0), "value": .foreign($0.1, limit: 60)] }))
    model.set(
      "seen",
      .list(
        view.seen.prefix(StationLimits.maximumSeen).enumerated().map { index, seen in
          [
            "number": .text(String(index + 1)), "symbology": .foreign(seen.symbology, limit: 30),
            // The gateway has shortened it; one that has not is no reason to show more.
            "code": .foreign(
              seen.code.unicodeScalars.count <= 5 ? seen.code : Code(seen.code).shortened, limit: 8),
          ]
        }))
  }

  /// Where codes are, over the picture: numbers alone, so that nothing in it has to be escaped.
  private var corners: String {
    var shapes = ""
    for (index, seen) in view.seen.prefix(StationLimits.maximumSeen).enumerated() {
      guard let first = seen.corners.first else { continue }
      let points = seen.corners.map { "\($0.x),\($0.y)" }.joined(separator: " ")
      shapes += "<polygon points=\"\(points)\"/><text x=\"\(first.x)\" y=\"\(first.y)\">\(index + 1)</text>"
    }
    return "<svg viewBox=\"0 0 \(max(1, view.width)) \(max(1, view.height))\" aria-hidden=\"true\">\(shapes)</svg>"
  }
}
