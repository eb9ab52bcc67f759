import HTTPTypes
import ScanModel
import StationProtocol
import WireText

/// What became of an order, as the console answers it.
enum OrderAnswer {
  /// The object of an order that was done.
  /// - Throws: what is answered where it was not, or where nobody knows.
  static func text(_ form: OrderForm, _ outcome: OrderOutcome) throws(ConsoleAnswer) -> String {
    var json = JSONText()
    json.add("id", form.id.description)
    json.add("order", form.kind.rawValue)
    json.add("gate", form.action.gate?.name)
    json.add("outcome", outcome.name)
    var (words, scan, tickets): (String?, String?, [String]?) = (nil, nil, nil)
    switch outcome {
    case .done(let said): words = said
    case .decided(let line):
      // What is no JSON must not make this one none.
      if (try? JSONValue([UInt8](line.utf8))) != nil { scan = line }
    // No token is good for it.
    case .picture: break
    case .found(let found): tickets = found.map(object)
    case .refused(let refusal, let words): throw answer(form, refusal, words)
    case .unknown(let words): throw unknown(form, words)
    }
    json.add("detail", words.map { TerminalText.clean($0, limit: 1_000) })
    json.add("scan", object: scan)
    if let tickets { json.add("tickets", objects: tickets) } else { json.add("tickets", object: nil) }
    return json.text
  }

  /// Nobody knows whether it was done.
  static func unknown(_ form: OrderForm, _ words: String) -> ConsoleAnswer {
    var answer = ConsoleAnswer(
      .gatewayTimeout, "outcomeUnknown",
      "Nobody knows whether it was done: look at the gate. The same order may be given again with the same id, and is done once. "
        + TerminalText.clean(words, limit: 1_000))
    answer.members = [("id", form.id.description), ("order", form.kind.rawValue), ("outcome", "unknown")]
    return answer
  }

  private static func answer(_ form: OrderForm, _ refusal: OrderRefusal, _ words: String) -> ConsoleAnswer {
    var answer = ConsoleAnswer(status(refusal), "refused.\(refusal.rawValue)", TerminalText.clean(words, limit: 1_000))
    answer.members = [
      ("id", form.id.description), ("order", form.kind.rawValue), ("outcome", "refused"), ("refusal", refusal.rawValue),
    ]
    return answer
  }

  /// By which status a refusal is told.
  static func status(_ refusal: OrderRefusal) -> HTTPResponse.Status {
    switch refusal {
    case .notAllowed: .forbidden
    case .unknown, .nothingThere: .notFound
    case .tooMany: .tooManyRequests
    case .stale, .pulsing, .nothingToAnnul, .busy, .notInMaintenance, .outOfService, .numberUsed: .conflict
    case .notWritten: .serviceUnavailable
    }
  }

  private static func object(_ ticket: FoundTicket) -> String {
    var json = JSONText()
    json.add("code", ticket.code)
    json.add("ticket_system", ticket.system.name)
    json.add("holder", ticket.holder)
    json.add("event", ticket.event)
    json.add("admitted", Int64(ticket.admitted))
    json.add("allowance", number: ticket.allowance.map { Int64($0) })
    json.add("first_admitted_at", ticket.firstAdmitted?.iso8601)
    json.add("gate", ticket.gate?.name)
    json.add("detail", ticket.words)
    return json.text
  }
}
