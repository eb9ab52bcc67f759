import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
package import ScanConfiguration
import ServiceLifecycle
import Synchronization

/// The console: an HTTP server that shows one station to machines, and takes the orders that the station's file lets it give. It has
/// nothing of its own but a picture of the station.
package final class ConsoleServer: Sendable {
  private let setting: ConsoleSetting
  private let mirror: StationMirror
  private let places: ConnectionPlaces
  private let loop = Mutex<(any EventLoop)?>(nil)

  /// Makes it; nothing listens before `run`.
  package init(_ setting: ConsoleSetting, mirror: StationMirror) {
    self.setting = setting
    self.mirror = mirror
    places = ConnectionPlaces(setting.limits)
  }

  /// How many connections there are.
  package var connections: Int { places.count }

  /// Returns when the thread that answers has done so.
  func heartbeat() async { try? await loop.withLock { $0 }?.submit {}.get() }

  /// Listens and answers until the task is cancelled or a graceful shutdown is asked for.
  /// - Parameter onReady: told once where it listens.
  /// - Throws: `ConsoleFault`, where it cannot listen.
  package func run(onReady: @escaping @Sendable (ListenAddress) async -> Void = { _ in }) async throws {
    let responder = ConsoleRoutes(setting: setting, mirror: mirror).responder()
    let listen = setting.configuration.listen
    // The library's own lower levels could quote a request.
    var quiet = setting.logger
    quiet.logLevel = max(quiet.logLevel, .warning)
    let logger = quiet
    // What it does is little: one thread does it in less memory than several.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    loop.withLock { $0 = group.any() }
    let channel = ConsoleChannel(
      setting.limits, identity: setting.identity, places: places,
      responder: { request, writer, channel in
        let context = ConsoleContext(source: .init(channel: channel, logger: logger))
        let response = try await responder.respond(to: request, context: context)
        try await writer.write(response: response.head, body: response.body)
      })
    let server = channel.server(
      configuration: ServerConfiguration(address: .hostname(listen.host, port: listen.port)),
      onServerRunning: { channel in
        await onReady(ListenAddress(host: listen.host, port: channel.localAddress?.port ?? listen.port))
      },
      eventLoopGroup: group, logger: logger)
    let result: Result<Void, any Error>
    do {
      result = .success(try await server.run())
    } catch {
      result = .failure(error)
    }
    loop.withLock { $0 = nil }
    try? await group.shutdownGracefully()
    do {
      try result.get()
    } catch let error as IOError {
      throw Self.explain(error, listen)
    }
  }

  private static func explain(_ error: IOError, _ listen: ListenAddress) -> ConsoleFault {
    switch error.errnoCode {
    case EADDRINUSE:
      ConsoleFault("Another program listens at \(listen) already. End it, or write another port to console.listen.")
    case EADDRNOTAVAIL:
      ConsoleFault(
        "\(listen.host) is no address of this machine now. Write one of its own to console.listen, or 0.0.0.0.")
    case let code: ConsoleFault("The console cannot listen at \(listen): \(String(cString: strerror(code))).")
    }
  }
}
