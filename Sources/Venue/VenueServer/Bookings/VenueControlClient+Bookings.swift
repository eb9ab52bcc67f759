import Foundation
import NIOHTTP1

/// Bookings over the control socket.
extension VenueControlClient {
  /// Makes a booking; see `VenueServer.addBooking`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where none was made.
  package func addBooking(_ new: NewBooking) async throws -> MadeBooking {
    try read(
      try await tell(
        .POST, "bookings",
        [
          ("show", new.show), ("seats", new.seats.isEmpty ? nil : new.seats.joined(separator: ",")),
          ("count", new.count.map { "\($0)" }), ("customer", new.customer), ("email", new.email), ("code", new.code),
          ("status", new.status.rawValue),
        ]))
  }

  /// Gives a booking another status; see `VenueServer.setBooking`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where nothing was changed.
  package func setBooking(_ name: String, to status: BookingStatus = .cancelled) async throws {
    _ = try await tell(.PUT, "booking", [("id", name), ("status", status.rawValue)])
  }

  /// Puts a show on; see `VenueServer.addShow`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where none was put on.
  package func addShow(_ new: NewShow) async throws -> String {
    struct Told: Decodable { let id: String }
    let told: Told = try read(
      try await tell(
        .POST, "shows",
        [
          ("title", new.title), ("date", new.date), ("time", new.time), ("starts", new.starts),
          ("pence", new.pence.map { "\($0)" }), ("seated", new.hasSeatMap ? nil : "no"),
          ("elsewhere", new.isElsewhere ? "yes" : nil),
        ]))
    return told.id
  }

  /// Has somebody pay; see `VenueServer.pay`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where no such session is open.
  package func pay(
    session: String, _ state: CheckoutState = .paid, customer: String? = nil, email: String? = nil
  ) async throws {
    _ = try await tell(
      .PUT, "checkout",
      [("session", session), ("state", state.rawValue), ("customer", customer), ("email", email)])
  }

  /// Has all sessions end; see `VenueServer.endBookingSessions`.
  /// - Throws: `VenueError.noControl`.
  package func endBookingSessions() async throws { _ = try await ask(.DELETE, "booking-sessions") }

  /// What a mail to an account would have brought, as a line of JSON: `verify`, `reset`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where no account has the address.
  package func bookingMail(to email: String) async throws -> String {
    String(try await tell(.POST, "booking-mail", [("email", email)]).prefix { $0 != "\n" })
  }

  /// The theatre's bookings, shows or checkouts, a line of JSON each; see `VenueServer.theatre`.
  /// - Throws: `VenueError.noControl`.
  package func theatre(_ list: VenueServer.TheatreList) async throws -> [String] {
    try await lines("theatre/\(list.rawValue)")
  }
}
