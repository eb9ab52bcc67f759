import Foundation
import HTTPTypes
import Hummingbird
import SQLiteFile

/// The paths of the booking service.
struct BookingRoutes: Sendable {
  private typealias Work = @Sendable (BookingDesk, BookingInput) throws -> Answer

  /// What stands before a route.
  private enum Fence: Sendable {
    case none
    case door
    case account(AccountLimits.Kind)
  }

  private struct Route {
    let method: HTTPRequest.Method
    let path: String
    let fence: Fence
    let changes: Bool
    let work: Work

    /// - Parameter changes: whether something may be written; nil where its method says so.
    init(
      _ method: HTTPRequest.Method, _ path: String, _ fence: Fence = .none, changes: Bool? = nil, _ work: @escaping Work
    ) {
      (self.method, self.path, self.fence, self.work) = (method, "/api/" + path, fence, work)
      self.changes = changes ?? (method != .get)
    }
  }

  let store: VenueStore
  let configuration: VenueConfiguration
  let shape: BookingShape
  let door: DoorGuard
  let limits: AccountLimits

  init(store: VenueStore, configuration: VenueConfiguration, shape: BookingShape, address: PublicAddress) {
    (self.store, self.configuration, self.shape) = (store, configuration, shape)
    door = DoorGuard(configuration: configuration, address: address)
    limits = AccountLimits(configuration: configuration)
  }

  func add(to router: Router<VisitorContext>) {
    let routes = Self.both + (shape == .real ? Self.real : Self.document)
    for route in routes {
      router.on(RouterPath(route.path), method: route.method) { request, context -> Answer in
        try await answer(route, request, context)
      }
    }
    // The framework beneath the real one says nothing more.
    for (path, routes) in Dictionary(grouping: routes, by: \.path) {
      for method in Router<VisitorContext>.methods where !routes.contains(where: { $0.method == method }) {
        router.on(RouterPath(path), method: method) { _, _ in Response(status: .methodNotAllowed) }
      }
    }
  }

  private static let both: [Route] = [
    Route(.post, "auth/signup", .account(.signUp)) { try $0.signUp($1) },
    Route(.post, "auth/signin", .account(.signIn)) { try $0.signIn($1) },
    Route(.post, "auth/social", .account(.social)) { try $0.social($1) },
    Route(.get, "shows") { desk, _ in try desk.shows() },
    Route(.get, "shows/:id/seats") { try $0.seats($1.id) },
    Route(.get, "shows/:id/seatmap") { try $0.seatMap($1.id) },
    Route(.post, "seat-checkout") { try $0.reserve($1) },
    Route(.get, "checkout/success", changes: true) { try $0.success($1.query["session_id"]) },
    Route(.get, "user/bookings") { try $0.buyersBookings($1) },
    Route(.post, "venue-auth-new") { try $0.door.post($1) },
    Route(.get, "venue-auth-new") { try $0.door.who($1) },
    Route(.get, "venues/:id/bookings/today", .door) { try $0.door.today($1) },
    Route(.post, "venues/:id/validate", .door) { try $0.door.validate($1) },
  ]

  private static let document: [Route] = [
    Route(.post, "auth/verify") { try $0.verify($1) },
    Route(.post, "auth/verify-email") { try $0.verifyEmail(token: $1.text("token"), email: $1.text("email")) },
    Route(.get, "shows/:id") { try $0.show($1.id) },
  ]

  private static let real: [Route] = [
    Route(.get, "auth/verify") { try $0.verify($1) },
    Route(.get, "auth/verify-email", changes: true) { desk, input in
      let email = input.query["email"].map { $0.removingPercentEncoding ?? $0 }
      return try desk.verifyEmail(token: input.query["token"], email: email)
    },
    Route(.post, "auth/verify-email", .account(.mail)) { try $0.resend($1) },
    Route(.post, "auth/password-reset", .account(.forgotten)) { try $0.resetPassword($1) },
    Route(.put, "auth/password-reset", .account(.reset)) { try $0.confirmPassword($1) },
  ]

  private func answer(_ route: Route, _ request: Request, _ context: VisitorContext) async throws -> Answer {
    if case .account(let kind) = route.fence,
      let refusal = limits.refusal(kind, "\(route.method) \(route.path)", context, shape)
    {
      return refusal
    }
    if case .door = route.fence, shape == .real, let refusal = door.refusal(request, context) { return refusal }
    let input = try await BookingInput(
      request, id: context.parameters.get("id"), isEncrypted: configuration.tls != nil)
    let (shape, now) = (shape, Timestamp(configuration.now()))
    let work: @Sendable (Database) throws -> Answer = { [work = route.work] db in
      // A refusal is an answer: what was done before it stays, as at a server without transactions.
      do {
        return try work(BookingDesk(db: db, shape: shape, now: now), input)
      } catch let refusal as Answer {
        return refusal
      }
    }
    let answer = route.changes ? try await store.write(work) : try await store.read(work)
    if case .account(let kind) = route.fence, answer.status.kind == .successful {
      limits.succeeded(kind, "\(route.method) \(route.path)", context)
    }
    return answer
  }
}

extension BookingDesk {
  var door: VenueDoor { VenueDoor(db: db, shape: shape, now: now) }
}
