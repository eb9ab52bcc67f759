import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import VenueServer

/// A venue of a shape with its halls, in the afternoon of a certain day in winter.
func withDesk(
  _ shape: ServerShape, zone: String = "Europe/Berlin", misbehaviours: [String] = [],
  _ body: (RunningVenue) async throws -> Void
) async throws {
  let clock = try ManualClock("2025-12-17T14:30:00Z")
  let configuration = VenueConfiguration(
    noLimits: true, failureDelay: .zero, now: { clock.now },
    misbehaviours: try misbehaviours.map { try Misbehaviour($0) }, serverShape: shape)
  try await withVenue(configuration, seed: Seed(random: 7, zone: zone, halls: true), body)
}

extension RunningVenue {
  /// A request with the venue's key, with a body of JSON where there is one.
  func ask(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, key: String? = nil, accept: String = "application/json"
  ) async throws -> Reply {
    var headers = [("X-API-Key", try key ?? self.key()), ("Accept", accept)]
    if body != nil { headers.append(("Content-Type", "application/json")) }
    return try await request(
      method, path, headers: headers, body: body.map { [ByteBuffer(string: $0)] } ?? [])
  }

  /// The seeded tickets of an event, by its name.
  func tickets(of event: String) -> [SeededTicket] { seeded.tickets.filter { $0.event == event } }

  func ticket(_ event: String, _ type: String) throws -> SeededTicket {
    try #require(tickets(of: event).first { $0.type == type && $0.kind == .entry })
  }

  func eventID(_ name: String) throws -> Int64 { try #require(tickets(of: name).first).eventID }

  /// The number of the sale of a code.
  func sale(_ code: String) async throws -> Int64 {
    try #require(try await server.tickets().first { $0.code == code }).saleID
  }

  /// One event of the list, by its name.
  func event(_ name: String) async throws -> JSON {
    let list = try await ask(.GET, "/api/events").json["data"]
    guard case .array(let events)? = list else { throw VenueError.unusable("no list") }
    return try #require(events.first { $0.string("name") == name })
  }
}

extension Reply {
  /// The number behind one of the fork's public ids.
  func publicID(_ path: String) throws -> Int64 { try json.publicID(path) }
}

extension JSON {
  /// The number behind one of the fork's public ids.
  func publicID(_ path: String) throws -> Int64 { try #require(string(path).flatMap { PublicID.number($0) }) }

  /// The names of an object's members, sorted.
  var names: [String] { if case .object(let members) = self { members.keys.sorted() } else { [] } }

  var count: Int? {
    switch self {
    case .array(let elements): elements.count
    case .object(let members): members.count
    default: nil
    }
  }
}
