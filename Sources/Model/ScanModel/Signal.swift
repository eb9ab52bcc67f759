/// Abstract feedback to the person and to staff; a gate's patterns turn it into lamps and sound.
package enum Signal: Hashable, Sendable {
  /// Pass now.
  case admit
  /// Pass now, without the ticket system's word: staff see that it is an admission of that sort.
  case provisional
  /// Not with this code.
  case refuse(RefuseReason)
  /// Not judged: scan again or ask staff.
  case undecided(UndecidedReason)
  /// A code was read and is being asked about.
  case busy
  /// Ready for the next person.
  case idle
  /// Ready, while the gate decides without its ticket system: instead of `idle`, for staff.
  case offline
  /// Nobody can pass here until an operator acts.
  case outOfService
  /// The station is being set up by a code that is held to its scanner.
  case setUp(SetUpSignal)

  /// The name in configuration and on the command line; a refusal's reason is not part of it, nor a step of setting up.
  package var name: String {
    switch self {
    case .admit: "admit"
    case .provisional: "provisional"
    case .refuse: "refuse"
    case .undecided: "undecided"
    case .busy: "busy"
    case .idle: "idle"
    case .offline: "offline"
    case .outOfService: "outOfService"
    case .setUp: "setUp"
    }
  }

  /// Whether it stays until another background replaces it, rather than being an event.
  package var isBackground: Bool {
    switch self {
    case .idle, .offline, .outOfService, .setUp(.armed): true
    case .admit, .provisional, .refuse, .undecided, .busy, .setUp: false
    }
  }
}

/// The port to a gate's outputs. No call blocks on a device: they hand over to whoever owns the outputs.
package protocol SignalOutput: Sendable {
  /// Plays lamps and sound of `signal`, pre-empting what plays now. Never touches a relay.
  func play(_ signal: Signal)

  /// Why no admission could open the gate now (what happened, to which line, and what to do); `nil` when one could.
  /// A gate asks before it asks the ticket system, so that no ticket is redeemed for a person who cannot pass.
  var admissionFault: String? { get }

  /// Opens the gate for one person: asks for one relay pulse, which starts after the running pulse and the passage gap,
  /// and plays `admit`, or `provisional`, when it starts. Returns when the pulse has started or cannot start.
  /// - Parameter isProvisional: whether the ticket system has not said yes; changes lamps and sound, nothing else.
  func admit(isProvisional: Bool) async -> PulseOutcome
}

/// What became of a relay pulse that was asked for.
package enum PulseOutcome: Sendable, Hashable {
  /// The relay is driven from `start` until `end`, whatever comes after.
  case started(start: MonotonicTime, end: MonotonicTime)
  /// The gate has no relay; lamps and sound were played.
  case noRelay
  /// The output could not be driven: what happened, to which line, and what to do. The gate surely stayed shut.
  case failed(String)
  /// Nobody can tell: the line was written with an error that does not say that nothing happened; or the admission was handed
  /// over, and whoever drives the outputs died or fell silent before the answer.
  /// The gate may have opened, so the admission must not be given back. What happened, and what to do.
  case unanswered(String)
}
