import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The socket on which a venue is told to misbehave and asked for its book: HTTP on a Unix socket, so that neither the
/// network nor a key for tickets leads to it, and its file's permissions say who may.
///
/// `GET /misbehaviours` shows those in force, `POST` adds and `PUT` replaces them, with one text a line; a bad line changes
/// nothing. `GET /book` gives every admission, `GET /tickets` every ticket, whole codes included, as lines of JSON. `PUT
/// /status` gives the sale of a ticket another status: two lines, the status and the code. What it does about kiosks,
/// subscriptions and bookings is beside.
struct VenueControl: Sendable {
  let path: String
  let venue: VenueServer

  /// The largest body taken, in bytes.
  static let bodyLimit = 65_536

  /// Serves while `work` runs; `work` begins when the socket is there.
  func run(while work: @escaping @Sendable () async throws -> Void) async throws {
    try await refuseIfTaken()
    let (ready, tell) = AsyncStream.makeStream(of: Void.self)
    let server = try server { tell.yield() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { tell.finish() }
        do {
          try await server.run()
        } catch let error as CancellationError {
          throw error
        } catch {
          throw VenueError.cannotControl(path: path, reason: Self.words(error))
        }
      }
      guard await ready.first(where: { _ in true }) != nil else { return try await group.waitForAll() }
      defer { unlink(path) }
      try await work()
      group.cancelAll()
      try? await group.waitForAll()
    }
  }

  /// What an earlier venue left behind is replaced; one that still answers is left alone.
  private func refuseIfTaken() async throws {
    guard access(path, F_OK) == 0 else { return }
    let reached = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(unixDomainSocketPath: path).get()
    guard let reached else { return }
    try? await reached.close()
    throw VenueError.cannotControl(path: path, reason: "another venue listens there; name another file")
  }

  private func server(_ onReady: @escaping @Sendable () -> Void) throws -> any Service {
    var quiet = venue.configuration.logger
    quiet.logLevel = max(quiet.logLevel, .warning)
    let logger = quiet
    let responder = responder()
    let path = path
    return try HTTPServerBuilder.http1(configuration: .init(idleTimeout: .seconds(10))).buildServer(
      configuration: ServerConfiguration(address: .unixDomainSocket(path: path)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        let context = BasicRequestContext(source: .init(channel: channel, logger: logger))
        let response = try await responder.respond(to: request, context: context)
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { _ in
        chmod(path, 0o600)
        onReady()
      })
  }

  private func responder() -> RouterResponder<BasicRequestContext> {
    let router = Router()
    router.get("/misbehaviours") { _, _ in shown() }
    router.post("/misbehaviours") { request, _ in try await take(request, clearing: false) }
    router.put("/misbehaviours") { request, _ in try await take(request, clearing: true) }
    router.get("/book") { _, _ in await Self.lines { try await venue.book().map { $0.json() } } }
    router.get("/tickets") { _, _ in await Self.lines { try await venue.tickets().map { $0.json() } } }
    router.put("/status") { request, _ in
      try await answer(request) { lines in
        guard lines.all.count == 2, let status = TicketStatus(rawValue: lines.all[0]) else {
          throw VenueError.unusable("a status and a code are wanted, each on a line of its own")
        }
        try await venue.setStatus(status, ofCode: lines.all[1])
        return nil
      }
    }
    addKiosks(to: router)
    addSubscriptions(to: router)
    addSignedTickets(to: router)
    addBookings(to: router)
    return router.buildResponder()
  }

  private func shown() -> Response {
    Self.text(.ok, venue.misbehaviours.map { "\($0)\n" }.joined())
  }

  private func take(_ request: Request, clearing: Bool) async throws -> Response {
    let body = String(buffer: try await request.body.collect(upTo: Self.bodyLimit))
    do {
      let misbehaviours = try body.split(separator: "\n").map { line in try Misbehaviour(String(line)) }
      venue.misbehave(misbehaviours, clearing: clearing)
      return shown()
    } catch {
      return Self.text(.badRequest, "\(error)")
    }
  }

  static func lines(_ lines: () async throws -> [String]) async -> Response {
    do {
      return text(.ok, try await lines().map { $0 + "\n" }.joined())
    } catch {
      return text(.internalServerError, "\(error)")
    }
  }

  static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(status, text, of: "text/plain; charset=UTF-8")
  }

  private static func words(_ error: any Error) -> String {
    if let error = error as? IOError {
      return String(cString: strerror(error.errnoCode)) + "; name a file in a folder that you can write to"
    }
    if error is UnixDomainSocketPathWrongType { return "there is a file that is no socket; name another" }
    return "its path cannot be used: it may have up to 107 bytes"
  }
}
