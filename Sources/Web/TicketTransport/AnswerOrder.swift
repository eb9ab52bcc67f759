internal import NIOCore
internal import NIOHTTP1

/// Stands between the HTTP decoder and the client and lets through only what an answer consists of, in its order: after a
/// request one final head, its body, its end. Everything else ends the connection with an error.
///
/// Without it a server could end this process: the client traps when, for example, an interim answer (1xx) is followed
/// by the end of the connection, or when something comes while nothing was asked.
final class AnswerOrder: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart
  typealias OutboundIn = HTTPClientRequestPart
  typealias OutboundOut = HTTPClientRequestPart

  /// The server broke the order.
  struct Fault: Error {}

  /// Interim answers that one request may get.
  private static let mostInterim = 8

  private enum State {
    case idle
    case asked(interim: Int)
    case answering
    case broken
  }

  private var state = State.idle

  /// Puts it into the pipeline of a connection that is set up already. Never fails: the pipeline has its decoder by then, or the
  /// connection has ended.
  static func join(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self) else { return }
      try? pipeline.addHandler(AnswerOrder(), position: .after(decoder))
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .head = unwrapOutboundIn(data), case .idle = state { state = .asked(interim: 0) }
    context.write(data, promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (_, .broken): return
    case (.head(let head), .asked(let interim)) where (100..<200).contains(head.status.code):
      // What follows a 101 is not HTTP, and nobody here asked for it.
      guard head.status != .switchingProtocols, interim < Self.mostInterim else { return breakOff(context) }
      state = .asked(interim: interim + 1)
    case (.head(let head), .asked) where head.status.code >= 200:
      state = .answering
      context.fireChannelRead(data)
    case (.body, .answering): context.fireChannelRead(data)
    case (.end, .answering):
      state = .idle
      context.fireChannelRead(data)
    default: breakOff(context)
    }
  }

  private func breakOff(_ context: ChannelHandlerContext) {
    state = .broken
    context.fireErrorCaught(Fault())
    context.close(promise: nil)
  }
}
