internal import ScanModel
internal import TicketSystemKit

/// What the scope adds to the section of a ticket system: what its type allows.
struct ScopeSection {
  private let scope: SchemaKey<ScopeRule.Word>
  private let dayBegins = SchemaKey<Int>.optional(
    "dayBegins", .integer(0...23, "hours after midnight", example: "5"),
    "With `perDay`: when a day begins, by the station's time; 5 without it, so that a night belongs to its evening.")
  private let event = SchemaKey<String>.optional(
    "event", .name("gala-2026"), "With `perEvent`: the event's name, which you choose. Another name begins anew.")
  private let interval: SchemaKey<Duration>
  /// The keys, for the documentation.
  let keys: [KeyDescription]

  init(_ rule: ScopeRule) {
    let meanings = rule.allowed.map { $0.meaning }
    let last = meanings.count > 1 ? ", or " + meanings[meanings.count - 1] : ""
    scope = .key(
      "scope", .choice(of: rule.allowed) { $0.rawValue }, default: rule.usual,
      "For how long \"once\" holds: " + meanings.dropLast(meanings.count > 1 ? 1 : 0).joined(separator: ", ") + last
        + "."
    )
    interval = .key(
      "interval", .age(.seconds(60) ... .seconds(86_400), example: "15 min"), default: rule.interval,
      "With `every`: how long after an admission the same ticket is refused.")
    let more: [(ScopeRule.Word, KeyDescription)] = [
      (.perDay, dayBegins.description), (.perEvent, event.description), (.every, interval.description),
    ]
    keys = [scope.description] + more.filter { rule.allowed.contains($0.0) }.map(\.1)
  }

  /// Reads the scope; `nil` only after an error was recorded.
  func read(_ reader: SectionReader) -> TicketScope? {
    let word = reader.read(scope)
    let hour = read(dayBegins, of: .perDay, word, reader)
    let name = read(event, of: .perEvent, word, reader)
    let time = read(interval, of: .every, word, reader)
    guard let word else { return nil }
    switch word {
    case .once: return .once
    case .untilExit: return .untilExit
    case .perDay: return .perDay(begins: .seconds((hour ?? 5) * 3_600))
    case .every: return time.map { .every($0) }
    case .perEvent:
      if let name { return .perEvent(name) }
      if reader.entry("event") == nil {
        reader.findings.error(
          at: reader.position(of: "scope"), "scope: perEvent needs the event's name", "add event: gala-2026")
      }
      return nil
    }
  }

  private func read<Value>(
    _ key: SchemaKey<Value>, of owner: ScopeRule.Word, _ word: ScopeRule.Word?, _ reader: SectionReader
  ) -> Value? {
    guard keys.contains(where: { $0.name == key.name }) else { return nil }
    if let word, word != owner, let place = reader.keyPosition(of: key.name) {
      let scope = "scope: \(owner.rawValue)"
      reader.findings.error(at: place, "\(key.name) belongs to \(scope)", "write \(scope), or remove \(key.name)")
    }
    return reader.read(key)
  }
}

extension ScopeRule.Word {
  /// What follows "holds".
  fileprivate var meaning: String {
    switch self {
    case .once: "for ever"
    case .perDay: "per day"
    case .perEvent: "per event"
    case .untilExit: "until the person leaves by a gate of direction `out`"
    case .every: "for a time after each admission"
    }
  }
}
