import HTTPTypes
import Hummingbird

/// What a request is about, by its look: a proxy that fails does not ask for a key either.
enum RequestKind: Sendable {
  /// One of those that redeem.
  case scan
  /// Of a gate that reads one subscription, or looks at one booking.
  case check
  /// Of a gate that has one subscription brought up to date.
  case refresh
  /// Of a station that is set up or reports.
  case kiosk
  /// Of a station that fetches a door's list of bookings.
  case list
  /// Of a station that signs in at a door.
  case signIn
  case other

  init(_ request: Request) {
    let steps = request.uri.path.split(separator: "/")
    if request.method == .post, (3...4).contains(steps.count), steps[0] == "api", steps[1] == "tickets",
      steps.last == "scan"
    {
      self = .scan
    } else if request.method == .post, steps == ["v1", "verification", "redeem"] {
      self = .scan
    } else if steps.count == 5,
      SubscriptionBase.allCases.contains(where: { request.uri.path.hasPrefix($0.rawValue + "/") }),
      steps[2] == "apple", steps[3] == "subs", request.method == .get || request.method == .patch
    {
      self = request.method == .get ? .check : .refresh
    } else if let kind = Self.atDoor(steps, request.method) {
      self = kind
    } else if steps.first == "enrol" || Self.ofKiosks.contains(where: { steps.starts(with: $0) }) {
      self = .kiosk
    } else {
      self = .other
    }
  }

  /// What a door of the booking service is asked; nil for what it is not.
  private static func atDoor(_ steps: [Substring], _ method: HTTPRequest.Method) -> RequestKind? {
    if steps == ["api", "venue-auth-new"], method == .post { return .signIn }
    guard steps.count >= 4, steps[0] == "api", steps[1] == "venues" else { return nil }
    if steps.count == 4, steps[3] == "validate", method == .post { return .check }
    return steps.count == 5 && steps[3] == "bookings" && steps[4] == "today" ? .list : nil
  }

  private static let ofKiosks: [[Substring]] = [
    ["api", "kiosks"], ["api", "register-kiosk"], ["api", "health"], ["api", "v2", "beacon"],
  ]
}
