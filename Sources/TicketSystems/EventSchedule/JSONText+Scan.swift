internal import WireText

extension JSONText {
  /// Adds the two parameters that every scan may have, where they are configured.
  mutating func add(saleTicketID: Int64?, seatNumber: String?) {
    if let saleTicketID { add("sale_ticket_id", String(saleTicketID)) }
    if let seatNumber { add("seat_number", Self.string(seatNumber)) }
  }
}
