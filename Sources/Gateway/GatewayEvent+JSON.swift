public import ScanModel
import ScanPipeline

extension GatewayEvent {
  /// The event as one line of JSON, without the line feed; the contract is `docs/events.md`.
  public var jsonLine: String {
    var line = JSONLine()
    switch self {
    case .scan(let decided):
      line.add("type", "scan")
      line.add("id", decided.scan.id.description)
      line.add("gate", decided.scan.gate.name)
      line.add("reader", decided.scan.reader.name)
      line.add("code", decided.scan.code.shortened)
      line.add("symbology", decided.scan.symbology?.description)
      line.add("verdict", decided.verdict.name)
      line.add("reason", decided.verdict.reason)
      line.add("holder", decided.details.holder)
      line.add("event", decided.details.event)
      line.add("tickets", lines: decided.details.tickets)
      line.add("admitted", Int64(decided.admitted))
      line.add("allowance", Int64(decided.allowance))
      line.add("decided_by", decided.decider.rawValue)
      line.add("provisional", decided.isProvisional)
      line.add("first_used_at", decided.firstUse?.at.iso8601)
      line.add("first_used_gate", decided.firstUse?.gate?.name)
      line.add("note", decided.note?.rawValue)
      line.add("detail", decided.detail)
      line.add("output_fault", decided.outputFault)
      line.add("read_at", decided.readAt.iso8601)
      line.add(milliseconds: "decided_ms", decided.decidedIn)
    case .repeat(let gate, let reader, let code, let at):
      line.add("type", "repeat")
      line.add("gate", gate.name)
      line.add("reader", reader.name)
      line.add("code", code.shortened)
      line.add("at", at.iso8601)
    case .attempt(let attempt):
      line.add("type", "attempt")
      line.add("id", attempt.attempt.description)
      line.add("scan", attempt.scan.description)
      line.add("gate", attempt.gate.name)
      line.add("code", attempt.code.shortened)
      line.add("state", attempt.state.rawValue)
      line.add("at", attempt.at.iso8601)
    case .dropped(let count):
      line.add("type", "dropped")
      line.add("count", Int64(count))
    case .device(let reader, let state, let at):
      line.add("type", "device")
      line.add("reader", reader.name)
      line.add("state", state.name)
      line.add("detail", state.detail)
      line.add("at", at.iso8601)
    case .discarded(let reader, let reason, let characters, let at):
      line.add("type", "discarded")
      line.add("reader", reader.name)
      line.add("reason", reason.rawValue)
      line.add("characters", Int64(characters))
      line.add("at", at.iso8601)
    case .identityChanged(let reader, let before, let after, let at):
      line.add("type", "identityChanged")
      line.add("reader", reader.name)
      line.add("before_model", before.model)
      line.add("before_name", before.name)
      line.add("before_serial", before.serial)
      line.add("after_model", after.model)
      line.add("after_name", after.name)
      line.add("after_serial", after.serial)
      line.add("at", at.iso8601)
    case .gate(let gate, let state, let at):
      line.add("type", "gate")
      line.add("gate", gate.name)
      line.add("state", state.name)
      if case .fault(let reason, let detail) = state {
        line.add("reason", reason.rawValue)
        line.add("detail", detail)
      } else {
        line.add("reason", nil as String?)
        line.add("detail", nil as String?)
      }
      line.add("at", at.iso8601)
    case .input(let gate, let input, let isActive, let at):
      line.add("type", "input")
      line.add("gate", gate.name)
      line.add("input", input)
      line.add("state", isActive ? "active" : "inactive")
      line.add("at", at.iso8601)
    case .configuration(let outcome, let at):
      line.add("type", "configuration")
      line.add("state", outcome.name)
      line.add("detail", outcome.detail)
      line.add("at", at.iso8601)
    case .ticketSystem(let system, let offline, let owed, let at):
      line.add("type", "ticketSystem")
      line.add("ticket_system", system.name)
      line.add("state", offline == nil ? "online" : "offline")
      line.add("reason", offline?.rawValue)
      line.add("owed", Int64(owed))
      line.add("at", at.iso8601)
    case .conflict(let conflict):
      line.add("type", "conflict")
      line.add("id", conflict.owed.attempt.description)
      line.add("scan", conflict.owed.scan.id.description)
      line.add("gate", conflict.owed.scan.gate.name)
      line.add("code", conflict.owed.scan.code.shortened)
      line.add("admitted_at", conflict.owed.at.wall.iso8601)
      line.add("decided_by", conflict.owed.decider.rawValue)
      line.add("state", conflict.told.ending.rawValue)
      line.add("reason", conflict.told.reason?.rawValue)
      line.add("detail", conflict.told.said)
      line.add("at", conflict.told.at.wall.iso8601)
    case .journal(let state, let at):
      line.add("type", "journal")
      line.add("state", state.name)
      line.add("detail", state.detail)
      line.add("at", at.iso8601)
    }
    return line.finished()
  }
}

extension GateState {
  /// The name in events.
  public var name: String {
    switch self {
    case .ready: "ready"
    case .fault: "fault"
    case .maintenance: "maintenance"
    }
  }
}

extension JournalState {
  /// The name in events.
  public var name: String {
    switch self {
    case .working: "working"
    case .failing: "failing"
    case .noticed: "noticed"
    }
  }

  /// The words that come with the state, if any.
  public var detail: String? {
    switch self {
    case .working: nil
    case .failing(let fault): fault.description
    case .noticed(let words): words
    }
  }
}

extension ReaderState {
  /// The words that come with the state, if any.
  public var detail: String? {
    switch self {
    case .parked: nil
    case .waiting(let words), .reading(let words), .failed(let words): words
    }
  }
}

extension WallTime {
  /// UTC with milliseconds by ISO 8601 (RFC 3339), such as `2026-01-31T18:00:00.000Z`.
  public var iso8601: String {
    let second = (seconds % 86_400 + 86_400) % 86_400
    let days = (seconds - second) / 86_400
    // Days to civil date, after Howard Hinnant's public "chrono-compatible low-level date algorithms".
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let millisecond = (nanoseconds &- seconds &* 1_000_000_000) / 1_000_000

    func digits(_ value: Int64, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T"
      + "\(digits(second / 3_600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2)).\(digits(millisecond, 3))Z"
  }
}
