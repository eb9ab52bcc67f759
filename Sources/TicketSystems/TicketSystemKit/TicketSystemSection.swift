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
  /// How old what the list says of a ticket may be, where the file says nothing.
  static var listAge: Duration { get }
  /// Whether how a code looks may be enough to open offline (`admitAndQueue`), where the file says so.
  static var mayOpenByForm: Bool { get }
  /// Reads the system's section; `nil` only after an error was recorded.
  static func readSystem(_ reader: SectionReader) -> System?
  /// Reads a gate's section; `nil` only after an error was recorded.
  static func readGate(_ reader: SectionReader) -> Gate?
  /// Why two gates of one system cannot both be as their sections say; `nil` where they can. A gate without a section has none.
  static func contradiction(_ earlier: Gate?, _ later: Gate?) -> GateContradiction?
}

/// Why two gates of one ticket system cannot both be as their sections say.
package struct GateContradiction: Sendable, Equatable {
  /// The key of the section.
  package var key: String
  /// What is wrong with it, to follow its name; `here` is the later gate, `there` the earlier one.
  package var words: String
  /// What to do.
  package var cure: String

  package init(key: String, words: String, cure: String) {
    self.key = key
    self.words = words
    self.cure = cure
  }
}

extension TicketSystemSection {
  /// Nothing is known of its codes.
  package static var accept: AcceptFilter { AcceptFilter() }
  /// It knows who went in.
  package static var scopes: ScopeRule { .once }
  /// A day.
  package static var listAge: Duration { .seconds(86_400) }
  /// Each gate is for itself.
  package static func contradiction(_ earlier: Gate?, _ later: Gate?) -> GateContradiction? { nil }
  /// Where its codes are hard to guess.
  package static var mayOpenByForm: Bool { true }
}
