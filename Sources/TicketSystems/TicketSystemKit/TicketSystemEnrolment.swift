/// How set-up codes bring a ticket system: its server and key, and what it says of each gate.
package struct TicketSystemEnrolment<System: Sendable, Gate: Sendable>: Sendable {
  /// The key of the section that is `true` where a set-up code is awaited.
  package let key: String
  /// Whether a section awaits its code.
  package let isAwaited: @Sendable (System) -> Bool
  /// The section with the address and key that a code brought, `nil` where the address is none; made anew where there is no
  /// section.
  package let enrolled: @Sendable (System?, _ url: String, _ key: CredentialReference) -> System?
  /// A gate's section with what the ticket system says of the gate, where the file says nothing.
  package let gate: @Sendable (Gate?, EnrolledGate) -> Gate
  /// Whether a gate takes one kind of the tickets alone.
  package let isNarrow: @Sendable (Gate) -> Bool

  package init(
    key: String, isAwaited: @escaping @Sendable (System) -> Bool,
    enrolled: @escaping @Sendable (System?, _ url: String, _ key: CredentialReference) -> System?,
    gate: @escaping @Sendable (Gate?, EnrolledGate) -> Gate, isNarrow: @escaping @Sendable (Gate) -> Bool
  ) {
    self.key = key
    self.isAwaited = isAwaited
    self.enrolled = enrolled
    self.gate = gate
    self.isNarrow = isNarrow
  }
}

/// What a ticket system says of a gate that was enrolled.
package struct EnrolledGate: Sendable, Equatable {
  /// The ticket within a sale that the gate takes; `nil` for the first.
  package var saleTicket: Int64?
  /// What is noted as the seat with each entry.
  package var seat: String?

  package init(saleTicket: Int64?, seat: String?) {
    self.saleTicket = saleTicket
    self.seat = seat
  }
}
