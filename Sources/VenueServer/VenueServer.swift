import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// An embedded venue: an HTTP server with SQLite beneath that speaks the ticket scanning API as the real server does.
///
/// For demonstration, training and tests. Tickets get into it by `seed` or `importTickets`, keys by `seed` or `issueKey`;
/// `run` serves until its task is cancelled or its service group shuts down.
public final class VenueServer: Sendable {
  let configuration: VenueConfiguration
  let store: VenueStore

  /// Opens (or creates) the database. Nothing listens yet.
  public init(_ configuration: VenueConfiguration) throws(VenueError) {
    self.configuration = configuration
    store = try VenueStore(configuration.storage)
  }

  /// Listens and answers until the task is cancelled or a graceful shutdown is asked for; running requests are finished.
  ///
  /// - Parameter onReady: called once, when requests are accepted.
  /// - Throws: `VenueError.addressInUse` or `.cannotListen`.
  public func run(onReady: @escaping @Sendable (VenueAddress) async -> Void = { _ in }) async throws {
    let configuration = configuration
    let responder = Routes(store: store, configuration: configuration).responder()
    var quiet = configuration.logger
    // The library's own lower levels could quote a request.
    quiet.logLevel = max(quiet.logLevel, .warning)
    let logger = quiet
    let server = try HTTPServerBuilder.http1(configuration: .init(idleTimeout: .seconds(75))).buildServer(
      configuration: ServerConfiguration(address: .hostname(configuration.host, port: configuration.port)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        let context = VisitorContext(source: .init(channel: channel, logger: logger))
        var response = try await responder.respond(to: request, context: context)
        // From the venue's own clock and not from a cached second: a client measures `scanned_at` against it.
        response.headers[.date] = Timestamp(configuration.now()).httpDate
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? configuration.port
        configuration.logger.info("The venue listens on \(configuration.host):\(port)")
        await onReady(VenueAddress(host: configuration.host, port: port))
      })
    do {
      try await server.run()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw Self.explain(error, configuration)
    }
  }

  private static func explain(_ error: any Error, _ configuration: VenueConfiguration) -> VenueError {
    let (host, port) = (configuration.host, configuration.port)
    guard let error = error as? IOError else {
      return .cannotListen(host: host, port: port, reason: "the address is not known")
    }
    if error.errnoCode == EADDRINUSE { return .addressInUse(host: host, port: port) }
    return .cannotListen(host: host, port: port, reason: String(cString: strerror(error.errnoCode)))
  }

  /// Makes a key known and returns it: the given one, or a fresh random one. Only its hash is stored, so this is the one
  /// time that it is told. A key that is known already gets the new ability.
  public func issueKey(_ given: String? = nil, ability: KeyAbility = .manage) async throws -> String {
    if let given, !APIKeys.isUsable(given) {
      throw VenueError.unusable("the given API key must have 8 to 255 printable ASCII characters and no spaces")
    }
    var random = SystemRandomNumberGenerator()
    let key = given ?? Secret.apiKey(&random)
    let hash = APIKeys.hash(key)
    try await explaining { store in
      try await store.write { try APIKeys.store($0, hash: hash, ability: ability) }
    }
    return key
  }

  /// Every admission that the venue has recorded, oldest first.
  public func book() async throws -> [BookEntry] {
    try await explaining { store in try await store.read { try BookEntry.all($0) } }
  }

  /// Runs database work; an error of SQLite comes out naming the file.
  func explaining<Value: Sendable>(_ work: (VenueStore) async throws -> Value) async throws -> Value {
    do {
      return try await work(store)
    } catch {
      throw store.explained(error)
    }
  }
}
