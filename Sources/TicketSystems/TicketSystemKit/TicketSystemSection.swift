package import Reading

/// What a type of ticket system declares of the configuration: the section of a system, and the part that each of its gates
/// may have.
package protocol TicketSystemSection: Sendable {
  /// What the system's section reads.
  associatedtype System: Sendable
  /// What a gate's `ticket` section reads.
  associatedtype Gate: Sendable

  /// The word after `type:`.
  static var type: String { get }
  /// The keys of `ticketSystems.<name>` besides `type`. The documentation has one table for each path.
  static var systemSchema: SectionSchema { get }
  /// The keys of `gates.<name>.ticket`.
  static var gateSchema: SectionSchema { get }
  /// What its codes look like, in its own form: what a gate takes that says nothing of it.
  static var accept: AcceptFilter { get }
  /// For how long "once" may hold for its tickets.
  static var scopes: ScopeRule { get }
  /// Reads the system's section; `nil` only after an error was recorded.
  static func readSystem(_ reader: SectionReader) -> System?
  /// Reads a gate's section; `nil` only after an error was recorded.
  static func readGate(_ reader: SectionReader) -> Gate?
}

extension TicketSystemSection {
  /// Nothing is known of its codes.
  package static var accept: AcceptFilter { AcceptFilter() }
  /// It knows who went in.
  package static var scopes: ScopeRule { .once }
}
