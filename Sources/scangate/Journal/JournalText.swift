import WireText
import Journal
import ScanModel

/// The journal in words. Whatever the file says is cleaned here: it may come from a scanner, a server or a damaged disk.
enum JournalText {
  /// One line on a scan.
  static func line(_ row: JournalRow) -> String {
    var parts = [
      padded(LocalTime.text(row.at), 20), row.id.map { String($0.description.prefix(8)) } ?? "????????",
      padded(clean(row.gate.name), 10), padded(verdict(row.verdict, row.reason), 20), padded(code(row.code), 5),
      clean(row.decider),
    ]
    if isProvisional(row) { parts.append("provisional") }
    if row.annulledAt != nil { parts.append("annulled") }
    parts += [row.note, row.detail, row.outputFault.map { "outputs: \($0)" }].compactMap { $0.map { clean($0) } }
    return parts.joined(separator: "  ")
  }

  /// Whether somebody was admitted without the ticket system's word.
  private static func isProvisional(_ row: JournalRow) -> Bool {
    row.verdict == "admit" && [Decider.list, .policy].map(\.rawValue).contains(row.decider)
  }

  /// One line on an unsettled request.
  static func line(_ one: UnsettledAttempt) -> String {
    [
      padded(LocalTime.text(one.attempt.at), 20), String(one.attempt.scan.description.prefix(8)),
      padded(clean(one.attempt.gate.name), 10), padded(code(one.attempt.code), 5), padded(one.reason.rawValue, 11),
      words(one.reason),
    ].joined(separator: "  ")
  }

  /// One line on scans that were only counted.
  static func line(_ flood: JournalFlood) -> String {
    let (refused, undecided) = (flood.flood.refused, flood.flood.undecided)
    return [
      padded(LocalTime.text(flood.flood.began), 20), "to \(padded(LocalTime.text(flood.flood.at), 20))",
      padded(clean(flood.flood.gate.name), 10), "\(refused) refused, \(undecided) undecided",
    ].joined(separator: "  ")
  }

  /// Everything on a scan.
  /// - Parameter row: `nil` where it was never decided.
  static func lines(_ id: ScanID, _ row: JournalRow?, _ attempts: [JournalAttempt]) -> [String] {
    var lines = ["Scan \(id)"]
    func add(_ name: String, _ text: String?) {
      if let text { lines.append("  \(padded(name, 16))\(clean(text, limit: 1_000))") }
    }
    if let row {
      add("gate", "\(row.gate), reader \(row.reader)")
      add("code", (row.code?.shortened ?? "sealed") + (row.symbology.map { " (\($0))" } ?? ""))
      add("holder", row.holder)
      let event = [row.event, row.eventID.map { "(\($0))" }].compactMap(\.self)
      add("event", event.isEmpty ? nil : event.joined(separator: " "))
      add("verdict", verdict(row.verdict, row.reason))
      if isProvisional(row) {
        add("provisional", "the ticket system was away; what it was told later is below, or in scangate outbox status")
      }
      add("decided by", "\(row.decider), \(JSONText.milliseconds(row.decidedIn)) ms after the last byte")
      add("at", precise(row.at))
      add("note", row.note)
      add("detail", row.detail)
      add(
        "admitted", row.allowance == Entitlement.unlimited ? "\(row.admitted)" : "\(row.admitted) of \(row.allowance)")
      add("first admitted", row.firstUse.map(words))
      add("outputs", row.outputFault)
      add("annulled", row.annulledAt.map { "\(LocalTime.text($0, milliseconds: true)): nobody passed" })
      add("ticket system", row.system.name)
      add("entry", row.entryID)
      add("boot", row.boot.description)
    } else {
      lines.append("  No verdict was written: the gateway ended before, or it is being decided.")
      add("gate", attempts.first?.gate.name)
      add("code", attempts.first.map { $0.code?.shortened ?? "sealed" })
    }
    for attempt in attempts {
      lines.append("Request \(attempt.id)")
      lines.append("  \(precise(attempt.at))  asked \(clean(attempt.system.name)) at \(clean(attempt.server))")
      if attempt.conclusions.isEmpty { lines.append("  never concluded") }
      for conclusion in attempt.conclusions {
        lines.append("  \(precise(conclusion.at))  \(words(conclusion, of: attempt))")
      }
    }
    if attempts.isEmpty { lines.append("No request was sent for it.") }
    return lines
  }

  private static func words(_ use: FirstUse) -> String {
    let place = use.gate.map { "at gate \($0)" } ?? "elsewhere, by the ticket system's clock"
    return LocalTime.text(use.at, milliseconds: true) + " \(place)" + (use.request.map { ", by request \($0)" } ?? "")
  }

  private static func words(_ conclusion: JournalAttempt.Conclusion, of attempt: JournalAttempt) -> String {
    var parts = [conclusion.isLate ? "late: \(fate(conclusion.fate))" : fate(conclusion.fate)]
    if let verdict = conclusion.verdict {
      parts.append(Self.verdict(verdict, conclusion.reason))
    } else if !conclusion.isLate, conclusion.fate == "answered" || conclusion.fate == "notSent" {
      parts.append("it told of an admission")
    } else if !conclusion.isLate {
      parts.append(words(conclusion.boot == attempt.boot ? .ended : .interrupted))
    }
    if let entry = conclusion.entryID { parts.append("entry \(clean(entry))") }
    if let recorded = conclusion.recordedAt { parts.append("recorded \(LocalTime.text(recorded))") }
    if let said = conclusion.said { parts.append("the server said: \(clean(said))") }
    if conclusion.mayHaveRedeemed, conclusion.fate != "answered" { parts.append("it may have redeemed") }
    return parts.joined(separator: ", ")
  }

  private static func fate(_ name: String) -> String {
    switch name {
    case "notSent": "nothing was sent"
    case "answered": "answered"
    case "pending": "no answer yet (pending)"
    case "lost": "no answer will come (lost)"
    default: clean(name)
    }
  }

  private static func words(_ reason: UnsettledAttempt.Reason) -> String {
    switch reason {
    case .interrupted:
      "The machine ended while this ticket was being decided: whether somebody passed is not known. Staff decide."
    case .ended: "The gateway ended before an answer: no gate opened, but an admission may have been recorded."
    case .pending: "The gate stopped waiting, and no answer came since: an admission may have been recorded."
    case .lost: "No answer will come: an admission may have been recorded."
    case .open: "It was asked, and nothing was written since: start the service, which takes it up."
    }
  }

  private static func verdict(_ name: String, _ reason: String?) -> String {
    clean(([name] + [reason].compactMap(\.self)).joined(separator: " "))
  }

  private static func code(_ code: Code?) -> String { code?.shortened ?? "-" }

  private static func precise(_ time: JournalTime) -> String {
    LocalTime.text(time.wall, milliseconds: true) + (time.isTrusted ? "" : "?")
  }

  private static func clean(_ text: String, limit: Int = 200) -> String { TerminalText.clean(text, limit: limit) }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
  }
}
