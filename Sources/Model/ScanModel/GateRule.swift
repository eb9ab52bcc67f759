/// Which tickets a gate takes, where it does not take all that its ticket system would admit. It is of one gate; the ticket system's
/// adapter makes it, and whoever admits somebody on what is known already goes by it. Pure, quick, and never a request.
package struct GateRule: Sendable {
  /// Whether nobody passes without the ticket system unless what is known shows that the gate takes the ticket.
  package let needsProof: Bool
  /// Whether what was once known of a ticket stays true of it; else it bars nobody whom the ticket system can be asked about.
  package let isLasting: Bool
  private let judge: @Sendable (TicketDetails?) -> GateWord
  private let judgeNamed: @Sendable (String) -> GateWord
  private let stand: @Sendable () -> GateStanding
  private let notify: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Makes a rule.
  /// - Parameters:
  ///   - isLasting: no for what a ticket is today, and may not be tomorrow: a membership's level.
  ///   - standing: whether anybody could be admitted now.
  ///   - notify: takes whom to tell that this may have changed; it may be called from any thread, and returns at once.
  ///   - judgeNamed: the word on the event that a presented code names; it bars, or says that nothing more need be known.
  ///   - judge: the word on a ticket of which so much is known; `nil` where nothing is.
  package init(
    needsProof: Bool = true, isLasting: Bool = true, standing: @escaping @Sendable () -> GateStanding = { .open },
    notify: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in },
    judgeNamed: @escaping @Sendable (String) -> GateWord = { _ in .unknown },
    judge: @escaping @Sendable (TicketDetails?) -> GateWord
  ) {
    self.needsProof = needsProof
    self.isLasting = isLasting
    self.judgeNamed = judgeNamed
    self.judge = judge
    stand = standing
    self.notify = notify
  }

  /// Whether anybody could be admitted now, whoever comes.
  package var standing: GateStanding { stand() }

  /// Has `told` called whenever `standing` may have changed; from any thread, and to return at once.
  package func watch(_ told: @escaping @Sendable () -> Void) { notify(told) }

  /// The word on a ticket of which a trusted source has told so much: the ticket system, or the list on board.
  package func word(on ticket: TicketDetails?) -> GateWord { judge(ticket) }

  /// The word on the event that the presented code names (`RecognisedCode.event`), which nobody has signed: it may bar. That the
  /// gate takes the ticket means here that asking is worth its while, and admits nobody.
  package func word(onNamed event: String) -> GateWord { judgeNamed(event) }

  /// Why nobody passes on what is known of a ticket; `nil` where the gate takes it, or that cannot be told.
  package func bar(_ ticket: TicketDetails?) -> GateBar? { if case .bars(let bar) = judge(ticket) { bar } else { nil } }

  /// The same before the ticket system is asked, by what was told before; `nil` also where that may have changed.
  package func lastingBar(_ ticket: TicketDetails?) -> GateBar? { isLasting || ticket == nil ? bar(ticket) : nil }

  /// Whether what is known of a ticket shows that the gate takes it.
  package func takes(_ ticket: TicketDetails?) -> Bool { judge(ticket) == .takes }
}

/// A gate's word on a ticket.
package enum GateWord: Sendable, Equatable {
  /// The gate takes it.
  case takes
  /// The gate does not take it, or not now.
  case bars(GateBar)
  /// What is known does not tell.
  case unknown
}

/// Whether a gate could admit anybody, as far as its rule knows that without a ticket.
package enum GateStanding: Sendable, Equatable {
  /// It could.
  case open
  /// It could, as far as is known: what is not known, and what to do.
  case unproven(String)
  /// That is being asked, for the first time.
  case awaited
  /// It could not, until somebody acts: the reason, and what to do.
  case barred(UndecidedReason, String)
}

/// Why nobody passes at a gate on a ticket that its ticket system would admit.
package struct GateBar: Sendable, Equatable {
  /// The verdict; it can be no admission.
  package enum Reason: Sendable, Equatable {
    /// The ticket is not for the gate.
    case refuse(RefuseReason)
    /// Whether it is cannot be told.
    case undecided(UndecidedReason)
  }

  /// The verdict.
  package var reason: Reason
  /// For staff: of what the ticket is, or what is missing.
  package var detail: String?

  package init(_ reason: Reason, detail: String? = nil) {
    self.reason = reason
    self.detail = detail
  }

  /// What the gate does.
  package var verdict: Verdict {
    switch reason {
    case .refuse(let reason): .refuse(reason)
    case .undecided(let reason): .undecided(reason)
    }
  }

  /// Why the ticket is not for the gate; `nil` where that cannot be told.
  package var refusal: RefuseReason? { if case .refuse(let reason) = reason { reason } else { nil } }
}

/// What a ticket system tells of a ticket without redeeming it, as a gate's rule judges it.
package struct Inspection: Sendable, Equatable {
  /// The gate's word.
  package var word: GateWord
  /// The ticket within the sale that the gate takes, where it is known.
  package var line: TicketDetails.LineID?

  package init(_ word: GateWord, line: TicketDetails.LineID? = nil) {
    self.word = word
    self.line = line
  }
}
