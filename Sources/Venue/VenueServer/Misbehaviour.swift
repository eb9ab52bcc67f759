/// One way in which a venue misbehaves, and when. A value without state: `FaultPlan` counts and draws.
///
/// As text it is a fault and its conditions, such as `status=503,next=3`; see `init(_:)`.
package struct Misbehaviour: Sendable, Hashable {
  /// What goes wrong.
  package enum Fault: Sendable, Hashable {
    /// A pause drawn evenly from this range, in milliseconds.
    case latency(ClosedRange<Int>, Moment)
    /// An answer with this status, as the real server or a proxy before it would word it; with a `Retry-After` in seconds.
    case status(Int, retryAfter: Int?, Moment)
    /// A page of HTML with status 200, as a portal or a login sends it.
    case page(Moment)
    /// `302 Found` to this place.
    case redirect(String, Moment)
    /// The request is processed; the text of its answer is spoilt.
    case json(JSONFault)
    /// The connection ends.
    case end(ConnectionEnd, ConnectionPoint)
    /// `Date` and `scanned_at` are this many seconds ahead. Which day is today stays right.
    case clock(Int)
  }

  /// Whether the request was processed when the fault sets in. What was processed is in the book.
  package enum Moment: String, Sendable, CaseIterable {
    case before, after
  }

  /// How the text of an answer is spoilt; status and headers stay good.
  package enum JSONFault: String, Sendable, CaseIterable {
    /// Its first half, as a whole body.
    case cut
    /// With a member of 12 MiB more.
    case huge
    /// With a member of 10,000 nested arrays more.
    case deep
    /// Each value of another type: numbers are texts, texts are null, what is empty is the other kind of empty.
    case types
    /// Whichever page of a list is asked for, it is the first, and another one follows.
    case pages
    /// What a list tells of its length is 1, whatever it is.
    case total
    /// An object that says `"success":false`, with the status of the answer that it takes the place of.
    case failure
    /// Days are `0000-00-00`, times `24:00:00`, prices negative, and codes of bookings `PROCESSING`.
    case odd
  }

  /// How a connection ends.
  package enum ConnectionEnd: String, Sendable, CaseIterable {
    /// In order (TCP FIN).
    case close
    /// By a reset (TCP RST).
    case reset
  }

  /// Where in an exchange a connection ends.
  package enum ConnectionPoint: String, Sendable, CaseIterable {
    /// When the request was read, before anything is done about it.
    case before
    /// When the request was processed and half of its answer's body is out.
    case midway
    /// When the request was processed, with no byte of its answer out.
    case after
  }

  /// Which requests it is for.
  package enum Scope: String, Sendable, CaseIterable {
    /// What gates ask at a scan: the two that redeem, whatever their key, reading and refreshing one subscription, and looking at one
    /// booking.
    case scans
    /// Reading one subscription, or looking at one booking, alone.
    case checks
    /// Refreshing one subscription alone.
    case refreshes
    /// Those of stations that are set up or report: the kiosk service and enrolment.
    case kiosk
    /// All others: lists, discovery, and what an organiser does.
    case desk
    /// Every request.
    case all
    /// A door's list of bookings alone.
    case lists
    /// Signing in at a door alone.
    case signIns = "sign-ins"
  }

  /// What goes wrong.
  package var fault: Fault
  /// Which requests it is for.
  package var scope: Scope
  /// The share of those that it hits, in percent, 1 to 100.
  package var share: Int
  /// After how many hits it is over; `nil` for never.
  package var next: Int?
  /// What its draws follow from: the same number draws the same requests.
  package var seed: UInt64

  /// A misbehaviour that hits what gates ask at a scan, unless told otherwise.
  package init(_ fault: Fault, scope: Scope = .scans, share: Int = 100, next: Int? = nil, seed: UInt64 = 1) {
    self.fault = fault
    self.scope = scope
    self.share = share
    self.next = next
    self.seed = seed
  }

  /// The statuses that it can answer with.
  package static let statuses = [401, 403, 404, 405, 422, 423, 429, 500, 502, 503, 504]
  /// The longest pause, in milliseconds: ten minutes.
  package static let longestPause = 600_000
  /// The furthest that a clock is off, in seconds: a year.
  package static let furthestClock = 365 * 86_400
  /// The longest `Retry-After`, in seconds: a day.
  package static let longestRetry = 86_400
  /// The most hits that can be counted down.
  package static let mostHits = 1_000_000
  /// Where a redirect leads when nobody says.
  package static let login = "/login"
}

extension Misbehaviour: CustomStringConvertible {
  /// The text that reads as this value again, without what goes without saying.
  package var description: String {
    var parts = faultParts
    if share != 100 { parts.append("share=\(share)%") }
    if let next { parts.append("next=\(next)") }
    if scope != .scans { parts.append("on=\(scope.rawValue)") }
    if seed != 1 { parts.append("seed=\(seed)") }
    return parts.joined(separator: ",")
  }

  private var faultParts: [String] {
    let late = "when=after"
    switch fault {
    case .latency(let range, let moment):
      let most = range.lowerBound == range.upperBound ? "" : "..\(range.upperBound)ms"
      return ["latency=\(range.lowerBound)ms\(most)"] + (moment == .after ? [late] : [])
    case .status(let code, let retryAfter, let moment):
      let retry = retryAfter.map { ["retry-after=\($0)s"] } ?? []
      return ["status=\(code)"] + retry + (moment == .after ? [late] : [])
    case .page(let moment): return ["html"] + (moment == .after ? [late] : [])
    case .redirect(let place, let moment):
      return [place == Self.login ? "redirect" : "redirect=\(place)"] + (moment == .after ? [late] : [])
    case .json(let fault): return ["json=\(fault.rawValue)"]
    case .end(let end, let point): return ["\(end.rawValue)=\(point.rawValue)"]
    case .clock(let seconds): return ["clock=\(seconds)s"]
    }
  }
}
