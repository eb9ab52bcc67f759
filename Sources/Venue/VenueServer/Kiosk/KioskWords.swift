import HTTPTypes
import Hummingbird
import NIOCore

/// How a shape words what no route of its own says.
enum KioskWords {
  /// A refusal that a misbehaving venue gives.
  static func refusal(
    _ status: HTTPResponse.Status, _ request: Request, _ context: VisitorContext, _ configuration: VenueConfiguration
  ) -> Answer {
    if request.uri.path.hasPrefix("/enrol") {
      return Answer(
        status: status,
        body: ["error": ["code": "MISBEHAVIOUR", "message": .string(status.reasonPhrase)]])
    }
    if configuration.kioskShape.family == .document {
      let code = status == .unauthorized ? "INVALID_TOKEN" : status.reasonPhrase.uppercased().replacing(" ", with: "_")
      let now = Timestamp(seconds: Timestamp(configuration.now()).seconds + Int64(context.clockError))
      return DocumentKiosks.refusal(now, status, code, status.reasonPhrase)
    }
    switch status.code {
    case 401: return .error(status, "Unauthorized")
    case 429:
      return Answer(
        status: status,
        body: ["error": "Too many requests", "message": "Please try again later"])
    case 500: return .error(status, "DB error")
    default: return .error(status, status.reasonPhrase)
    }
  }

  /// What an address that the shape does not have is answered with; nil where that is the venue's own matter.
  static func notFound(_ request: Request, _ configuration: VenueConfiguration) -> Response? {
    guard RequestKind(request) == .kiosk, !request.uri.path.hasPrefix("/enrol") else { return nil }
    guard configuration.kioskShape.family != .document else { return nil }
    // The page of the framework beneath those servers.
    let place = "\(request.method.rawValue) \(request.uri.path)"
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    let page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>Error</title>
      </head>
      <body>
      <pre>Cannot \(place)</pre>
      </body>
      </html>

      """
    return Response(.notFound, page, of: "text/html; charset=utf-8")
  }
}
