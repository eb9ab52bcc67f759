import HTTPTypes
import Hummingbird

/// Which booking service a venue passes for.
package enum BookingShape: String, Sendable, CaseIterable {
  /// As the document has it: one show by its id, flat bookings, an opaque token. It has no door; here that is plain: no ration, no
  /// guards, all rows.
  case document
  /// As the server's public code answers, with what stands in a gate's way: see `DoorGuard` and `VenueDoor`.
  case real

  // MARK: Refusals

  /// As most routes have it.
  func refusal(_ status: HTTPResponse.Status, _ words: String) -> Answer { .error(status, words) }

  /// As accounts and the sign-in at the door have it.
  func failure(_ status: HTTPResponse.Status, _ words: String) -> Answer {
    Answer(status: status, body: ["success": false, "error": .string(words)])
  }

  /// A call at the door without a session.
  var notSignedIn: Answer { refusal(self == .real ? .forbidden : .unauthorized, "Not authenticated") }

  /// A body that is no JSON object.
  var unreadable: Answer { failure(.internalServerError, "An internal error occurred. Please try again later.") }
}

/// How a booking service words what no route of its own says.
enum BookingWords {
  private static let roots = [
    "/api/auth", "/api/shows", "/api/seat-checkout", "/api/checkout", "/api/user", "/api/venue-auth-new",
  ]

  /// Whether a request is the service's, by its look.
  static func isAbout(_ request: Request, _ configuration: VenueConfiguration) -> Bool {
    guard configuration.bookingShape != nil else { return false }
    let path = request.uri.path
    return roots.contains { path == $0 || path.hasPrefix($0 + "/") } || isDoor(path)
  }

  /// `/api/venues/ID/validate`, `/api/venues/ID/bookings/today`
  private static func isDoor(_ path: String) -> Bool {
    let steps = path.split(separator: "/")
    return steps.count >= 4 && steps[0] == "api" && steps[1] == "venues" && ["validate", "bookings"].contains(steps[3])
  }

  /// An address that it does not have: a page, as of the framework beneath the real one; nil where that is not its matter.
  static func notFound(_ request: Request, _ configuration: VenueConfiguration) -> Response? {
    isAbout(request, configuration) ? missing : nil
  }

  static var missing: Response {
    Response(
      .notFound,
      "<!DOCTYPE html><html><head><title>404: This page could not be found.</title></head><body><h1>404</h1></body></html>",
      of: "text/html; charset=utf-8")
  }

  /// A refusal that a misbehaving venue gives; nil where that is not its matter.
  static func refusal(
    _ status: HTTPResponse.Status, _ request: Request, _ configuration: VenueConfiguration
  ) -> Answer? {
    guard isAbout(request, configuration), let shape = configuration.bookingShape else { return nil }
    let isAccounts = request.uri.path.hasPrefix("/api/auth") || request.uri.path.hasPrefix("/api/venue-auth")
    switch status.code {
    case 401 where isAccounts: return shape.failure(status, "Invalid email or password")
    case 401: return shape.refusal(status, "Invalid or expired token")
    case 403 where isAccounts: return shape.failure(status, "Please verify your email before signing in")
    case 403 where isDoor(request.uri.path): return shape.refusal(status, "Not authenticated")
    case 404 where isDoor(request.uri.path): return shape.refusal(status, "Venue not found")
    case 429: return shape.failure(status, "Too many signin attempts. Please try again later.")
    case 500 where isAccounts: return shape.unreadable
    case 500: return shape.refusal(status, "Internal server error")
    case ..<500: return shape.refusal(status, status.reasonPhrase)
    default: return nil
    }
  }
}
