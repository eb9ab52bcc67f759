import HTTPTypes
import Hummingbird

/// Which subscription service a venue passes for.
package enum SubscriptionShape: String, Sendable, CaseIterable {
  /// As the document has it: refusals of a link are not nested, a refresh answers the bare subscription, the list is of all users.
  case document
  /// As the server's public code answers: the list is one user's, a refresh answers what became of the membership or nothing at
  /// all, a link claims before it is judged.
  case real

  var layout: JSONText.Layout { self == .real ? .tabs : .compact }

  /// How a token is refused that is not known. The document names a standard by which it is 401.
  private var unknownToken: HTTPResponse.Status { self == .real ? .forbidden : .unauthorized }

  func answer(_ status: HTTPResponse.Status, _ body: JSONText) -> Answer {
    Answer(status: status, body: body, layout: layout)
  }

  func ok(_ body: JSONText) -> Answer { answer(.ok, body) }

  // MARK: Refusals

  func refusal(_ status: HTTPResponse.Status, _ message: String) -> Answer {
    answer(status, ["message": .string(message)])
  }

  /// Something in the request, or in what the shop has answered, is not as it has to be.
  func invalid(_ field: String, _ code: String, _ message: String) -> Answer {
    answer(
      .unprocessableContent,
      ["message": .string(message), "error": ["field": .string(field), "code": .string(code)]])
  }

  /// A link that may not be: the document's has field and code beside the message.
  func linkRefused(_ field: String, _ code: String, _ message: String) -> Answer {
    guard self == .document else { return invalid(field, code, message) }
    return answer(
      .unprocessableContent, ["message": .string(message), "field": .string(field), "code": .string(code)])
  }

  func missing(_ field: String) -> Answer { invalid(field, "missing_field", "Missing required field") }

  var notFound: Answer { refusal(.notFound, "Not Found") }

  var invalidToken: Answer { refusal(unknownToken, "Invalid access token") }

  var endedToken: Answer { refusal(unknownToken, "The access token is expired or no longer active") }

  /// The list without a user.
  var noUser: Answer { refusal(.unauthorized, "Requires authorization.") }
}

/// The two addresses of a service. Data and code are the same; they differ in which shop a receipt is shown to.
enum SubscriptionBase: String, Sendable, CaseIterable {
  case production = "/api/v1"
  case sandbox = "/api/sandbox"

  var environment: ShopEnvironment { self == .production ? .production : .sandbox }
}

/// How a service words what no route of its own says.
enum SubscriptionWords {
  /// Whether a request is the service's, by its look.
  static func isAbout(_ request: Request, _ configuration: VenueConfiguration) -> Bool {
    guard configuration.subscriptionShape != nil else { return false }
    let path = request.uri.path
    return SubscriptionBase.allCases.contains { path == $0.rawValue || path.hasPrefix($0.rawValue + "/") }
      || path.split(separator: "/").contains("apple")
  }

  /// An address that it does not have: the text of the router beneath it; nil where that is not its matter.
  static func notFound(_ request: Request, _ configuration: VenueConfiguration) -> Response? {
    guard isAbout(request, configuration) else { return nil }
    return Response(.notFound, "404 page not found\n", of: "text/plain; charset=utf-8")
  }

  /// A refusal that a misbehaving venue gives; nil where that is not its matter.
  static func refusal(
    _ status: HTTPResponse.Status, _ request: Request, _ configuration: VenueConfiguration
  ) -> Answer? {
    guard isAbout(request, configuration), let shape = configuration.subscriptionShape else { return nil }
    switch status.code {
    case 401 where shape == .real: return shape.noUser
    case 401: return shape.invalidToken
    case 403: return shape.refusal(status, "Invalid access token")
    case 404: return shape.notFound
    case 422: return shape.invalid("originalTxId", "invalid", "The given data was invalid.")
    case ...500: return shape.refusal(status, status.reasonPhrase)
    default: return nil
    }
  }
}
