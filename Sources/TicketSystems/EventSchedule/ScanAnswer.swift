internal import WireText
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// What an answer to a scan means. Pure. It admits on one thing only: 201, JSON, an entry, its time, and a paid sale.
struct ScanAnswer: Equatable {
  /// What the ticket system said.
  var answer: TicketAnswer
  /// Whether the server may have recorded an admission.
  var mayHaveRedeemed: Bool
  /// The sale that an admission is on.
  var sale: Sale?

  private init(_ answer: TicketAnswer, mayHaveRedeemed: Bool = false) {
    self.answer = answer
    self.mayHaveRedeemed = mayHaveRedeemed
  }

  private static func undecided(_ reason: UndecidedReason, _ detail: String, mayHaveRedeemed: Bool = false)
    -> ScanAnswer
  {
    ScanAnswer(.undecided(reason, detail: detail), mayHaveRedeemed: mayHaveRedeemed)
  }

  /// Judges an answer of the server called `host`. Only a refusal in the API's own form says that nothing was redeemed: whatever
  /// stands in between can answer in the server's place while the request arrives.
  /// - Parameters:
  ///   - secrets: what the server's text must not show, should it repeat it.
  ///   - words: which settings to look at.
  init(
    _ answer: HTTPAnswer, host: String, saleTicketID: Int64?, hiding secrets: [Redaction] = [],
    words: ServerWords = ServerWords()
  ) {
    let isRefusal = answer.isRefusal
    switch answer.status {
    case 201: self = Self.created(answer, host: host, saleTicketID: saleTicketID, secrets)
    case 408, 500...599:
      self = .undecided(
        .unreachable, "\(host) is out of order (\(answer.status)); it may have counted the scan.", mayHaveRedeemed: true
      )
    case 429 where !isRefusal:
      self = .undecided(
        .rateLimited, "\(host), or what stands before it, gets more requests than it allows (429).",
        mayHaveRedeemed: true)
    case 400...499 where !isRefusal:
      self = .undecided(
        .badAnswer,
        "\(host) answered \(answer.status), but not as the ticket system does: a firewall, proxy or portal may have answered in its "
          + "place. Check the way to it. \(words.addressCure)", mayHaveRedeemed: true)
    case 400...499:
      let said = ServerText(answer.body, hiding: secrets)
      self = Self.refusal(answer.status, said, host: host, saleTicketID: saleTicketID, words)
    case 300...399:
      self = .undecided(
        .badAnswer,
        "\(host) wants to send us elsewhere (\(answer.status)). The address in the configuration must be the final one. "
          + words.addressCure, mayHaveRedeemed: true)
    default:
      self = .undecided(
        .badAnswer,
        "\(host) answered \(answer.status), which is no answer of the scan API"
          + answer.placeDoubt
          + words.addressCure, mayHaveRedeemed: true)
    }
  }

  /// A refusal of the API itself: nothing was redeemed.
  private static func refusal(
    _ status: Int, _ said: ServerText, host: String, saleTicketID: Int64?, _ words: ServerWords
  ) -> ScanAnswer {
    switch status {
    case 400, 409: badRequest(status, said, host: host)
    case 401:
      .undecided(
        .keyRefused,
        "\(host) does not know our API key (401). \(words.keyCure)")
    case 403: forbidden(said, host: host, words)
    case 404: notFound(said, host: host, saleTicketID: saleTicketID, words)
    case 422:
      .undecided(
        .badAnswer,
        "\(host) did not understand the request (422)\(said.quoted). "
          + (saleTicketID == nil
            ? "Is it a version that we know?" : "Check sale_ticket_id and seat_number of this gate."))
    case 423:
      .undecided(
        .keyBlocked, "\(host) blocks our API key for 15 minutes after too many failures (423). \(words.keyCure)")
    case 429: .undecided(.rateLimited, "\(host) gets more requests than it allows (429).")
    default:
      .undecided(
        .badAnswer,
        "\(host) answered \(status), which is no answer of the scan API\(said.quoted). \(words.addressCure)")
    }
  }

