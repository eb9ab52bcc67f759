import ScanModel
import WireText

/// A verdict as staff see it: in colour, shape and words, and with what they may be asked about it.
struct ShownVerdict: Equatable, Sendable {
  /// `admit`, `refuse` or `undecided`.
  let name: String
  /// Why; `nil` of an admission.
  let reason: String?
  /// Whether the ticket system has still to be told.
  let isProvisional: Bool
  /// The last characters of the code.
  let code: String
  /// Tickets, holder, event, use before, and what is wrong; each a few words.
  let facts: [String]
  /// What happened, and what to do.
  let detail: String?
  /// How long it took.
  let took: String?

  /// Reads a `scan` event.
  init(_ json: JSONValue, _ clock: PageClock) {
    name = json["verdict"]?.string ?? "?"
    reason = json["reason"]?.string
    isProvisional = json["provisional"] == .bool(true)
    code = json["code"]?.string ?? "…"
    facts = Self.facts(json, clock)
    detail = json["detail"]?.string
    took = Self.time(json["decided_ms"])
  }

  private static func facts(_ json: JSONValue, _ clock: PageClock) -> [String] {
    func short(_ name: String) -> String? { json[name]?.string.map { TerminalText.clean($0, limit: 60) } }
    var facts = [short("holder"), short("event"), short("kind")].compactMap(\.self)
    let seats = json["seats"]?.array?.compactMap(\.string) ?? []
    if !seats.isEmpty { facts.append(TerminalText.clean(seats.joined(separator: ", "), limit: 60)) }
    let tickets =
      json["tickets"]?.array?.reduce(Int64(0)) { saturatingSum($0, max(0, $1["quantity"]?.integer ?? 0)) } ?? 0
    if tickets > 1 { facts.append("\(tickets) tickets") }
    if let admitted = json["admitted"]?.integer, admitted > 0 {
      facts.append(json["allowance"]?.integer.map { "\(admitted) of \($0) in" } ?? "\(admitted) in")
    }
    if json["verdict"]?.string != "admit", let used = json["first_used_at"]?.string.flatMap({ WallTime(iso8601: $0) }) {
      facts.append("used \(clock.short(used))\(short("first_used_gate").map { ", gate \($0)" } ?? "")")
    }
    if let note = short("note") { facts.append("(\(note))") }
    if json["reader"]?.string == "console" { facts.append("typed") }
    return facts + [json["output_fault"]?.string.map { "the relay: \(TerminalText.clean($0))" }].compactMap(\.self)
  }

  /// Milliseconds with one decimal; `nil` where the event does not say.
  private static func time(_ json: JSONValue?) -> String? {
    guard case .number(let text)? = json else { return nil }
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first, whole.count < 12 else { return nil }
    return "\(whole).\(parts.dropFirst().first?.first ?? "0") ms"
  }

  /// Its colour; amber is for staff to look.
  var colour: Paint.Colour {
    switch name {
    case "admit": isProvisional ? .amber : .green
    case "refuse": .red
    default: .amber
    }
  }

  /// Its shape and words, such as `✓ ADMIT`.
  var word: String {
    switch name {
    case "admit": isProvisional ? "✓ ADMIT provisional" : "✓ ADMIT"
    case "refuse": "✗ REFUSE"
    default: "? \(name.uppercased())"
    }
  }

  /// As `demo` shows it; a second line where nobody could be asked.
  var lines: [ScreenLine] {
    var line = ScreenLine(" \(word) ", .badge(colour))
    if let reason { line.add(" \(reason)") }
    line.add(apart: code)
    for fact in facts { line.add(apart: fact) }
    line.add(apart: took)
    return [line] + (detail.flatMap { name == "undecided" ? [ScreenLine("  \($0)")] : nil } ?? [])
  }

  /// As `demo --plain` writes it, and why where nobody could be asked.
  var plain: ScreenLine {
    var line = ScreenLine(([name] + [isProvisional ? "provisional" : reason].compactMap(\.self)).joined(separator: " "))
    line.pad(to: 22)
    line.add(apart: code)
    for fact in facts { line.add(apart: fact) }
    line.add(apart: took)
    if name == "undecided" { line.add(apart: detail) }
    return line
  }
}
