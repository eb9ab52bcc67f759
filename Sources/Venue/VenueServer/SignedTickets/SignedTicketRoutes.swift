import FoundationEssentials
import HTTPTypes
import Hummingbird
import LibCrypto
import SQLiteFile
import Synchronization

/// The paths of the verification service.
final class SignedTicketRoutes: Sendable {
  /// Requests to redeem within a minute, for each organisation and token; and for the keys, for each address.
  static let redeemLimit = 10, keyLimit = 60

  private let store: VenueStore
  private let configuration: VenueConfiguration
  private let windows = Mutex(CountWindows())

  init(store: VenueStore, configuration: VenueConfiguration) {
    self.store = store
    self.configuration = configuration
  }

  func add(to router: Router<VisitorContext>) {
    router.get("/v1/verification/jwks") { [self] _, context -> Answer in
      try count("keys \(context.address)", most: Self.keyLimit)
      return try await store.write { db in
        let keys = try TicketSigner(db: db).keysMade().compactMap { kid, key in
          key.publicKey.map { half -> JSONText in
            [
              "kty": "OKP", "crv": "Ed25519", "kid": .string(kid),
              "x": .string(TicketSigner.base64url(half.rawRepresentation)),
            ]
          }
        }
        return .ok(["keys": .array(keys)])
      }
    }
    router.post("/v1/tickets/issue") { [self] request, context -> Answer in
      let asked = try await asked(request, context, scope: .issue)
      func text(_ name: String) throws -> String {
        guard let text = asked.body[name]?.text, (1...128).contains(text.utf8.count) else {
          throw TicketVerification.problem(.unprocessableContent, "tickets:missing_fields", "\(name) is missing")
        }
        return text
      }
      let new = NewSignedTicket(
        order: try text("order_id"), performance: try text("performance_id"), seat: try text("seat_id"))
      let issued = try await store.write { db in try asked.verification(db).issue(new) }
      return Answer(status: .created, body: ["ticket_token": .string(issued.token)])
    }
    router.post("/v1/verification/redeem") { [self] request, context -> Answer in
      let asked = try await asked(request, context, scope: .redeem)
      try count("redeem \(asked.tenant) \(asked.token)", most: Self.redeemLimit)
      return try await store.write { db in
        try asked.verification(db).redeem(asked.body["ticket_token"] ?? .null)
      }
    }
  }

  /// A request that shows a token which may do that.
  private struct Asked: Sendable {
    let tenant: String
    /// Its hash.
    let token: String
    let body: [String: SentJSON]
    let now: Timestamp

    func verification(_ db: Database) -> TicketVerification { TicketVerification(db: db, tenant: tenant, now: now) }
  }

  private func asked(_ request: Request, _ context: VisitorContext, scope: TicketTokenScope) async throws -> Asked {
    guard let token = KioskController.bearer(request) else {
      throw TicketVerification.problem(.unauthorized, "auth:unauthorized", "A token is required")
    }
    let hash = APIKeys.hash(token)
    let scopes: String? = try await store.read { db in
      try db.value("SELECT scopes FROM ticket_tokens WHERE sha256 = ?", hash)
    }
    guard let scopes else {
      throw TicketVerification.problem(.unauthorized, "auth:unauthorized", "The token is not known")
    }
    guard scopes.split(separator: " ").contains(where: { $0 == scope.rawValue }) else {
      throw TicketVerification.problem(.forbidden, "auth:forbidden", "The token lacks the scope \(scope.rawValue)")
    }
    guard let name = HTTPField.Name("X-Org-ID"), let tenant = request.headers[name], !tenant.isEmpty else {
      throw TicketVerification.problem(.unprocessableContent, "verification:missing_org", "X-Org-ID is missing")
    }
    return Asked(
      tenant: tenant, token: hash, body: try await SentJSON.members(of: request) ?? [:],
      now: Timestamp(configuration.now()))
  }

  private func count(_ counter: String, most: Int) throws {
    guard !configuration.noLimits else { return }
    let now = configuration.now().timeIntervalSince1970
    let wait: Double? = windows.withLock { windows in
      if let open = windows.open(counter, at: now), open.count >= most { return open.ends - now }
      windows.count(counter, at: now, for: 60, isRenewed: false)
      return nil
    }
    guard let wait else { return }
    var answer = TicketVerification.problem(.tooManyRequests, "rate_limited", "Too many requests")
    answer.headers[.retryAfter] = "\(Int(wait.rounded(.up)))"
    throw answer
  }
}
