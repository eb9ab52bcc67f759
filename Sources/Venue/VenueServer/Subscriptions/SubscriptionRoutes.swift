import Foundation
import HTTPTypes
import Hummingbird
import SQLiteFile

/// The paths of the subscription service, below each of its two addresses.
struct SubscriptionRoutes: Sendable {
  private typealias Work = @Sendable (SubscriptionDesk, Asked) throws -> Answer

  /// One request, as far as its route has not told.
  private struct Asked: Sendable {
    /// What its path names, as it came.
    let id: String
    let query: [String: String]
    let user: String?
    let body: ByteBuffer

    func input(_ desk: SubscriptionDesk) throws(Answer) -> SubscriptionInput {
      try SubscriptionInput(body, desk.shape)
    }
  }

  let store: VenueStore
  let configuration: VenueConfiguration
  let shape: SubscriptionShape

  func add(to router: Router<VisitorContext>) {
    for base in SubscriptionBase.allCases {
      let paths: [(String, [(HTTPRequest.Method, Work)])] = [
        ("/apple/verify-receipt", [(.post, { try $0.verify($1.input($0)) })]),
        ("/apple/link", [(.post, { try $0.link($1.input($0)) })]),
        ("/apple/unlink", [(.post, { try $0.unlink($1.input($0)) })]),
        (
          "/apple/subs",
          [(.post, { try $0.add($1.input($0)) }), (.get, { try $0.list($1.query, user: $1.user) })]
        ),
        ("/apple/subs/:id", [(.get, { try $0.show($1.id) }), (.patch, { try $0.refresh($1.id) })]),
        ("/apple/receipt/:id", [(.get, { try $0.receipt($1.id) })]),
      ]
      for (path, works) in paths {
        for (method, work) in works {
          router.on(RouterPath(base.rawValue + path), method: method) { request, context -> Answer in
            try await known(request)
            return try await answer(request, context, base, method, work)
          }
        }
        refuseOtherMethods(base.rawValue + path, than: works.map(\.0), router)
      }
      addNotifications(base, to: router)
    }
  }

  /// What the shop tells needs no token.
  private func addNotifications(_ base: SubscriptionBase, to router: Router<VisitorContext>) {
    let path = base.rawValue + "/webhook/apple"
    router.post(RouterPath(path)) { request, context -> Response in
      let desk = desk(base)
      let input = try SubscriptionInput(try await request.body.collect(upTo: Routes.bodyLimit), shape)
      let refusal = try await store.write { db in try desk(db).notified(input) }
      return refusal?.response(from: request, context: context) ?? Response(status: .ok)
    }
    refuseOtherMethods(path, than: [.post], router)
  }

  /// The router beneath the real one says nothing more.
  private func refuseOtherMethods(_ path: String, than methods: [HTTPRequest.Method], _ router: Router<VisitorContext>)
  {
    for method in Router<VisitorContext>.methods where !methods.contains(method) {
      router.on(RouterPath(path), method: method) { _, _ in Response(status: .methodNotAllowed) }
    }
  }

  private func desk(_ base: SubscriptionBase) -> @Sendable (Database) -> SubscriptionDesk {
    let (shape, now) = (shape, Timestamp(configuration.now()))
    return { SubscriptionDesk(db: $0, shape: shape, base: base, now: now) }
  }

  private func answer(
    _ request: Request, _ context: VisitorContext, _ base: SubscriptionBase, _ method: HTTPRequest.Method,
    _ work: @escaping Work
  ) async throws -> Answer {
    let id = context.parameters.get("id") ?? ""
    let query = Dictionary(
      request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { first, _ in first })
    let user = HTTPField.Name("X-User-Id").flatMap { request.headers[$0] }?.trimmingASCIIBlanks
    let asked = Asked(
      id: id.removingPercentEncoding ?? id, query: query, user: user.flatMap { $0.isEmpty ? nil : $0 },
      body: try await request.body.collect(upTo: Routes.bodyLimit))
    let desk = desk(base)
    guard method != .get else { return try await store.read { try work(desk($0), asked) } }
    return try await store.write { db in
      // A refusal is an answer: what was done before it stays, as at a server without transactions.
      do { return try work(desk(db), asked) } catch let refusal as Answer { return refusal }
    }
  }

  /// Ends the request unless it shows a token that is good.
  private func known(_ request: Request) async throws {
    var token = KioskController.bearer(request)
    if token == nil, shape == .real { token = request.uri.queryParameters["access_token"].map { String($0) } }
    guard let token else { throw shape.invalidToken }
    switch try await store.read({ try AccessTokens.state($0, of: token) }) {
    case .good: return
    case .ended: throw shape.endedToken
    case .unknown: throw shape.invalidToken
    }
  }
}

extension String {
  fileprivate var trimmingASCIIBlanks: String {
    let start = drop { $0 == " " || $0 == "\t" }
    return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
