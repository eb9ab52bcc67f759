import HTTPTypes
import Hummingbird

/// What a request is about, by its look: a proxy that fails does not ask for a key either.
enum RequestKind: Sendable {
  /// One of the two that redeem.
  case scan
  /// Of a gate that reads one subscription.
  case check
  /// Of a gate that has one subscription brought up to date.
  case refresh
  /// Of a station that is set up or reports.
  case kiosk
  case other

  init(_ request: Request) {
    let steps = request.uri.path.split(separator: "/")
    if request.method == .post, (3...4).contains(steps.count), steps[0] == "api", steps[1] == "tickets",
      steps.last == "scan"
    {
      self = .scan
    } else if steps.count == 5,
      SubscriptionBase.allCases.contains(where: { request.uri.path.hasPrefix($0.rawValue + "/") }),
      steps[2] == "apple", steps[3] == "subs", request.method == .get || request.method == .patch
    {
      self = request.method == .get ? .check : .refresh
    } else if steps.first == "enrol" || Self.ofKiosks.contains(where: { steps.starts(with: $0) }) {
      self = .kiosk
    } else {
      self = .other
    }
  }

  private static let ofKiosks: [[Substring]] = [
    ["api", "kiosks"], ["api", "register-kiosk"], ["api", "health"], ["api", "v2", "beacon"],
  ]
}
