import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration
import WireText

/// A refusal, as problem details (RFC 9457): `{"type": "urn:scangate:problem:unauthorized", "title", "status", "detail"}`. It ends the way
/// to the route.
struct ConsoleAnswer: Error, HTTPResponseError {
  var status: HTTPResponse.Status
  /// For programs.
  var error: String
  /// What happened, and what to do. Holds nothing that a caller sent.
  var words: String
  var headers = HTTPFields()
  /// What else programs are told.
  var members: [(name: String, text: String?)] = []

  init(_ status: HTTPResponse.Status, _ error: String, _ words: String, _ headers: HTTPFields = HTTPFields()) {
    self.status = status
    self.error = error
    self.words = words
    self.headers = headers
  }

  static let unauthorized = ConsoleAnswer(
    .unauthorized, "unauthorized", "Send a token of the console: Authorization: Bearer TOKEN.",
    [.wwwAuthenticate: "Bearer realm=\"scangate console\""])

  static func forbidden(_ scope: ConsoleScope) -> ConsoleAnswer {
    ConsoleAnswer(.forbidden, "forbidden", "This token has not the scope \(scope.rawValue).")
  }

  static let notFound = ConsoleAnswer(.notFound, "notFound", "There is nothing here.")

  static let tooLong = ConsoleAnswer(
    .contentTooLarge, "tooLong", "The body is longer than \(ConsoleLimits.maximumBody) bytes.", [.connection: "close"])

  static func badRequest(_ words: String) -> ConsoleAnswer { ConsoleAnswer(.badRequest, "badRequest", words) }

  func response(from request: Request, context: some RequestContext) throws -> Response { response }

  /// What is sent.
  var response: Response {
    var headers = headers
    headers[.contentType] = "application/problem+json"
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: problem)))
  }

  /// The object that tells it.
  var problem: String {
    var problem = JSONText()
    problem.add("type", "urn:scangate:problem:\(error)")
    problem.add("title", status.reasonPhrase)
    problem.add("status", Int64(status.code))
    problem.add("detail", words)
    for member in members { problem.add(member.name, member.text) }
    return problem.text
  }
}
