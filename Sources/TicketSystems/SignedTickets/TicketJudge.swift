internal import ScanModel
internal import TicketTransport

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

  /// What is known, and what staff can be told of it.
  struct Judgement: Sendable, Equatable {
    /// What is known.
    var verdict: Verdict
    /// Why it is refused: what was shown, and what was expected; nothing that nobody has signed.
    var words: String?
    /// What its issuer has proven to be so.
    var ticket: SignedTicket?
  }

  /// So many performances are named to staff.
  private static let mostNamed = 3

  /// The organisation whose tickets admit.
  let tenant: String
  /// Where the file says that; `nil` where none does.
  let tenantPlace: String?
  /// The performances that the gate admits to, as they are written; all where it is `nil`.
  let performances: [String]?
  /// The same by their bytes: what looks alike need not be the same name.
  private let admitted: Set<[UInt8]>?
  /// The server, for messages.
  let host: String

  init(tenant: String, tenantPlace: String? = nil, performances: [String]?, host: String) {
    self.tenant = tenant
    self.tenantPlace = tenantPlace
    self.performances = performances
    admitted = performances.map { Set($0.map { [UInt8]($0.utf8) }) }
    self.host = host
  }

  /// Judges a code.
  /// - Parameters:
  ///   - now: by a clock that is trusted; `nil` where none is.
  ///   - fault: what kept keys from being fetched last.
  ///   - key: what is known of a key's name.
  func judge(
    _ code: Code, at now: WallTime?, fault: () -> TransportFault? = { nil },
    key: (String) -> TicketKeyRing.Finding
  ) -> Verdict { judgement(code, at: now, fault: fault, key: key).verdict }

  /// The same, with what staff can be told.
  func judgement(
    _ code: Code, at now: WallTime?, fault: () -> TransportFault? = { nil },
    key: (String) -> TicketKeyRing.Finding
  ) -> Judgement {
    guard let ticket = SignedTicket(code) else {
      return refused(
        .notGenuine,
        "The code is no whole signed ticket: it was cut or changed on its way, or is none. Have it shown large and bright, and read it again."
      )
    }
    switch key(ticket.keyID) {
    case .absent:
      return refused(
        .notGenuine,
        "\(host) tells no key of the name that the ticket gives: it is forged, of another system, or its key was withdrawn."
      )
    case .notYet:
      return undecided(
        .unreachable, "The ticket names a key that \(host) has not told yet.\(Self.fetching(fault()))")
    case .withdrawn:
      return undecided(
        .unreachable,
        "The ticket names a key that \(host) tells no more: it was withdrawn.\(Self.fetching(fault()))")
    case .noKeys:
      let fault = fault()
      return undecided(
        fault.map { $0.reason.isFault ? $0.reason : .unreachable } ?? .unreachable,
        Self.withoutKeys(of: host, fault))
    case .found(let key):
      guard ticket.isSigned(by: key) else {
        return refused(
          .notGenuine, "The key that the ticket names has not signed it: it was changed on its way, or is forged.")
      }
    }
    return judgement(of: ticket, at: now)
  }

  /// Judges a ticket that its issuer has signed.
  private func judgement(of ticket: SignedTicket, at now: WallTime?) -> Judgement {
    func refused(_ reason: RefuseReason, _ words: String) -> Judgement {
      Judgement(verdict: .refused(reason), words: words, ticket: ticket)
    }
    guard ticket.tenant.utf8.elementsEqual(tenant.utf8) else {
      return refused(
        .wrongEvent,
        "The ticket is of the organisation \(Self.shown(ticket.tenant)); those of \(tenant) admit (org"
          + "\(tenantPlace.map { ", \($0)" } ?? "")).")
    }
    if let admitted, let performances, !admitted.contains([UInt8](ticket.performance.utf8)) {
      let named = performances.prefix(Self.mostNamed).map { Self.shown($0) }.joined(separator: ", ")
      let more = performances.count > Self.mostNamed ? " and \(performances.count - Self.mostNamed) more" : ""
      return refused(
        .wrongEvent,
        "The ticket is for \(Self.shown(ticket.performance)), seat \(Self.shown(ticket.seat)); this gate admits to "
          + "\(named)\(more).")
    }
    guard let now else {
      return Judgement(
        verdict: .undecided(
          .clockWrong,
          "Whether the ticket is still good cannot be told: nothing keeps this machine's clock right. Set the clock."),
        ticket: ticket)
    }
    let isFor = "for \(Self.shown(ticket.performance)), seat \(Self.shown(ticket.seat))"
    // Both are at most 2^53.
    if now.seconds >= ticket.ends + Self.skew {
      return refused(
        .expired,
        "The ticket, \(isFor), ended at \(WallTime(seconds: ticket.ends).iso8601Seconds); it is \(now.iso8601Seconds).")
    }
    // Its issuer has signed it, so it is no forgery: one of the clocks is wrong, and later it will be good.
    if now.seconds < ticket.issued - Self.skew {
      return refused(
        .tooEarly,
        "The ticket, \(isFor), was issued at \(WallTime(seconds: ticket.issued).iso8601Seconds), and here it is only "
          + "\(now.iso8601Seconds): one of the two clocks is wrong, its issuer's or this machine's.")
    }
    return Judgement(verdict: .good(ticket), ticket: ticket)
  }

  private func refused(_ reason: RefuseReason, _ words: String) -> Judgement {
    Judgement(verdict: .refused(reason), words: words)
  }

  private func undecided(_ reason: UndecidedReason, _ words: String) -> Judgement {
    Judgement(verdict: .undecided(reason, words))
  }

  private static func shown(_ name: String) -> String { StaffText.clean(name) ?? "?" }

  /// What becomes of a key that is missing. Whoever makes a name up must not bring the gate out of service: it is no fault.
  private static func fetching(_ fault: TransportFault?) -> String {
    fault.map { " Its keys cannot be fetched: \($0.detail)" }
      ?? " Its keys are being fetched; please present the ticket again in a minute."
  }

  /// That nobody can be admitted.
  /// - Parameter fault: what kept keys from being fetched last; `nil` where they are on their way.
  static func withoutKeys(of host: String, _ fault: TransportFault?) -> String {
    "No keys of \(host) are on board by which a ticket can be verified"
      + (fault.map { ", and they cannot be fetched: \($0.detail)" } ?? ": they are being fetched.")
  }
}
