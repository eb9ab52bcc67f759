import HTTPTypes
import Hummingbird
import NIOCore

/// The answers of a venue that misbehaves.
enum WrongAnswer {
  /// The size of what `json=huge` adds, in bytes.
  static let hugeSize = 12 << 20
  /// The depth of what `json=deep` adds, in levels.
  static let depth = 10_000

  /// As the real server words it where it is the real server's, else as the web server before it does.
  static func status(
    _ code: Int, retryAfter: Int?, to request: Request, _ context: VisitorContext, configuration: VenueConfiguration
  ) -> Response {
    let status = named(code)
    var response: Response
    let own =
      SubscriptionWords.refusal(status, request, configuration) ?? BookingWords.refusal(status, request, configuration)
    switch code {
    case _ where own != nil:
      response = own?.response(from: request, context: context) ?? page
    case ...500 where RequestKind(request) == .kiosk:
      response = KioskWords.refusal(status, request, context, configuration).response(from: request, context: context)
    case 401:
      let isDocument = configuration.serverShape == .document && RequestKind(request) == .other
      response = Answer.error(status, isDocument ? "Unauthorized" : "Invalid API key")
        .response(from: request, context: context)
    case 403 where configuration.serverShape == .upstream:
      response = Desk.notPro.response(from: request, context: context)
    case 403: response = Answer.message(status, "Access denied").response(from: request, context: context)
    case 404, 405:
      let route = request.uri.path.dropFirst()
      let words =
        code == 404
        ? "The route \(route) could not be found."
        : "The \(request.method) method is not supported for route \(route). Supported methods: OPTIONS."
      response = Answer.message(status, words).response(from: request, context: context)
    case 422:
      response = Answer(status: status, body: ["message": "The given data was invalid.", "errors": .phpMap([])])
        .response(from: request, context: context)
    case 423: response = Answer.error(status, "API key temporarily blocked").response(from: request, context: context)
    case 429: response = Answer.error(status, "Rate limit exceeded").response(from: request, context: context)
    case 500: response = Answer.message(status, "Server Error").response(from: request, context: context)
    default:
      let title = "\(code) \(status.reasonPhrase)"
      response = html(status, "<html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>\n")
    }
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }

  private static func named(_ code: Int) -> HTTPResponse.Status {
    let known: [HTTPResponse.Status] = [
      .unauthorized, .forbidden, .notFound, .methodNotAllowed, .unprocessableContent, Answer.locked, .tooManyRequests,
      .internalServerError, .badGateway,
      .serviceUnavailable, .gatewayTimeout,
    ]
    return known.first { $0.code == code } ?? .internalServerError
  }

  /// What a guest network shows until somebody has agreed to something.
  static var page: Response {
    html(
      .ok,
      """
      <!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Guest network</h1>
      <form method="post" action="/login"><button>I agree</button></form></body></html>

      """)
  }

  static func redirect(to place: String) -> Response {
    var response = html(.found, "<!DOCTYPE html><title>Redirecting</title>\n")
    response.headers[.location] = place
    return response
  }

  /// The answer with its text spoilt.
  /// - Parameter page: which one of a list was asked for.
  static func spoilt(_ answer: Response, _ fault: Misbehaviour.JSONFault, page: Int64) async throws -> Response {
    let text = try await bytes(of: answer.body)
    var headers = answer.headers
    headers[.contentLength] = nil
    let spoilt =
      switch fault {
      case .cut: ByteBuffer(text.readableBytesView.prefix(text.readableBytes / 2))
      case .huge:
        // By kibibytes: letter by letter takes as long as a slow server.
        adding(
          #""padding":""#, String(repeating: String(repeating: "x", count: 1 << 10), count: hugeSize >> 10) + #"""#,
          to: text)
      case .deep:
        adding(
          #""more":"#, String(repeating: "[", count: depth) + String(repeating: "]", count: depth), to: text)
      case .types: SpoiltJSON.rewritten(text, SpoiltJSON.ofOtherTypes)
      case .pages: SpoiltJSON.rewritten(text) { SpoiltJSON.followed($0, page: page) }
      case .total: SpoiltJSON.rewritten(text, SpoiltJSON.ofLengthOne)
      case .failure: ByteBuffer(string: #"{"success":false,"error":"Something went wrong"}"#)
      case .odd: SpoiltJSON.rewritten(text) { SpoiltJSON.odd($0) }
      }
    return Response(status: answer.status, headers: headers, body: .init(byteBuffer: spoilt))
  }

  /// The bytes of a body, whichever way it is made.
  static func bytes(of body: ResponseBody) async throws -> ByteBuffer {
    let collected = Collector()
    try await body.write(collected)
    return collected.bytes
  }

  /// An object with one member more; where there is no object, one with that member alone.
  private static func adding(_ key: String, _ value: String, to text: ByteBuffer) -> ByteBuffer {
    let white: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
    let end = text.readableBytesView.lastIndex { !white.contains($0) }
    var spoilt = ByteBuffer()
    if let end, text.readableBytesView[end] == UInt8(ascii: "}") {
      spoilt.writeBytes(text.readableBytesView[..<end])
      spoilt.writeString(",")
    } else {
      spoilt.writeString("{")
    }
    spoilt.writeString(key)
    spoilt.writeString(value)
    spoilt.writeString("}")
    return spoilt
  }

  private static func html(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(status, text, of: "text/html; charset=UTF-8")
  }

  private final class Collector: ResponseBodyWriter {
    private(set) var bytes = ByteBuffer()

    func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
