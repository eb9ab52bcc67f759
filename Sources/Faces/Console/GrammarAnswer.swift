import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Makes a refusal like all others of what the library answers to bytes that are no HTTP: a status without a body. The connection ends
/// behind it.
///
/// A message that was answered before the rest of it turned out to be none gets no second answer: whoever stands between could take it
/// for the next one's.
final class GrammarAnswer: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private static let (head, body): (HTTPResponse, ByteBuffer) = {
    let answer = ConsoleAnswer.badRequest(
      "This is no request as HTTP has it, or its head is longer than \(ConsoleLimits.maximumHead) bytes or \(ConsoleLimits.maximumFields) fields."
    )
    let body = ByteBuffer(string: answer.problem)
    var fields = answer.response.headers
    fields[.contentLength] = String(body.readableBytes)
    fields[.connection] = "close"
    EveryAnswer.complete(&fields)
    return (HTTPResponse(status: answer.status, headerFields: fields), body)
  }()

  private var isReading = false
  /// How many requests have no answer yet.
  private var open = 0
  private var isSilent = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: (isReading, open) = (true, open + 1)
    case .body: break
    case .end: isReading = false
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    // No answer of ours is a 400 of nothing.
    if case .head(let head) = part, head.status == .badRequest, head.headerFields[.contentLength] == "0" {
      isSilent = isReading && open == 0
      if !isSilent {
        context.write(wrapOutboundOut(.head(Self.head)), promise: nil)
        context.write(wrapOutboundOut(.body(Self.body)), promise: promise)
        return
      }
    }
    guard !isSilent else { return promise?.succeed() ?? () }
    if case .end = part { open = max(0, open - 1) }
    context.write(data, promise: promise)
  }
}
