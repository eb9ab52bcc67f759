internal import TicketSystemKit

/// How the list of tickets on board is used: `ticketSystems.<name>.list`.
package struct TicketListConfiguration: Sendable, Equatable {
  /// How old the list may be to admit by it.
  package var maxAge = Duration.seconds(24 * 3_600)
  /// How often what was sold for yesterday, today and tomorrow is asked for; `nil` for never.
  package var refresh: Duration?
  /// For how long what the ticket system has said of one ticket admits offline, whatever the list; `nil` where that is not kept. The
  /// system's own section says it.
  package var freshFor: Duration?

  /// Makes what holds where the file says nothing: a list admits for a day.
  package init() {}
}

/// What the list on board adds to the section of every ticket system.
enum TicketListSection {
  private static let maxAge = SchemaKey.key(
    "maxAge", .age(.seconds(60) ... .seconds(366 * 86_400), example: "24 h"),
    default: TicketListConfiguration().maxAge,
    "How old may be what the list says of a ticket. Nobody is admitted by what is older.")

  private static let refresh = SchemaKey<Duration>.optional(
    "refresh", .age(.seconds(60) ... .seconds(86_400), example: "10 min"),
    "How often the ticket system is asked for what was sold for yesterday, today and tomorrow, where it tells that: while nobody scans, "
      + "from a quarter of its budget. Without it a list is what was imported.")

  static let schema = SectionSchema("ticketSystems.<name>.list", maxAge, refresh)

  private static let list = SchemaKey.key(
    "list",
    .section(schema, example: "{ maxAge: 24 h }") { reader in
      let refresh = reader.read(refresh)
      return reader.read(maxAge).map { age in
        var list = TicketListConfiguration()
        (list.maxAge, list.refresh) = (age, refresh)
        return list
      }
    }, default: TicketListConfiguration(),
    "The list of tickets on board, for gates whose `offline.policy` is `list`.")

  static let key = list.description

  /// Reads the section; `nil` only after an error was recorded.
  static func read(_ reader: SectionReader) -> TicketListConfiguration? { reader.read(list) }
}
