/// For how long "once" may hold for the tickets of a type of ticket system.
package struct ScopeRule: Sendable {
  /// The words of `TicketScope`.
  package enum Word: String, Sendable, CaseIterable { case once, perDay, perEvent, untilExit, every }

  /// What the file may say.
  package let allowed: [Word]
  /// What holds where it says nothing: the first of these.
  package let usual: Word
  /// The time of `every` where it says none.
  package let interval: Duration

  /// A rule for systems that know who went in: by their record a ticket is used, whenever that was.
  package static let once = ScopeRule(.once, .perDay, .perEvent, .untilExit)

  /// Allows these, the usual one first.
  package init(_ usual: Word, _ others: Word..., interval: Duration = .seconds(900)) {
    allowed = [usual] + others
    self.usual = usual
    self.interval = interval
  }
}
