import HTTPTypes
import Hummingbird

/// What the Nova server does in its own way, beside what it has of the CueIT servers; with its beacon where the shape has it.
struct NovaKiosks: Sendable {
  let controller: KioskController
  /// The beacon's own count of tries.
  private let beacon: KioskController

  private static let statuses = ["available", "inUse", "meeting", "brb", "lunch", "unavailable"]

  init(controller: KioskController) {
    self.controller = controller
    beacon = KioskController(
      store: controller.store, configuration: controller.configuration, guesses: GuessLimit(most: 10, length: 900))
  }

  func add(to router: Router<VisitorContext>) {
    router.post("/api/kiosks/activate") { try await activate($0, $1) }
    router.get("/api/kiosks/:id/remote-config") { try await remoteConfiguration($0, $1) }
    router.put("/api/kiosks/:id/status") { try await status($0, $1) }
    guard controller.configuration.kioskShape == .novaBeacon else { return }
    router.post("/api/v2/beacon/activate") { try await activateBeacon($0, $1) }
    router.get("/api/v2/beacon/config") { request, context in
      // Its middleware never says which kiosk asks, so none is ever found.
      let token =
        HTTPField.Name("X-Kiosk-Token").flatMap { request.headers[$0] }
        ?? request.uri.queryParameters["kioskToken"].map { String($0) }
      guard let token, token.utf8.count >= 10 else {
        return Self.beaconError(.unauthorized, "Kiosk token required", "UNAUTHORIZED")
      }
      return Self.beaconError(.notFound, "Kiosk not found", "KIOSK_NOT_FOUND")
    }
  }

  private func activate(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let fields = try await RequestFields(of: request)
    guard let kioskID = fields["kioskId"], let code = fields["activationCode"] else {
      return .error(.badRequest, "Missing kioskId or activationCode")
    }
    // Where there is a beacon, it alone takes the codes that are made.
    guard controller.configuration.kioskShape != .novaBeacon,
      case .activated = try await controller.activate(code, as: kioskID, .init())
    else { return .error(.unauthorized, "Invalid activation code") }
    return .ok(["message": "Kiosk activated successfully", "kioskId": .string(kioskID), "activated": true])
  }

  private func remoteConfiguration(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let id = try context.parameters.require("id")
    guard try await isKnown(request, as: id) else { return .error(.unauthorized, "Unauthorized") }
    guard try await controller.kiosk(id) != nil else { return .error(.notFound, "Kiosk not found") }
    let document = try await controller.document(of: id).text()
    // The id comes first in the real one, and is no part of what is kept.
    let body = "{\"kioskId\":\(JSONText.string(id).text())," + document.dropFirst()
    return .ok(["config": .json(body)])
  }

  private func status(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let id = try context.parameters.require("id")
    guard try await isKnown(request, as: id) else { return .error(.unauthorized, "Unauthorized") }
    let fields = try await RequestFields(of: request)
    guard let status = fields["status"] else { return .error(.badRequest, "Status is required") }
    guard Self.statuses.contains(status) else { return .error(.badRequest, "Invalid status value") }
    guard try await controller.kiosk(id) != nil else { return .error(.notFound, "Kiosk not found") }
    // What it does not know it does not keep: whether staff have set it.
    let time = fields["timestamp"].map { String($0.prefix(100)) } ?? controller.stamp(context).javaScript
    try await controller.note(status, at: time, isManual: false, of: id)
    return .ok([
      "message": "Status updated successfully", "kioskId": .string(id), "status": .string(status),
      "timestamp": .string(time),
    ])
  }

  private func isKnown(_ request: Request, as id: String) async throws -> Bool {
    if controller.isKioskToken(KioskController.bearer(request)) { return true }
    return try await controller.kiosk(request, parties: .nova)?.id == id
  }

  private func activateBeacon(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let wait = beacon.wait(context)
    if wait == nil { beacon.countGuess(context) }
    var answer = wait == nil ? try await beaconAnswer(request) : Self.tooMany
    let limits = [
      ("X-RateLimit-Limit", "\(beacon.mostGuesses)"), ("X-RateLimit-Remaining", "\(beacon.guessesLeft(context))"),
    ]
    for (name, value) in limits {
      if let name = HTTPField.Name(name) { answer.headers[name] = value }
    }
    if let wait { answer.headers[.retryAfter] = String(wait) }
    return answer
  }

  private func beaconAnswer(_ request: Request) async throws -> Answer {
    let fields = try await RequestFields(of: request)
    guard let code = fields["activationCode"], (6...32).contains(code.utf8.count),
      let device = fields.object("deviceInfo")["deviceId"], device.utf8.count <= 100
    else { return Self.beaconError(.badRequest, "Validation failed", "VALIDATION_ERROR") }
    // Who asks is whom the code was made for.
    guard
      case .activated(let id, _, _) = try await controller.activate(code, as: device, .init(isWhomItWasMadeFor: true))
    else { return Self.beaconError(.notFound, "Invalid or expired activation code", "INVALID_ACTIVATION_CODE") }
    var random = SystemRandomNumberGenerator()
    let configuration = try await controller.document(of: id)
    let room = try await controller.text("roomName", of: configuration)
    return .ok([
      "success": true, "token": .string(Secret.hex(Secret.bytes(32, &random))),
      "kiosk": [
        "id": .string(id), "name": .optional(room), "location": nil, "isActive": true, "configuration": configuration,
      ],
      "message": "Kiosk activated successfully",
    ])
  }

  private static var tooMany: Answer {
    Answer(
      status: .tooManyRequests,
      body: ["error": "Too many requests", "message": "Too many activation attempts"])
  }

  private static func beaconError(_ status: HTTPResponse.Status, _ text: String, _ code: String) -> Answer {
    Answer(
      status: status,
      body: ["success": false, "error": .string(text), "errorCode": .string(code)])
  }
}
