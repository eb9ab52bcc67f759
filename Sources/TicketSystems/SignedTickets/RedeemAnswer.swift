internal import ScanModel
internal import TicketTransport
internal import WireText

/// What an answer to `POST /v1/verification/redeem` means. Pure. It admits on one thing only: 200, JSON, `redeemed`, and the ticket that was
/// asked for.
///
/// ```
/// 200 redeemed, ours ─▶ redeemed          a 4xx in the API's own form ─▶ by its type: refused, or a fault of ours; nothing was redeemed
/// 408, 5xx ─▶ unreachable                 anything else ─▶ badAnswer; it may have redeemed
/// ```
struct RedeemAnswer: Equatable {
  /// What the ticket system said.
  var answer: TicketAnswer
  /// Whether it may have redeemed.
  var mayHaveRedeemed: Bool

  private init(_ answer: TicketAnswer, mayHaveRedeemed: Bool = false) {
    self.answer = answer
    self.mayHaveRedeemed = mayHaveRedeemed
  }

  private init(_ reason: UndecidedReason, _ detail: String, mayHaveRedeemed: Bool = false) {
    self.init(.undecided(reason, detail: detail), mayHaveRedeemed: mayHaveRedeemed)
  }

  /// Judges an answer of the server called `host`.
  /// - Parameters:
  ///   - ticket: what was asked for; `nil` where no ticket was.
  ///   - now: when the answer came, by our clock.
  ///   - secrets: what the server's text must not show, should it repeat it; made where there is such text.
  ///   - words: which settings to look at.
  init(
    _ answer: HTTPAnswer, of ticket: SignedTicket?, at now: WallTime, host: String,
    hiding secrets: @autoclosure () -> [Redaction], words: ServerWords
  ) {
    if let problem = RedeemProblem(answer), answer.status != 429 {
      self = Self.problem(problem, answer.status, host, secrets(), words)
      return
    }
    switch answer.status {
    case 200: self = Self.redeemed(answer, ticket, now, host, words)
    case 408, 500...599:
      self.init(
        .unreachable, "\(host) is out of order (\(answer.status)); it may have redeemed the ticket.",
        mayHaveRedeemed: true)
    case 429:
      // The limit stands before everything else, whatever form its words have.
      self.init(
        .rateLimited, "\(host), or what stands before it, gets more requests than it allows (429).",
        mayHaveRedeemed: !answer.isJSON)
    case 401 where answer.isJSON: self.init(.keyRefused, "\(host) does not take our token (401). \(words.keyCure)")
    case 403 where answer.isJSON:
      self.init(.accessDenied, "Our token may not redeem at \(host) (403). \(words.keyCure)")
    case 300...399:
      self.init(
        .badAnswer,
        "\(host) wants to send us elsewhere (\(answer.status)). The address in the configuration must be the final one. "
          + words.addressCure, mayHaveRedeemed: true)
    default:
      self.init(
        .badAnswer,
        "\(host) answered \(answer.status), which is no answer of the verification API"
          + (answer.isJSON
            ? ". "
            : answer.mediaType == nil
              ? ", and has no Content-Type. "
              : ": a firewall, proxy or portal may have answered in its place. Check the way to it. ")
          + words.addressCure, mayHaveRedeemed: true)
    }
  }

  private static func redeemed(
    _ answer: HTTPAnswer, _ ticket: SignedTicket?, _ now: WallTime, _ host: String, _ words: ServerWords
  ) -> RedeemAnswer {
    func bad(_ what: String) -> RedeemAnswer {
      RedeemAnswer(
        .badAnswer, "\(host) answered 200, but \(what). It may have redeemed the ticket. \(words.addressCure)",
        mayHaveRedeemed: true)
    }
    guard answer.mediaType != nil else {
      return bad("without a Content-Type, so that nobody can tell whether it is JSON")
    }
    guard answer.isJSON else { return bad("not as JSON: a firewall, proxy or portal may have answered in its place") }
    guard let told = try? JSONValue(answer.body) else { return bad("its JSON cannot be read") }
    guard told["status"]?.string == "redeemed" else { return bad("without the word that it is redeemed") }
    guard let ticket, told["jti"]?.string?.utf8.elementsEqual(ticket.id.utf8) == true else {
      return bad("of another ticket than was asked for")
    }
    let redemption = Redemption(
      // It tells no time: as fresh as its answer.
      entryID: ticket.id, scannedAt: answer.serverDate ?? now, quantity: 1, details: TicketDetails(ticket))
    return RedeemAnswer(.redeemed(redemption), mayHaveRedeemed: true)
  }

  /// A refusal of the API itself: nothing was redeemed.
  private static func problem(
    _ problem: RedeemProblem, _ status: Int, _ host: String, _ secrets: [Redaction], _ words: ServerWords
  ) -> RedeemAnswer {
    let said = problem.words.flatMap { StaffText.clean($0, hiding: secrets) }
    let quoted = said.map { ": “\($0)”" } ?? ""
    func refused(_ reason: RefuseReason) -> RedeemAnswer { RedeemAnswer(.refused(reason, detail: said)) }
    switch problem.kind {
    case "already_redeemed": return refused(.alreadyUsed)
    case "revoked": return refused(.cancelled)
    case "not_found": return refused(.notFound)
    case "expired": return refused(.expired)
    case "invalid_signature": return refused(.notGenuine)
    case "tenant_mismatch", "missing_org":
      // The ticket's own organisation is the one that we named.
      return RedeemAnswer(
        .accessDenied,
        "\(host) does not redeem tickets of our organisation for us (\(status))\(quoted). Check org: it must be the organisation's id, "
          + "and the token one of its own. \(words.keyCure)")
    case let kind?:
      let shown = StaffText.clean(kind, hiding: secrets) ?? ""
      return RedeemAnswer(
        .badAnswer,
        "\(host) cannot read a ticket that its own key has signed (\(status), \(shown))\(quoted). Is it another version of it? "
          + words.addressCure)
    case nil where status == 401:
      return RedeemAnswer(.keyRefused, "\(host) does not take our token (401)\(quoted). \(words.keyCure)")
    case nil where status == 403:
      return RedeemAnswer(
        .accessDenied,
        "Our token may not redeem at \(host) (403)\(quoted). It needs the scope tickets.redeem. \(words.keyCure)")
    case nil:
      return RedeemAnswer(
        .badAnswer,
        "\(host) answered \(status), which is no answer of the verification API\(quoted). \(words.addressCure)")
    }
  }
}

extension TicketDetails {
  /// What a ticket says of itself, made fit for staff.
  init(_ ticket: SignedTicket) {
    self.init(
      eventID: StaffText.clean(ticket.performance), seats: StaffText.clean(ticket.seat).map { [$0] } ?? [],
      ends: WallTime(seconds: ticket.ends))
  }
}

extension OfflineCause {
  /// What an answer's status says of the server.
  init?(status: Int) {
    switch status {
    case 502, 503, 504: self = .gatewayFault
    case 429: self = .rateLimited
    default: return nil
    }
  }
}
