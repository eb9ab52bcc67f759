internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOTLS

/// A connection to a server: carries one request at a time, and lets through only what an answer consists of, in its order: one final
/// head, its body, its end. Everything else ends the connection, and its exchange with an error.
///
/// Confined to its event loop.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  /// The server broke the order.
  struct Disorder: Error {}

  /// Interim answers that one request may get.
  private static let mostInterim = 8

  private enum State {
    /// Until TLS is agreed on.
    case making
    case idle
    case asked(Exchange, interim: Int)
    case answering(Exchange, HTTPResponseHead)
    case ended
  }

  /// Succeeds when requests can be sent: at once, or after TLS' handshake.
  let ready: EventLoopFuture<Void>
  private let made: EventLoopPromise<Void>
  private let connections: HTTPConnections
  private var context: ChannelHandlerContext?
  private var state: State

  init(_ connections: HTTPConnections, isSecure: Bool, on loop: any EventLoop) {
    self.connections = connections
    made = loop.makePromise()
    ready = made.futureResult
    state = isSecure ? .making : .idle
    if !isSecure { made.succeed() }
  }

  /// Whether it can carry a request now.
  var isIdle: Bool {
    guard case .idle = state else { return false }
    return context?.channel.isActive == true
  }

  /// The exchange that it carries.
  private var exchange: Exchange? {
    switch state {
    case .asked(let exchange, _), .answering(let exchange, _): exchange
    case .making, .idle, .ended: nil
    }
  }

  /// Ends a connection on which the server speaks unasked: the beginning of an answer would be taken for that of the next one's.
  final class Guard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: HTTPConnection

    init(_ connection: HTTPConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .idle = connection.state { connection.end(Disorder()) } else { context.fireChannelRead(data) }
    }
  }

  func carries(_ exchange: Exchange) -> Bool { self.exchange === exchange }

  /// Sends the exchange's request, in one piece, unless it was given up.
  func carry(_ exchange: Exchange) {
    guard isIdle, let context else { return exchange.fail(ChannelError.ioOnClosedChannel) }
    guard exchange.mayHandOver() else { return connections.release(self) }
    state = .asked(exchange, interim: 0)
    context.write(wrapOutboundOut(.head(exchange.request.head)), promise: nil)
    if let body = exchange.request.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  /// Closes it; what it carries is lost.
  func end(_ error: any Error) {
    let exchange = exchange
    state = .ended
    made.fail(error)
    exchange?.fail(error)
    context?.close(promise: nil)
  }

  // MARK: The pipeline

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    made.fail(ChannelError.eof)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent, case .making = state {
      state = .idle
      made.succeed()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (_, .ended): return
    case (.head(let head), .asked(let exchange, let interim)) where (100..<200).contains(head.status.code):
      // What follows a 101 is not HTTP, and nobody here asked for it.
      guard head.status != .switchingProtocols, interim < Self.mostInterim else { return end(Disorder()) }
      state = .asked(exchange, interim: interim + 1)
    case (.head(let head), .asked(let exchange, _)) where head.status.code >= 200:
      state = .answering(exchange, head)
      if !exchange.takes(head) { end(Exchange.TooLarge()) }
    case (.body(let part), .answering(let exchange, _)):
      if !exchange.takes(part) { end(Exchange.TooLarge()) }
    case (.end, .answering(let exchange, let head)):
      state = .idle
      exchange.answered()
      if head.isKeepAlive { connections.release(self) } else { context.close(promise: nil) }
    default: end(Disorder())
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Without TLS' own end only an answer that tells its length is known to be whole. The decoder says so, or the channel's end.
    if error as? NIOSSLError == .uncleanShutdown {
      switch state {
      case .answering(_, let head)
      where !head.headers.contains(name: "content-length") && !head.headers.contains(name: "transfer-encoding"):
        break
      default: return
      }
    }
    end(error)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(ChannelError.eof)
    connections.forget(self)
    context.fireChannelInactive()
  }
}
