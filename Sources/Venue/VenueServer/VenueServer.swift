import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// An embedded venue: an HTTP server with SQLite beneath that speaks the ticket scanning API as the real server does.
///
/// For demonstration, training and tests. Tickets get into it by `seed` or `importTickets`, keys by `seed` or `issueKey`;
/// `run` serves until its task is cancelled or its service group shuts down.
package final class VenueServer: Sendable {
  let configuration: VenueConfiguration
  let store: VenueStore
  let kioskLog: KioskLog
  private let faultPlan: Mutex<FaultPlan>
  private let bound: Mutex<VenueAddress>

  /// Opens (or creates) the database. Nothing listens yet.
  package init(_ configuration: VenueConfiguration) throws(VenueError) {
    if let token = configuration.kioskToken, !APIKeys.isUsable(token) {
      throw .unusable("the given kiosk token must have 8 to 255 printable ASCII characters and no spaces")
    }
    if configuration.kioskToken == nil, configuration.kioskShape.needsKioskToken {
      throw .unusable("kiosks of the shape \(configuration.kioskShape.rawValue) show a token; give it a kiosk token")
    }
    self.configuration = configuration
    store = try VenueStore(configuration.storage)
    kioskLog = KioskLog(now: configuration.now)
    faultPlan = Mutex(FaultPlan(configuration.misbehaviours))
    bound = Mutex(
      VenueAddress(host: configuration.host, port: configuration.port, isEncrypted: configuration.tls != nil))
  }

  /// Listens and answers until the task is cancelled or a graceful shutdown is asked for; running requests are finished.
  ///
  /// - Parameter onReady: called once, when requests are accepted.
  /// - Throws: `VenueError.addressInUse`, `.cannotListen` or `.cannotControl`.
  package func run(onReady: @escaping @Sendable (VenueAddress) async -> Void = { _ in }) async throws {
    guard let path = configuration.controlSocket else { return try await serve(onReady) }
    try await VenueControl(path: path, venue: self).run { try await self.serve(onReady) }
  }

  /// Where it is reached: as configured before it serves, with the bound port from then on.
  var address: VenueAddress { bound.withLock { $0 } }

  private func serve(_ onReady: @escaping @Sendable (VenueAddress) async -> Void) async throws {
    let configuration = configuration
    let responder = Routes(
      store: store, configuration: configuration,
      manners: { kind in self.faultPlan.withLock { $0.manners(for: kind) } }, kioskLog: kioskLog,
      address: { self.address.url }
    ).responder()
    var quiet = configuration.logger
    // The library's own lower levels could quote a request.
    quiet.logLevel = max(quiet.logLevel, .warning)
    let logger = quiet
    let plain = HTTPServerBuilder.http1(configuration: .init(idleTimeout: .seconds(75)))
    let builder = try configuration.tls.map { tls in try .tls(plain, tlsConfiguration: tls.configuration()) } ?? plain
    let server = try builder.buildServer(
      configuration: ServerConfiguration(address: .hostname(configuration.host, port: configuration.port)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        let context = VisitorContext(source: .init(channel: channel, logger: logger))
        var response: Response
        do {
          response = try await responder.respond(to: request, context: context)
        } catch let broken as BrokenConnection {
          return try await broken.carryOut(writer, channel)
        }
        // From the venue's own clock and not from a cached second: a client measures `scanned_at` against it.
        if response.headers[.date] == nil { response.headers[.date] = Timestamp(configuration.now()).httpDate }
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? configuration.port
        configuration.logger.info("The venue listens on \(configuration.host):\(port)")
        let address = VenueAddress(
          host: configuration.host, port: port, isEncrypted: configuration.tls != nil)
        self.bound.withLock { $0 = address }
        await onReady(address)
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
  package func issueKey(_ given: String? = nil, ability: KeyAbility = .manage) async throws -> String {
    if let given, !APIKeys.isUsable(given) {
      throw VenueError.unusable("the given API key must have 8 to 255 printable ASCII characters and no spaces")
    }
    var random = SystemRandomNumberGenerator()
    let key = given ?? Secret.apiKey(&random)
    let hash = APIKeys.hash(key)
    try await store.write { try APIKeys.store($0, hash: hash, ability: ability) }
    return key
  }

  /// Every admission that the venue has recorded, oldest first.
  package func book() async throws -> [BookEntry] {
    try await store.read { try BookEntry.all($0) }
  }

  /// Misbehaves in these ways as well from the next request on, behind those in force.
  ///
  /// - Parameter clearing: forgets those in force first.
  package func misbehave(_ misbehaviours: [Misbehaviour], clearing: Bool = false) {
    faultPlan.withLock { day in
      if clearing { day = FaultPlan() }
      for misbehaviour in misbehaviours { day.add(misbehaviour) }
    }
  }

  /// The misbehaviours in force, and those that are over.
  package var misbehaviours: [FaultPlan.Entry] { faultPlan.withLock { $0.entries } }

  /// Every admission in a venue's database, oldest first, without changing it; a venue may be serving from it.
  package static func book(ofFile path: String) async throws -> [BookEntry] {
    try await VenueStore(reading: path).read { try BookEntry.all($0) }
  }
}
