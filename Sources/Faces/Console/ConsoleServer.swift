import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
package import ScanConfiguration
import ServiceLifecycle

/// The console: an HTTP server that shows one station to machines, and takes the orders that the station's file lets it give. It has
/// nothing of its own but a picture of the station.
package final class ConsoleServer: Sendable {
  private let setting: ConsoleSetting
  private let mirror: StationMirror

  /// Makes it; nothing listens before `run`.
  package init(_ setting: ConsoleSetting, mirror: StationMirror) {
    self.setting = setting
    self.mirror = mirror
  }

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
    let http = HTTP1Channel(
      responder: { request, writer, channel in
        let context = ConsoleContext(source: .init(channel: channel, logger: logger))
        let response = try await responder.respond(to: request, context: context)
        try await writer.write(response: response.head, body: response.body)
      },
      configuration: HTTP1Channel.Configuration(idleTimeout: setting.limits.idle))
    let server = http.server(
      configuration: ServerConfiguration(address: .hostname(listen.host, port: listen.port)),
      onServerRunning: { channel in
        await onReady(ListenAddress(host: listen.host, port: channel.localAddress?.port ?? listen.port))
      },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    try await server.run()
  }
}
