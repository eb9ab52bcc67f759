import HTTPTypes
import Hummingbird

/// `POST /enrol`: a one-time secret for the ticket system's address and an API key; docs/set-up.md has the exchange.
struct EnrolmentController: Sendable {
  /// Wrong secrets are counted here: ten a minute from an address.
  let controller: KioskController
  /// What the station is to use from then on.
  let address: PublicAddress

  private static let longest = 200

  func add(to router: Router<VisitorContext>) {
    router.post("/enrol") { try await enrol($0, $1) }
    router.refuseOtherMethods("/enrol", than: [.post]) { _, _, _ in
      Self.refusal(.methodNotAllowed, "METHOD_NOT_ALLOWED", "Use POST")
    }
  }

  private func enrol(_ request: Request, _ context: VisitorContext) async throws -> Answer {
    if let wait = controller.wait(context) {
      var answer = Self.refusal(.tooManyRequests, "TOO_MANY_REQUESTS", "Too many wrong enrolment secrets")
      answer.headers[.retryAfter] = String(wait)
      return answer
    }
    let fields = try await RequestFields(of: request)
    let station = fields.object("station")
    guard let secret = fields["secret"], let id = station["id"], id.utf8.count <= Self.longest else {
      return Self.refusal(.badRequest, "INVALID_REQUEST", "secret and station.id are required")
    }
    guard let bytes = Base32.bytes(secret), bytes.count == EnrolmentBook.secretLength else {
      controller.countGuess(context)
      return Self.unknown
    }
    let (now, url, gate) = (controller.now, address.url(for: request), fields["gate"])
    let outcome = try await controller.store.write { db in
      try EnrolmentBook(db: db, now: now).enrol(bytes, station: id, gate: gate, url: url)
    }
    switch outcome {
    case .unknown:
      controller.countGuess(context)
      return Self.unknown
    case .expired: return Self.refusal(.gone, "SECRET_EXPIRED", "The enrolment secret has expired")
    case .used: return Self.refusal(.conflict, "SECRET_USED", "The enrolment secret has been used")
    case .otherStation:
      return Self.refusal(.forbidden, "STATION_UNKNOWN", "The enrolment secret was made for another station")
    case .otherGate:
      return Self.refusal(.badRequest, "INVALID_REQUEST", "The enrolment secret was made for another gate")
    case .enrolled(let gate, let url, let apiKey):
      return .ok([
        "ticketSystem": ["type": "eventschedule", "url": .string(url), "apiKey": .string(apiKey)],
        "gate": [
          "name": .string(gate.name), "saleTicket": gate.saleTicket.map { .integer($0) } ?? .null,
          "seat": .optional(gate.seat),
        ],
      ])
    }
  }

  private static var unknown: Answer {
    refusal(.notFound, "SECRET_UNKNOWN", "The enrolment secret is not known")
  }

  private static func refusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Answer {
    Answer(
      status: status,
      body: ["error": ["code": .string(code), "message": .string(message)]])
  }
}
