/// An order of staff, as the journal has it: once before anything is done, and once when it is known what became of it.
package struct JournaledOrder: Sendable, Equatable {
  /// Its number.
  package var id: OrderID
  /// Which, by its name in events.
  package var kind: String
  /// The gate that it is for; `nil` where it is for none.
  package var gate: GateID?
  /// What it says besides: `on`, a signal, a shortened code.
  package var subject: String?
  /// Who gave it, as the program said.
  package var who: String
  /// The user that gave it, as the kernel said.
  package var user: UInt32
  /// Why; empty where nobody said.
  package var why: String
  /// What became of it, by its name in events; `nil` before anything is done.
  package var outcome: String?
  /// Why it was refused, by its name in events.
  package var reason: String?
  /// What happened, in words.
  package var detail: String?
  /// The scan that it made, or took back.
  package var scan: ScanID?
  /// When.
  package var at: JournalTime

  package init(
    id: OrderID, kind: String, gate: GateID?, subject: String? = nil, who: String, user: UInt32, why: String,
    outcome: String? = nil, reason: String? = nil, detail: String? = nil, scan: ScanID? = nil, at: JournalTime
  ) {
    self.id = id
    self.kind = kind
    self.gate = gate
    self.subject = subject
    self.who = who
    self.user = user
    self.why = why
    self.outcome = outcome
    self.reason = reason
    self.detail = detail
    self.scan = scan
    self.at = at
  }
}
