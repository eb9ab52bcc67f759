import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import VenueServer

/// A booking service of a shape with its seeded theatre, on an evening in London, by a clock that the test moves.
func withBookings(
  _ shape: BookingShape, at time: String = "2026-01-31T18:40:00Z", zone: String = "Europe/London",
  misbehaviours: [String] = [], change: (inout VenueConfiguration) -> Void = { _ in },
  _ body: (BookingVenue, ManualClock) async throws -> Void
) async throws {
  let clock = try ManualClock(time)
  var configuration = VenueConfiguration(
    failureDelay: .zero, now: { clock.now }, misbehaviours: try misbehaviours.map { try Misbehaviour($0) },
    bookingShape: shape)
  change(&configuration)
  try await withVenue(configuration) { venue in
    let theatre = try await venue.server.seedTheatre(random: 7, zone: zone)
    try await body(BookingVenue(venue: venue, theatre: theatre), clock)
  }
}

/// A venue whose booking service is asked.
struct BookingVenue {
  static let origin = ("Origin", "https://lastminutelive.com")

  let venue: RunningVenue
  let theatre: SeededTheatre

  var server: VenueServer { venue.server }

  func ask(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, headers: [(String, String)] = []
  ) async throws -> Reply {
    let type = body.map { _ in [("Content-Type", "application/json")] } ?? []
    return try await venue.request(
      method, path, headers: headers + type, body: body.map { [ByteBuffer(string: $0)] } ?? [])
  }

  func booking(_ kind: SeededBooking.Kind) throws -> SeededBooking { try #require(theatre.booking(kind)) }
  func show(_ kind: SeededShow.Kind) throws -> SeededShow { try #require(theatre.show(kind)) }

  // MARK: The door

  func signIn(
    _ email: String? = nil, password: String? = nil, slug: String = "hamilton"
  ) async throws -> Reply {
    try await ask(
      .POST, "/api/venue-auth-new",
      #"{"action":"login","email":"\#(email ?? theatre.staffEmail)","password":"\#(password ?? theatre.staffPassword)","venueSlug":"\#(slug)"}"#
    )
  }

  /// The `Cookie` that a client makes of the one that was set.
  func session(_ email: String? = nil, slug: String = "hamilton") async throws -> (String, String) {
    let set = try #require(try await signIn(email, slug: slug).headers["Set-Cookie"].first)
    return ("Cookie", String(set.prefix { $0 != ";" }))
  }

  func list(_ headers: [(String, String)], venue: String? = nil) async throws -> Reply {
    try await ask(.GET, "/api/venues/\(venue ?? theatre.venueID)/bookings/today", headers: headers)
  }

  func validate(_ code: String, _ headers: [(String, String)], venue: String? = nil) async throws -> Reply {
    try await ask(
      .POST, "/api/venues/\(venue ?? theatre.venueID)/validate", #"{"validationCode":"\#(code)"}"#, headers: headers)
  }

  // MARK: The box office

  func buyer(_ password: String? = nil) async throws -> Reply {
    try await ask(
      .POST, "/api/auth/signin",
      #"{"email":"\#(theatre.buyerEmail)","password":"\#(password ?? theatre.buyerPassword)"}"#)
  }

  func bearer() async throws -> (String, String) {
    let token = try #require(try await buyer().string("token"))
    return ("Authorization", "Bearer \(token)")
  }

  /// The ids of seats of the night, by what is printed on them.
  func seatID(_ row: String, _ number: Int, of kind: SeededShow.Kind = .night) async throws -> String {
    let seats = try await ask(.GET, "/api/shows/\(try show(kind).id)/seats").json
    guard case .array(let all) = seats else { throw VenueError.unusable("no seats") }
    let seat = all.first {
      ($0.string("row") ?? $0.string("row_letter")) == row
        && ($0.string("number") == "\(number)" || $0.integer("seat_number") == number)
    }
    return try #require(seat?.string("id"))
  }

  func reserve(_ show: String, _ seats: [String]) async throws -> Reply {
    let ids = seats.map { "\"\($0)\"" }.joined(separator: ",")
    return try await ask(.POST, "/api/seat-checkout", #"{"showId":"\#(show)","specificSeatIds":[\#(ids)]}"#)
  }
}

extension Reply {
  /// The codes of a door's list, in its order.
  var codes: [String] {
    get throws {
      guard case .array(let rows) = try json else { return [] }
      return rows.compactMap { $0.string("booking.validationCode") }
    }
  }
}
