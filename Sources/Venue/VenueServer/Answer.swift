import HTTPTypes
import Hummingbird

/// What a route answers: a status and a JSON text. A refusal is an answer like any other; as an error it also ends the
/// way to the route.
struct Answer: Error, ResponseGenerator, Sendable {
  var status: HTTPResponse.Status
  var body: JSONText
  var layout = JSONText.Layout.compact
  var headers = HTTPFields()
  var mediaType = "application/json"

  static func ok(_ body: JSONText, layout: JSONText.Layout = .compact) -> Answer {
    Answer(status: .ok, body: body, layout: layout)
  }

  /// `{"error": ...}`: a refusal of the API itself.
  static func error(_ status: HTTPResponse.Status, _ text: String) -> Answer {
    Answer(status: status, body: ["error": .string(text)])
  }

  /// `{"message": ...}`: a refusal of the framework beneath it.
  static func message(_ status: HTTPResponse.Status, _ text: String) -> Answer {
    Answer(status: status, body: ["message": .string(text)])
  }

  static let locked = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")

  func response(from request: Request, context: some RequestContext) -> Response {
    var headers = headers
    // A body there would pass for the beginning of the next answer.
    guard status != .noContent else { return Response(status: status, headers: headers) }
    headers[.contentType] = mediaType
    if headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache, private" }
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body.text(layout))))
  }
}

extension Response {
  init(_ status: HTTPResponse.Status, _ text: String, of type: String) {
    self.init(status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}

extension Router {
  /// All that may come.
  static var methods: [HTTPRequest.Method] { [.get, .head, .post, .put, .patch, .delete, .options] }

  /// Answers every method but some; `Allow` names those.
  func refuseOtherMethods(
    _ path: RouterPath, than allowed: [HTTPRequest.Method],
    _ refusal: @escaping @Sendable (Request, Context, HTTPRequest.Method) -> Answer
  ) {
    for method in Self.methods where !allowed.contains(method) {
      on(path, method: method) { request, context -> Answer in
        var answer = refusal(request, context, method)
        answer.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        return answer
      }
    }
  }
}

extension Answer {
  /// A failed validation. Only a client that says it wants JSON is told what is wrong; any other is sent back to the
  /// page it came from, as a browser would want it.
  static func invalid(_ invalid: InvalidFields, to request: Request) -> Response {
    guard wantsJSON(request) else {
      let origin = request.head.authority.map { "http://\($0)/" } ?? "/"
      return Response(
        status: .found, headers: [.location: origin, .contentType: "text/html; charset=UTF-8"],
        body: .init(byteBuffer: ByteBuffer(string: "<!DOCTYPE html><title>Redirecting</title>\n")))
    }
    let first = invalid.errors.first?.message ?? "The given data was invalid."
    let more = invalid.errors.count - 1
    let others = more > 0 ? " (and \(more) more error\(more == 1 ? "" : "s"))" : ""
    let fields = invalid.errors.map { (key: $0.field, value: JSONText.array([.string($0.message)])) }
    let body: JSONText = ["message": .string(first + others), "errors": .object(fields)]
    return Response(.unprocessableContent, body.text(), of: "application/json")
  }

  /// Whether the first type that the client accepts is JSON.
  static func wantsJSON(_ request: Request) -> Bool {
    let first = request.headers[.accept]?.lowercased().split(separator: ",").first ?? ""
    return first.contains("/json") || first.contains("+json")
  }
}
