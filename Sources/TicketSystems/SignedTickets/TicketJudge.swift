internal import ScanModel

/// What can be said of a ticket without a request, at one gate. Pure but for what the ring notes: which keys are wanted.
///
/// ```
/// form ─▶ the key that it names ─▶ signature ─▶ organisation ─▶ performance ─▶ times, by a clock that is trusted
///   └ notGenuine    └ undecided, notGenuine └ notGenuine   └── wrongEvent ──┘       └ expired, tooEarly, undecided
/// ```
/// What nobody has signed is not looked at before the signature.
struct TicketJudge: Sendable {
  /// How far the issuer's clock may be from ours, in seconds.
  static let skew: Int64 = 60

  /// What is known.
  enum Verdict: Sendable, Equatable {
    /// It is genuine, in time, and one of this gate's.
    case good(SignedTicket)
    /// It is not.
    case refused(RefuseReason)
    /// What it is to be judged by is not there.
    case undecided(UndecidedReason, String)
  }

  /// The organisation whose tickets admit.
  var tenant: String
  /// The performances that the gate admits to; all where it is `nil`.
  var performances: Set<String>?
  /// The server, for messages.
  var host: String

  /// Judges a code.
  /// - Parameters:
  ///   - now: by a clock that is trusted; `nil` where none is.
  ///   - key: what is known of a key's name.
  func judge(_ code: Code, at now: WallTime?, key: (String) -> TicketKeyRing.Finding) -> Verdict {
    guard let ticket = SignedTicket(code) else { return .refused(.notGenuine) }
    switch key(ticket.keyID) {
    case .absent: return .refused(.notGenuine)
    case .notYet:
      return .undecided(
        .unreachable,
        "The ticket names a key that \(host) has not told yet. Its keys are being fetched; please present the ticket again in a minute."
      )
    case .noKeys:
      return .undecided(
        .unreachable,
        "No keys of \(host) are on board by which a ticket can be verified. They are being fetched; see the service's log."
      )
    case .found(let key):
      guard ticket.isSigned(by: key) else { return .refused(.notGenuine) }
    }
    guard ticket.tenant == tenant, performances?.contains(ticket.performance) != false else {
      return .refused(.wrongEvent)
    }
    guard let now else {
      return .undecided(
        .clockWrong,
        "Whether the ticket is still good cannot be told: nothing keeps this machine's clock right. Set the clock.")
    }
    // Both are at most 2^53.
    if now.seconds >= ticket.ends + Self.skew { return .refused(.expired) }
    // Its issuer has signed it, so it is no forgery: one of the clocks is wrong, and later it will be good.
    if now.seconds < ticket.issued - Self.skew { return .refused(.tooEarly) }
    return .good(ticket)
  }
}
