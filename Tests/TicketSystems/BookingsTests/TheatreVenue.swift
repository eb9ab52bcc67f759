import Admission
import Calls
import Expectations
import Foundation
import Journal
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport
import VenueServer

@testable import Bookings
@testable import Gateway
@testable import TicketLists

/// A booking service over real sockets, with a theatre behind it, by a clock that the test moves.
struct TheatreVenue: Sendable {
  /// What a station has asked it so far, answered or not.
  struct Asked: Equatable {
    var signIns = 0
    var lists = 0
    var checks = 0
  }

  static let password = "opéra house, stalls 7"
  static let origin = "https://lastminutelive.com"

  let shape: BookingShape
  let server: VenueServer
  let address: VenueAddress
  let time: StageTime
  let seeded: SeededTheatre

  /// Runs one for as long as `body` takes: the night of 2 May 2026 in London, ten to seven, unless told otherwise.
  static func run(
    _ shape: BookingShape, at start: String = "2026-05-02T17:50:00Z", zone: String = "Europe/London",
    _ body: (TheatreVenue) async throws -> Void
  ) async throws {
    let time = StageTime(try #require(WallTime(iso8601: start)))
    let server = try VenueServer(
      VenueConfiguration(
        failureDelay: .zero, now: { Date(timeIntervalSince1970: Double(time.wall().nanoseconds) / 1e9) },
        bookingShape: shape))
    let seeded = try await server.seedTheatre(random: 7, zone: zone, staffPassword: password)
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let running = Task {
      defer { tell.finish() }
      try await server.run { tell.yield($0) }
    }
    guard let address = await ready.first(where: { _ in true }) else {
      try await running.value
      Issue.record("the venue ended before it was ready")
      return
    }
    let venue = TheatreVenue(shape: shape, server: server, address: address, time: time, seeded: seeded)
    venue.behave()
    var outcome = Result<Void, any Error>.success(())
    do { try await body(venue) } catch { outcome = .failure(error) }
    running.cancel()
    _ = await running.result
    try outcome.get()
  }

  // MARK: What a station asks

  /// The station's section of it.
  /// - Parameters:
  ///   - email: who is staff.
  ///   - origin: where requests say they come from; `nil` for the server itself.
  func section(_ email: String? = nil, origin: String? = Self.origin) throws -> BookingsSection.System {
    try BookingsSection.System(
      url: ServerAddress(address.url), urlPosition: Stage.place,
      venue: .init(
        id: seeded.venueID, slug: seeded.slug, zone: #require(ZoneRules.named(seeded.zone)), zoneName: seeded.zone),
      staff: .init(
        email: email ?? seeded.staffEmail, password: CredentialReference(name: "theatre-door", position: Stage.place)),
      origin: origin.map { try ServerAddress($0) })
  }

  /// What it was asked since it began to behave last.
  var asked: Asked {
    let counts = server.misbehaviours.prefix(3).map(\.hits)
    guard counts.count == 3 else { return Asked() }
    return Asked(signIns: counts[0], lists: counts[1], checks: counts[2])
  }

  /// Is as good as can be, and counts anew.
  func behave() {
    // A pause of nothing is no misbehaviour, and is counted as one.
    let counted: [Misbehaviour.Scope] = [.signIns, .lists, .checks]
    server.misbehave(counted.map { Misbehaviour(.latency(0...0, .before), scope: $0) }, clearing: true)
  }

  /// Misbehaves so as well, see `Misbehaviour.init(_:)`.
  func misbehave(_ text: String...) throws { server.misbehave(try text.map { try Misbehaviour($0) }) }

  /// The network goes.
  func goAway() throws { try misbehave("close=before,on=all") }

  // MARK: What its box office does

  func booking(_ kind: SeededBooking.Kind) throws -> SeededBooking { try #require(seeded.booking(kind)) }
  func code(_ kind: SeededBooking.Kind) throws -> String { try booking(kind).code }
  func show(_ kind: SeededShow.Kind) throws -> SeededShow { try #require(seeded.show(kind)) }

  /// Books for somebody.
  @discardableResult func book(
    _ code: String, _ show: String = "night", count: Int = 1, status: BookingStatus = .confirmed
  ) async throws -> MadeBooking {
    try await server.addBooking(
      NewBooking(show: show, count: count, customer: "Grace Hopper", code: code, status: status))
  }

  /// All codes of all bookings.
  var codes: Set<String> {
    get async throws {
      var codes: Set<String> = []
      for line in try await server.theatre(.bookings) {
        let document = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        if let code = document?["code"] as? String { codes.insert(code) }
      }
      return codes
    }
  }
}