  private static func created(
    _ answer: HTTPAnswer, host: String, saleTicketID: Int64?, _ secrets: [Redaction]
  ) -> ScanAnswer {
    func bad(_ what: String) -> ScanAnswer {
      .undecided(.badAnswer, "\(host) answered 201, but \(what). It may have counted the scan.", mayHaveRedeemed: true)
    }
    guard answer.isJSON else { return bad("not as JSON") }
    guard let document = try? JSONValue(answer.body) else { return bad("its JSON cannot be read") }
    guard let data = document["data"], let entryID = data["entry_id"]?.identifier else {
      return bad("without an entry_id")
    }
    guard let scannedAt = data["scanned_at"]?.string.flatMap(WallTime.init(iso8601:)) else {
      return bad("without a time in scanned_at")
    }
    guard let sale = Sale(data["sale"], hiding: secrets) else { return bad("without the sale's status") }
    let saleID = data["sale_id"]?.identifier ?? sale.id
    guard sale.id == nil || sale.id == saleID else { return bad("its sale_id and the sale's id are not the same") }
    let refusal: RefuseReason
    switch sale.status {
    case .paid:
      // Our own clock has no say in it: the ticket is redeemed, and the answer's times are those of one server.
      let redemption = Redemption(
        entryID: entryID, scannedAt: scannedAt, quantity: sale.quantity(of: saleTicketID), sale: saleID,
        saleQuantity: sale.persons, details: sale.details)
      var judged = ScanAnswer(.redeemed(redemption), mayHaveRedeemed: true)
      judged.sale = sale
      return judged
    case .unpaid: refusal = .unpaid
    case .cancelled: refusal = .cancelled
    case .refunded: refusal = .refunded
    case .expired: refusal = .expired
    case .deleted: refusal = .notFound
    case .other(let status): return bad("with the unknown sale status “\(status)”")
    }
    // The real server lets expired sales and deleted ones through and records an entry.
    return ScanAnswer(.refused(refusal, detail: nil), mayHaveRedeemed: true)
  }

  private static func badRequest(_ status: Int, _ said: ServerText, host: String) -> ScanAnswer {
    let reasons: [(String, RefuseReason)] = [
      ("not valid for today", .wrongDay), ("not paid", .unpaid), ("cancelled", .cancelled), ("refunded", .refunded),
      ("expired", .expired), ("already", .alreadyUsed), ("duplicate scan", .alreadyUsed),
    ]
    for (text, reason) in reasons where said.contains(text) { return ScanAnswer(.refused(reason, detail: said.shown)) }
    return .undecided(.badAnswer, "\(host) did not understand the request (\(status))\(said.quoted).")
  }

  private static func forbidden(_ said: ServerText, host: String, _ words: ServerWords) -> ScanAnswer {
    if said.contains("not authorized to scan this ticket") || said.error?.lowercased() == "unauthorized" {
      return ScanAnswer(.refused(.notAuthorised, detail: said.shown))
    }
    return .undecided(
      .accessDenied,
      "Our API key may not scan at \(host) (403)\(said.quoted). It must be a key of a user who may manage the event. "
        + words.keyCure)
  }

  private static func notFound(
    _ said: ServerText, host: String, saleTicketID: Int64?, _ words: ServerWords
  ) -> ScanAnswer {
    // A sale ticket belongs to one sale. A gate that asks for one that this sale lacks is misconfigured; the ticket itself
    // is not judged, and nobody is told that it is unknown.
    if saleTicketID != nil, said.contains("sale ticket not found") {
      return .undecided(
        .badAnswer,
        "\(host) knows the code, but not the sale ticket (404)\(said.quoted). Check sale_ticket_id of this gate.")
    }
    // A sale without tickets is an odd one, whatever its state; it says nothing of the gate.
    if said.contains("ticket not found") || said.contains("no tickets found in this sale") {
      return ScanAnswer(.refused(.notFound, detail: said.shown))
    }
    return .undecided(
      .badAnswer,
      "\(host) has no scan API at this address (404)\(said.quoted). \(words.addressCure)")
  }
}

/// The text in an answer that refuses: `error` or `message`.
struct ServerText {
  /// The text under `error`.
  let error: String?
  private let lower: String
  /// The text, made fit for staff.
  let shown: String?

  init(_ body: [UInt8], hiding secrets: [Redaction]) {
    let document = try? JSONValue(body)
    error = document?["error"]?.string
    let texts = [error, document?["message"]?.string].compactMap(\.self)
    let text = texts.first { !$0.isEmpty } ?? ""
    lower = text.lowercased()
    shown = StaffText.clean(text, hiding: secrets)
  }

  /// Whether the text holds `part`, which is in lower case.
  func contains(_ part: String) -> Bool { lower.contains(part) }

  /// The text as it follows a sentence of ours.
  var quoted: String { shown.map { ": “\($0)”" } ?? "" }
}

extension HTTPAnswer {
  /// Whether this is a refusal of the API itself: a 4xx other than 408, in JSON, with a text as `error` or `message`. Nothing else
  /// tells of our key, or that a request came to nothing.
  var isRefusal: Bool {
    guard (400...499).contains(status), status != 408, isJSON, let document = try? JSONValue(body) else { return false }
    return ["error", "message"].contains { document[$0]?.string?.contains { !$0.isWhitespace } == true }
  }
}
