internal import TicketSystemKit

/// How the list of tickets on board is used: `ticketSystems.<name>.list`.
package struct TicketListConfiguration: Sendable, Equatable {
  /// How old the list may be to admit by it.
  package var maxAge = Duration.seconds(24 * 3_600)
  /// How often what was sold for yesterday, today and tomorrow is asked for; `nil` for never.
  package var refresh: Duration?
  /// Whether it keeps holders and seats, sealed.
  package var keepsDetails = false
  /// For how long what the ticket system has said of one ticket admits offline, whatever the list; `nil` where that is not kept. The
  /// system's own section says it.
  package var freshFor: Duration?

  /// Makes what holds where the file says nothing: a list admits for a day.
  package init() {}
}

/// What the list on board adds to the section of a ticket system.
struct TicketListSection {
  private static let refresh = SchemaKey<Duration>.optional(
    "refresh", .age(.seconds(60) ... .seconds(86_400), example: "10 min"),
    "How often the ticket system is asked for what was sold for yesterday, today and tomorrow, where it tells that: while nobody scans, "
      + "from a quarter of its budget. Without it a list is what was imported.")

  private static let details = SchemaKey.key(
    "details", .boolean, default: TicketListConfiguration().keepsDetails,
    "Whether the list keeps holders and seats, sealed, for staff: gone a day after the show began. Without it there is nothing of them on the "
      + "station.")

  private let list: SchemaKey<TicketListConfiguration>

  /// The key, for the documentation.
  var key: KeyDescription { list.description }

  /// - Parameter age: how old what it says of a ticket may be, where the file says nothing.
  init(_ age: Duration) {
    let maxAge = SchemaKey.key(
      "maxAge", .age(.seconds(60) ... .seconds(366 * 86_400), example: "24 h"), default: age,
      "How old may be what the list says of a ticket. Nobody is admitted by what is older.")
    let schema = SectionSchema("ticketSystems.<name>.list", maxAge, Self.refresh, Self.details)
    var usual = TicketListConfiguration()
    usual.maxAge = age
    list = .key(
      "list",
      .section(schema, example: "{ maxAge: 24 h }") { reader in
        let (refresh, details) = (reader.read(Self.refresh), reader.read(Self.details))
        guard let maxAge = reader.read(maxAge), let details else { return nil }
        var list = TicketListConfiguration()
        (list.maxAge, list.refresh, list.keepsDetails) = (maxAge, refresh, details)
        return list
      }, default: usual,
      "The list of tickets on board, for gates whose `offline.policy` is `list`.")
  }

  /// Reads the section; `nil` only after an error was recorded.
  func read(_ reader: SectionReader) -> TicketListConfiguration? { reader.read(list) }
}
