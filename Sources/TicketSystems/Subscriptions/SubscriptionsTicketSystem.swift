package import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// The subscription API as a gate's ticket system: check online and keep our own book. One for each gate.
package struct SubscriptionsTicketSystem: TicketSystem {
  package let id: TicketSystemID
  package let rule: GateRule?
  let client: SubscriptionsClient
  let judge: SubscriptionJudge
  private let reader: PassReader
  private let list: ListOnBoard

  /// Makes the gate's face of `client`.
  /// - Parameter list: the list on board, for what is kept of single passes, and for the clock.
  init(
    id: TicketSystemID, client: SubscriptionsClient, reader: PassReader, settings: SubscriptionsSection.System,
    gate: SubscriptionsSection.Gate, list: ListOnBoard
  ) {
    self.id = id
    self.client = client
    self.reader = reader
    self.list = list
    let tiers = gate.tiers.isEmpty ? nil : Set(gate.tiers)
    judge = SubscriptionJudge(
      environment: settings.environment, grace: settings.renewalGrace, tiers: tiers, host: client.host)
    // A level is one of today: who was told another once is asked about.
    rule = tiers.map { tiers in
      GateRule(isLasting: false) { ticket in
        guard let tier = ticket?.kind.flatMap({ SubscriptionTier(rawValue: $0.lowercased()) }) else { return .unknown }
        return tiers.contains(tier)
          ? .takes : .bars(GateBar(.refuse(.wrongKind), detail: "It is a \(tier.rawValue) subscription."))
      }
    }
  }

  package var whereabouts: Whereabouts? { Whereabouts(host: client.host, cure: client.words.addressCure) }

  /// It is asked whether somebody is a member, and notes nothing.
  package var mayRedeem: Bool { false }

  package func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(SignedPass.ownForm(of: code)) }

  package func listedCode(_ code: Code) -> Code { PassReader.listedCode(code) }

  package func foldedKey(of code: Code) -> TicketKey? { nil }

  package func examine(_ code: Code, at time: WallTime) -> Examination {
    reader.examine(code, at: list.now().isTrusted ? time : nil)
  }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let began = client.time.now()
    guard began < request.deadline else {
      return AttemptOutcome(
        fate: .notSent, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: false, sentAt: nil,
        endedAt: began)
    }
    guard let presented = PassReader.presented(request.code) else {
      // Nobody is asked about what is no pass.
      return AttemptOutcome(
        fate: .answered, answer: .refused(.notGenuine, detail: nil), mayHaveRedeemed: false, sentAt: began,
        endedAt: began, isRemembered: true)
    }
    var check = MembershipCheck(
      presented: presented, deadline: request.deadline, isOwed: request.isOwed, ago: request.owedFor ?? .zero,
      system: self)
    if !request.isOwed, let outcome = check.remembered(at: began) { return outcome }
    return await check.ask(late: late)
  }

  /// By the list, which needs our token as every check does. Where it is of one user alone, that none was named shows that the token is
  /// good.
  package func reach(deadline: MonotonicTime) async -> Reach {
    await client.reach(deadline: deadline)
  }

  /// Takes what an answer says of a pass: for the next presentation, and for outages.
  func learn(_ answer: SubscriptionAnswer, of id: SubscriptionID, at ended: MonotonicTime) {
    let moment = SubscriptionJudge.Moment(trusted: trustedNow)
    if case .undecided(.keyRefused, _) = answer { client.forgetChecks() }
    guard let kept = judge.kept(answer, at: moment) else { return }
    list.keep(kept, of: Code(bytes: id.bytes))
    if case .told(let subscription, _) = answer, let kept {
      client.remember(
        CheckMemory.Check(subscription: subscription, until: kept.ends, now: kept.at, at: ended), of: id)
    } else {
      client.remember(nil, of: id)
    }
  }

  /// Now, by our own clock; `nil` where that is not trusted.
  var trustedNow: WallTime? {
    let now = list.now()
    return now.isTrusted ? now.wall : nil
  }
}
