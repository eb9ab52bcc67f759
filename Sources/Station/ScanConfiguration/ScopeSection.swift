internal import TicketSystemKit

/// For how long "once" holds for the tickets of a system: `ticketSystems.<name>.scope` and what belongs to it.
package enum TicketScope: Sendable, Equatable {
  /// For ever.
  case once
  /// For a day that begins at this hour of the station's civil time.
  case perDay(beginsAt: Int)
  /// For the event that is called so; another name begins anew.
  case perEvent(String)
  /// Until the person leaves through a gate whose direction is `out`.
  case untilExit
}

/// What the scope adds to the section of every ticket system.
enum ScopeSection {
  private enum Word: String, Sendable, CaseIterable {
    case once, perDay, perEvent, untilExit
  }

  private static let scope = SchemaKey.key(
    "scope", .choice(Word.self), default: .once,
    "For how long \"once\" holds: for ever, per day, per event, or until the person leaves by a gate of direction `out`."
  )
  private static let dayBegins = SchemaKey<Int>.optional(
    "dayBegins", .integer(0...23, "hours after midnight", example: "5"),
    "With `perDay`: when a day begins, by the station's time; 5 without it, so that a night belongs to its evening.")
  private static let event = SchemaKey<String>.optional(
    "event", .name("gala-2026"), "With `perEvent`: the event's name, which you choose. Another name begins anew.")

  static let keys = [scope.description, dayBegins.description, event.description]

  /// Reads the scope; `nil` only after an error was recorded.
  static func read(_ reader: SectionReader) -> TicketScope? {
    let word = reader.read(scope)
    let hour = reader.read(dayBegins)
    let name = reader.read(event)
    guard let word else { return nil }
    refuse("dayBegins", unless: word == .perDay, "perDay", reader)
    refuse("event", unless: word == .perEvent, "perEvent", reader)
    switch word {
    case .once: return .once
    case .untilExit: return .untilExit
    case .perDay: return .perDay(beginsAt: hour ?? 5)
    case .perEvent:
      if let name { return .perEvent(name) }
      if reader.entry("event") == nil {
        reader.findings.error(
          at: reader.position(of: "scope"), "scope: perEvent needs the event's name", "add event: gala-2026")
      }
      return nil
    }
  }

  private static func refuse(_ key: String, unless isInPlace: Bool, _ scope: String, _ reader: SectionReader) {
    guard !isInPlace, let place = reader.keyPosition(of: key) else { return }
    reader.findings.error(at: place, "\(key) belongs to scope: \(scope)", "write scope: \(scope), or remove \(key)")
  }
}
