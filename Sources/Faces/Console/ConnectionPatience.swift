import NIOCore
import NIOHTTPTypes
import NIOTLS

/// Cuts a connection whose peer takes too long, whatever it is about. Stands before all others, so that nothing has to be said for it.
///
///                hello in TLS           head              end of body          answer written
///     connected ─────────────▶ awaited ─────▶ being read ─────────────▶ answered ─────▶ awaited …
///
/// In each state but the last one a time runs; in all of them one does while the peer takes nothing of what was written.
final class ConnectionPatience: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let limits: ConsoleLimits
  private var context: ChannelHandlerContext?
  private var alarm: Scheduled<Void>?
  private var writeAlarm: Scheduled<Void>?

  init(_ limits: ConsoleLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    wait(nil)
    writeAlarm?.cancel()
    (writeAlarm, context) = (nil, nil)
  }

  /// The connection is cut after so long; never where it is `nil`. What was awaited before no longer is.
  func wait(_ limit: TimeAmount?) {
    alarm?.cancel()
    alarm = limit.flatMap(cut)
  }

  /// Cuts the connection now.
  func cut() { context?.close(promise: nil) }

  private func cut(after limit: TimeAmount) -> Scheduled<Void>? {
    context?.eventLoop.assumeIsolated().scheduleTask(in: limit) { [weak self] in self?.cut() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writeAlarm?.cancel()
    writeAlarm = context.channel.isWritable ? nil : cut(after: limits.write)
    context.fireChannelWritabilityChanged()
  }
}

/// Tells `ConnectionPatience` where a connection's requests are.
final class RequestPhases: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  private let limits: ConsoleLimits
  private let isSecure: Bool
  private var patience: ConnectionPatience?
  private var isReading = false
  /// How many requests have no answer yet.
  private var open = 0
  private var bodyBytes = 0

  init(_ limits: ConsoleLimits, isSecure: Bool) {
    self.limits = limits
    self.isSecure = isSecure
  }

  func handlerAdded(context: ChannelHandlerContext) {
    patience = try? context.pipeline.syncOperations.handler(type: ConnectionPatience.self)
    patience?.wait(isSecure ? limits.handshake : limits.head)
  }

  func handlerRemoved(context: ChannelHandlerContext) { patience = nil }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event { patience?.wait(limits.head) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      (isReading, bodyBytes) = (true, 0)
      open += 1
      patience?.wait(limits.body)
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      // Who is told that it is too long, and goes on all the same, is not heard out.
      if bodyBytes > 4 * ConsoleLimits.maximumBody { patience?.cut() }
    case .end:
      isReading = false
      patience?.wait(open > 0 ? nil : limits.idle)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      open = max(0, open - 1)
      if open == 0, !isReading { patience?.wait(limits.idle) }
    }
    context.write(data, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .output { patience?.wait(limits.parting) }
    context.close(mode: mode, promise: promise)
  }
}
