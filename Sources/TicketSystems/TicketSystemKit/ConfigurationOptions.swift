/// What a reading of the file needs from outside.
package struct ConfigurationOptions: Sendable {
  /// The ticket systems that this program speaks to; each declares its own sections.
  package var ticketSystems: [TicketSystemType]
  /// What is wrong with a layout, its variant, options, and the locale of its Compose table where there is one, in words;
  /// `nil` when all are there and good.
  package var keymapValidator:
    @Sendable (_ layout: String, _ variant: String, _ options: String, _ compose: String?) -> String?

  package init(
    ticketSystems: [TicketSystemType],
    keymapValidator:
      @escaping @Sendable (
        _ layout: String, _ variant: String, _ options: String, _ compose: String?
      ) -> String? = { _, _, _, _ in nil }
  ) {
    self.ticketSystems = ticketSystems
    self.keymapValidator = keymapValidator
  }

  /// A word after `type:`, for examples.
  package var exampleType: String { ticketSystems.first?.name ?? "TYPE" }
}
