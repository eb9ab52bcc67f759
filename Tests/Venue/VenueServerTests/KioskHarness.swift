import Foundation

@testable import VenueServer

/// The token by which the kiosks of these tests are registered.
let kioskToken = "registration-token-of-a-test"
/// A kiosk's id as the real servers want it.
let kioskID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

/// A venue that serves kiosks at noon of a certain day, by a clock that the test moves.
func withKioskVenue(
  _ shape: KioskShape = .document, token: String? = kioskToken, life: Duration = .seconds(3_600),
  change: (inout VenueConfiguration) -> Void = { _ in },
  _ body: (RunningVenue, ManualClock) async throws -> Void
) async throws {
  let clock = try ManualClock("2025-07-15T12:00:00Z")
  var configuration = VenueConfiguration(
    failureDelay: .zero, now: { clock.now }, kioskShape: shape, kioskToken: token, kioskTokenLife: life)
  change(&configuration)
  try await withVenue(configuration) { venue in try await body(venue, clock) }
}

extension RunningVenue {
  /// One request as a station sends it, over a connection of its own.
  func kiosk(
    _ line: String, _ body: String? = nil, bearer: String? = nil, type: String = "application/json",
    more: String = ""
  ) async -> RawExchange {
    let authorization = bearer.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let content = body.map { "Content-Type: \(type)\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
    return await RawExchange.run(
      "\(line) HTTP/1.1\r\nHost: venue\r\n\(authorization)\(content)\(more)Connection: close\r\n\r\n\(body ?? "")",
      port: address.port)
  }

  /// A code that the venue has just made.
  func activationCode(for kiosk: String? = nil, minutes: Int = 60) async throws -> String {
    try await server.makeActivationCode(for: kiosk, minutes: minutes).code
  }

  /// Activates a kiosk as the document has it; returns its token.
  func activated(_ id: String = kioskID) async throws -> String {
    let code = try await activationCode()
    let answer = await kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(code)","kioskId":"\#(id)"}"#)
    return try answer.json.string("token") ?? ""
  }
}

extension RawExchange {
  /// The status of the answer; 0 where there is none.
  var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

  var json: JSON {
    get throws { try JSONDecoder().decode(JSON.self, from: Data(body.utf8)) }
  }
}
