/// A booking that is to be made.
package struct NewBooking: Sendable {
  /// The show: its id, what it was seeded as (`night`), or its title where one show alone has it.
  package var show: String
  /// Its seats, such as `F12`; empty where it has none of its own.
  package var seats: [String]
  /// How many it admits; nil for as many as it has seats, or one.
  package var count: Int?
  /// Who has booked.
  package var customer: String
  /// The buyer's address; nil for a made one.
  package var email: String?
  /// Its code; nil for a fresh one. Another booking may have the same.
  package var code: String?
  /// What it is worth.
  package var status: BookingStatus
  /// What it was seeded for.
  var label: String?

  /// A confirmed booking for one, of the night, unless told otherwise.
  package init(
    show: String = "night", seats: [String] = [], count: Int? = nil, customer: String = "A Guest", email: String? = nil,
    code: String? = nil, status: BookingStatus = .confirmed
  ) {
    (self.show, self.seats, self.count, self.customer) = (show, seats, count, customer)
    (self.email, self.code, self.status) = (email, code, status)
  }
}

/// A booking that was made.
package struct MadeBooking: Sendable, Equatable, Codable {
  /// Its id.
  package let id: String
  /// Its code, which admits: not for logs.
  package let code: String
}

/// A show that is to be put on.
package struct NewShow: Sendable {
  /// Its title.
  package var title: String
  /// Its day and time as the service tells them, whatever texts they are; where one is nil it follows from `starts`.
  package var date, time: String?
  /// When it begins; see `VenueMoment`.
  package var starts: String
  /// What each seat costs, in pence; nil for what its part of the house costs.
  package var pence: Int?
  /// Whether it has seats.
  package var hasSeatMap: Bool
  /// Whether it is at another venue, where the seeded staff has nothing to do.
  package var isElsewhere: Bool

  /// A show with seats that begins in half an hour, unless told otherwise.
  package init(
    title: String, date: String? = nil, time: String? = nil, starts: String = "30min", pence: Int? = nil,
    hasSeatMap: Bool = true, isElsewhere: Bool = false
  ) {
    (self.title, self.date, self.time, self.starts) = (title, date, time, starts)
    (self.pence, self.hasSeatMap, self.isElsewhere) = (pence, hasSeatMap, isElsewhere)
  }
}

/// What becomes of a checkout session.
package enum CheckoutState: String, Sendable, CaseIterable, Codable {
  /// Somebody has paid: the booking is made when the service is asked.
  case paid
  /// Somebody has paid, and the service has not come to it yet: its code is `PROCESSING`.
  case processing
  /// Somebody has paid for nothing that the service knows: its code is `ERROR`.
  case failed
}
