import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection to the console: it has a place among the others, its times run, it speaks TLS where the console has an identity, and
/// then HTTP.
struct ConsoleChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private struct NoPlace: Error {}

  /// How much may wait to be sent before whoever writes has to wait.
  private static let watermark = ChannelOptions.Types.WriteBufferWaterMark(low: 8_192, high: 32_768)
  /// TCP_USER_TIMEOUT: for how many milliseconds a peer may be silent that owes an acknowledgement.
  private static let unacknowledged = NIOBSDSocket.Option(rawValue: 18)

  let http: HTTP1Channel
  let identity: ConsoleIdentity?
  let limits: ConsoleLimits
  let places: ConnectionPlaces

  init(
    _ limits: ConsoleLimits, identity: ConsoleIdentity?, places: ConnectionPlaces,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    self.limits = limits
    self.identity = identity
    self.places = places
    let isSecure = identity != nil
    http = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [RequestPhases(limits, isSecure: isSecure), GrammarAnswer()],
        httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
          maxHeaderFieldSize: ConsoleLimits.maximumHead / 2, maxHeaderListSize: ConsoleLimits.maximumHead,
          maxHeaderFieldCount: ConsoleLimits.maximumFields)))
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let peer = channel.remoteAddress
    guard places.take(peer) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(NoPlace())
    }
    channel.closeFuture.whenComplete { [places] _ in places.give(peer) }
    return channel.eventLoop.makeCompletedFuture {
      try channel.syncOptions?.setOption(.writeBufferWaterMark, value: Self.watermark)
      // What the kernel keeps for a peer that reads nothing counts as ours.
      try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: 65_536)
      try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
      try channel.syncOptions?.setOption(.tcpOption(Self.unacknowledged), value: 30_000)
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(ConnectionPatience(limits))
      if let identity { try pipeline.addHandler(NIOSSLServerHandler(context: identity.context)) }
    }.flatMap { http.setup(channel: channel, logger: logger) }
  }

  func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
