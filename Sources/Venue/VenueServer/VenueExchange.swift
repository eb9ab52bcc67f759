import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request on a connection of its own, and its answer: whoever asks a venue now and then needs neither pool nor redirects.
///
/// Confined to its event loop.
final class VenueExchange: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  /// What the venue said.
  struct Answer: Sendable {
    var head: HTTPResponseHead
    var body: ByteBuffer
  }

  /// An answer has more than this many bytes.
  struct TooLarge: Error {}

  /// No answer came in time.
  struct TooLate: Error {}

  private static let mostBytes = 256 << 20

  private let head: HTTPRequestHead
  private let body: [ByteBuffer]
  private let answer: EventLoopPromise<Answer>
  private var begun: Answer?

  private init(_ head: HTTPRequestHead, _ body: [ByteBuffer], _ answer: EventLoopPromise<Answer>) {
    (self.head, self.body, self.answer) = (head, body, answer)
  }

  /// Connects as `connect` does, sends a request, and waits for the whole of its answer.
  ///
  /// - Parameter body: its parts, sent in chunks where the head does not say how long they are.
  static func ask(
    _ head: HTTPRequestHead, _ body: [ByteBuffer] = [], tls: NIOSSLContext? = nil, limit: TimeAmount = .seconds(30),
    connect: (ClientBootstrap) -> EventLoopFuture<any Channel>
  ) async throws -> Answer {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: Answer.self)
    let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil)) }
        try pipeline.addHTTPClientHandlers()
        try pipeline.addHandler(VenueExchange(head, body, answer))
      }
    }
    let channel: any Channel
    do {
      channel = try await connect(bootstrap).get()
    } catch {
      answer.fail(error)
      throw error
    }
    let end = loop.scheduleTask(in: limit) { answer.fail(TooLate()) }
    defer {
      end.cancel()
      channel.close(promise: nil)
    }
    return try await answer.futureResult.get()
  }

  // MARK: The pipeline

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    for part in body { context.write(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): begun = Answer(head: head, body: ByteBuffer())
    case .body(var part):
      begun?.body.writeBuffer(&part)
      if let begun, begun.body.readableBytes > Self.mostBytes { answer.fail(TooLarge()) }
    case .end: if let begun { answer.succeed(begun) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(ChannelError.eof)
    context.fireChannelInactive()
  }
}
