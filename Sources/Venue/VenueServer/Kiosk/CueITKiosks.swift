import HTTPTypes
import Hummingbird

/// The CueIT servers, and what the Nova server has kept of them.
///
/// Neither has `configuration` or `validate-token`: a `GET` of these is one of the kiosk of that name, which nobody has, and
/// therefore `{}`.
struct CueITKiosks: Sendable {
  let controller: KioskController
  private var shape: KioskShape { controller.configuration.kioskShape }

  func add(to router: Router<VisitorContext>) {
    router.get("/api/health") { _, context in health(context) }
    router.post("/api/register-kiosk") { try await register($0, $1) }
    router.get("/api/kiosks/:id") { try await row($0, $1) }
    if shape == .cueit || shape == .cueitJWT {
      router.post("/api/kiosks/activate") { try await activate($0, $1) }
    }
    switch shape {
    case .cueit: router.get("/api/kiosks/:id/remote-config") { try await remoteConfiguration($0, $1) }
    // For administrators only: no kiosk's token is one.
    case .cueitJWT:
      router.put("/api/kiosks/:id/status") { _, _ in Answer.error(.unauthorized, "unauthenticated") }
    default: break
    }
  }

  private func health(_ context: VisitorContext) -> Answer {
    if shape == .cueitJWT { return .ok(["ok": true]) }
    return .ok(["status": "ok", "timestamp": .string(controller.stamp(context).javaScript), "cors": "no-origin"])
  }

  private func register(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let fields = try await RequestFields(of: request)
    let isKnown = controller.isKioskToken(fields["token"])
    if shape == .cueitJWT {
      let isFree = controller.configuration.kioskToken == nil
      guard isFree || isKnown || controller.isKioskToken(KioskController.bearer(request)) else {
        return .error(.unauthorized, "unauthorized")
      }
      guard fields["id"] != nil else { return .error(.badRequest, "Missing id") }
    }
    guard let id = fields["id"], shape == .cueitJWT ? id.utf8.count <= 100 : Self.isUUID(id) else {
      return .error(.badRequest, "Invalid kiosk ID format")
    }
    if shape != .cueitJWT, !isKnown { return .error(.unauthorized, "Invalid kiosk token") }
    try await controller.register(id, version: String((fields["version"] ?? "1.0.0").prefix(20)))
    return .ok(["message": "registered"])
  }

  private func activate(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let fields = try await RequestFields(of: request)
    let isEarly = shape == .cueitJWT
    guard let kioskID = fields["kioskId"], let code = fields["activationCode"] else {
      return Self.error(.badRequest, "Missing kioskId or activationCode", isEarly ? nil : "MISSING_PARAMETERS")
    }
    // Looked at as it came: a code in lower case has no good format, although the next step would not mind.
    if !isEarly, !Self.isCode(code) {
      return Self.error(.badRequest, "Invalid activation code format", "INVALID_CODE_FORMAT")
    }
    switch try await controller.activate(code, as: kioskID, .init(givesToken: isEarly, wantsRegistered: !isEarly)) {
    case .activated(_, let token?, _):
      return .ok([
        "message": "Kiosk activated successfully", "token": .string(token), "kioskId": .string(kioskID),
      ])
    case .activated:
      return .ok(["message": "Kiosk activated successfully", "kioskId": .string(kioskID), "active": true])
    case .unknownKiosk where !isEarly: return Self.error(.notFound, "Kiosk not found", "KIOSK_NOT_FOUND")
    case .unknownCode, .expired, .used, .unknownKiosk:
      return isEarly
        ? .error(.unauthorized, "Invalid or expired activation code")
        : Self.error(.badRequest, "Invalid or expired activation code", "INVALID_OR_EXPIRED_CODE")
    }
  }

  /// `GET /api/kiosks/:id`: the row of the table.
  private func row(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let id = try context.parameters.require("id")
    guard try await mayRead(id, request) else { return .error(.unauthorized, "Unauthorized") }
    guard let kiosk = try await controller.kiosk(id) else { return .ok([:]) }
    return .ok([
      "id": .string(kiosk.id), "last_seen": .string(Timestamp(kiosk.seen).javaScript),
      "version": .string(kiosk.version), "active": .integer(kiosk.activated == nil ? 0 : 1), "logoUrl": nil,
      "bgUrl": nil, "statusEnabled": 0, "currentStatus": .optional(kiosk.status), "openMsg": nil, "closedMsg": nil,
      "errorMsg": nil, "schedule": nil, "directoryEnabled": false, "directoryProvider": "mock",
    ])
  }

  /// The earlier server lets a kiosk read its own row only, by its own token.
  private func mayRead(_ id: String, _ request: Request) async throws -> Bool {
    if shape == .cueitJWT { return try await controller.kiosk(request)?.id == id }
    if controller.isKioskToken(KioskController.bearer(request)) { return true }
    return shape.family == .nova ? try await controller.kiosk(request, parties: .nova)?.id == id : false
  }

  private func remoteConfiguration(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    guard controller.isKioskToken(KioskController.bearer(request)) else {
      return .error(.unauthorized, "unauthenticated")
    }
    guard let kiosk = try await controller.kiosk(try context.parameters.require("id")) else {
      return .error(.notFound, "Kiosk not found")
    }
    return .ok([
      "config": try await controller.document(of: kiosk.id), "adminPins": ["global": nil, "kiosk": nil],
      "lastUpdate": .string(controller.stamp(context).javaScript), "version": 1,
      "permissions": [
        "canEditStatus": true, "canEditSchedule": true, "canEditBranding": true, "canEditOfficeHours": false,
      ],
    ])
  }

  static func error(_ status: HTTPResponse.Status, _ text: String, _ code: String?) -> Answer {
    let code = code.map { [(key: "errorCode", value: JSONText.string($0))] } ?? []
    return Answer(status: status, body: .object([(key: "error", value: .string(text))] + code))
  }

  /// A UUID of version 1 to 5, in either case.
  static func isUUID(_ text: String) -> Bool {
    let parts = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map { [UInt8]($0.utf8) }
    guard parts.map(\.count) == [8, 4, 4, 4, 12] else { return false }
    let digits = [UInt8]("0123456789abcdef".utf8)
    return parts.allSatisfy { $0.allSatisfy(digits.contains) } && (0x31...0x35).contains(parts[2][0])
      && [UInt8]("89ab".utf8).contains(parts[3][0])
  }

  private static func isCode(_ text: String) -> Bool {
    (6...8).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }
}
