import HTTPTypes
import Hummingbird

/// The kiosk service as the document has it.
struct DocumentKiosks: Sendable {
  let controller: KioskController

  /// The longest id or version that is taken, in bytes.
  private static let longest = 100
  private static let statuses = ["available", "in-use", "meeting", "brb", "lunch", "unavailable"]

  func add(to router: Router<VisitorContext>) {
    on(router, "/api/health", .get) { _, context in success(context, ["status": "ok"]) }
    on(router, "/api/register-kiosk", .post, register)
    on(router, "/api/kiosks/activate", .post, activate)
    on(router, "/api/kiosks/configuration", .get) { request, context in
      let kiosk = try await known(request, context)
      return success(context, try await controller.document(of: kiosk.id))
    }
    on(router, "/api/kiosks/validate-token", .post) { request, context in
      let kiosk = try await known(request, context)
      return success(context, ["valid": true, "kioskId": .string(kiosk.id)])
    }
    on(router, "/api/kiosks/:id/status", .put, status)
  }

  private func register(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let fields = try await RequestFields(of: request)
    guard let id = fields["id"], id.utf8.count <= Self.longest, let version = fields["version"],
      version.utf8.count <= Self.longest
    else { return refusal(context, .badRequest, "INVALID_REQUEST", "id and version are required") }
    if controller.configuration.kioskToken != nil, !controller.isKioskToken(fields["token"]) {
      return refusal(context, .unauthorized, "INVALID_TOKEN", "The registration token is not known")
    }
    try await controller.register(id, version: version)
    return success(context, ["id": .string(id), "message": "registered"])
  }

  private func activate(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    if let wait = controller.wait(context) {
      var answer = refusal(context, .tooManyRequests, "TOO_MANY_REQUESTS", "Too many wrong activation codes")
      answer.headers[.retryAfter] = String(wait)
      return answer
    }
    let fields = try await RequestFields(of: request)
    guard let code = fields["activationCode"], (fields["kioskId"] ?? "").utf8.count <= Self.longest else {
      return refusal(context, .badRequest, "INVALID_REQUEST", "activationCode is required")
    }
    switch try await controller.activate(code, as: fields["kioskId"], .init(givesToken: true)) {
    case .activated(let kioskID, let token, let expires):
      // The one answer without an envelope.
      let told = Timestamp(seconds: (expires ?? controller.now.seconds) + Int64(context.clockError))
      return .ok([
        "success": true, "token": .optional(token), "kioskId": .string(kioskID), "expiresAt": .string(told.utc),
      ])
    case .unknownCode:
      controller.countGuess(context)
      return refusal(context, .notFound, "INVALID_CODE", "The activation code is not known")
    case .expired: return refusal(context, .gone, "CODE_EXPIRED", "The activation code has expired")
    case .used: return refusal(context, .conflict, "CODE_USED", "The activation code has been used")
    case .unknownKiosk:
      return refusal(context, .notFound, "KIOSK_NOT_FOUND", "The activation code was made for another kiosk")
    }
  }

  private func status(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    let kiosk = try await known(request, context)
    guard try context.parameters.require("id") == kiosk.id else {
      return refusal(context, .forbidden, "FORBIDDEN", "The token is another kiosk's")
    }
    let fields = try await RequestFields(of: request)
    guard let status = fields["status"], Self.statuses.contains(status) else {
      return refusal(
        context, .badRequest, "INVALID_STATUS", "status must be one of \(Self.statuses.joined(separator: ", "))")
    }
    var isManual = false
    if let value = fields.value("manualOverride") {
      guard case .bool(let given) = value else {
        return refusal(context, .badRequest, "INVALID_REQUEST", "manualOverride must be true or false")
      }
      isManual = given
    }
    let time = fields["timestamp"]
    guard (time ?? "").utf8.count <= Self.longest else {
      return refusal(context, .badRequest, "INVALID_REQUEST", "timestamp is no time")
    }
    try await controller.note(status, at: time, isManual: isManual, of: kiosk.id)
    return success(
      context, ["kioskId": .string(kiosk.id), "status": .string(status), "manualOverride": .bool(isManual)])
  }

  private func known(_ request: Request, _ context: VisitorContext) async throws -> Kiosk {
    guard let kiosk = try await controller.kiosk(request) else {
      throw refusal(context, .unauthorized, "INVALID_TOKEN", "Authentication token is invalid or expired")
    }
    return kiosk
  }

  // MARK: Envelopes

  private func success(_ context: VisitorContext, _ data: JSONText) -> Answer {
    .ok(["success": true, "data": data, "timestamp": .string(controller.stamp(context).utc)])
  }

  private func refusal(
    _ context: VisitorContext, _ status: HTTPResponse.Status, _ code: String, _ message: String
  ) -> Answer {
    Self.refusal(controller.stamp(context), status, code, message)
  }

  /// A refusal in its envelope.
  static func refusal(
    _ now: Timestamp, _ status: HTTPResponse.Status, _ code: String, _ message: String
  ) -> Answer {
    Answer(
      status: status,
      body: [
        "success": false, "error": ["code": .string(code), "message": .string(message)], "timestamp": .string(now.utc),
      ])
  }

  private func on(
    _ router: Router<VisitorContext>, _ path: RouterPath, _ method: HTTPRequest.Method,
    _ answer: @escaping @Sendable (Request, VisitorContext) async throws -> Answer
  ) {
    router.on(path, method: method, use: answer)
    router.refuseOtherMethods(path, than: [method]) { _, context, _ in
      refusal(context, .methodNotAllowed, "METHOD_NOT_ALLOWED", "Use \(method)")
    }
  }
}
