import Foundation
import NIOHTTP1

/// Kiosks and enrolment over the control socket.
extension VenueControlClient {
  /// Makes an activation code; see `VenueServer.makeActivationCode`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where the venue does not make it.
  package func makeActivationCode(for kiosk: String? = nil, minutes: Int = 60) async throws -> MadeActivationCode {
    try read(try await tell(.POST, "activation-codes", [("for", kiosk), ("minutes", "\(minutes)")]))
  }

  /// Makes an enrolment secret; see `VenueServer.makeEnrolment`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where the venue does not make it.
  package func makeEnrolment(
    gate: String, saleTicket: Int64? = nil, seat: String? = nil, for station: String? = nil, minutes: Int = 1_440
  ) async throws -> MadeEnrolment {
    let lines = [
      ("gate", gate), ("sale-ticket", saleTicket.map { "\($0)" }), ("seat", seat), ("for", station),
      ("minutes", "\(minutes)"),
    ]
    return try read(try await tell(.POST, "enrolments", lines))
  }

  /// The kiosks that the venue knows, a line of JSON each: `id`, `version`, `seen`, `activated`, `status`, `status_time`,
  /// `status_received`, `manual_override`.
  /// - Throws: `VenueError.noControl`.
  package func kiosks() async throws -> [String] { try await lines("kiosks") }

  /// A kiosk as one line of JSON, with its `configuration`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where there is no such kiosk.
  package func kiosk(_ id: String) async throws -> String {
    String(try await tell(.POST, "kiosk", [("id", id)]).prefix { $0 != "\n" })
  }

  /// Changes a kiosk's configuration; see `VenueServer.configureKiosk`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where nothing was changed.
  package func configureKiosk(_ id: String, _ assignments: [String]) async throws {
    guard !assignments.contains(where: { $0.contains("\n") }) else {
      throw VenueError.unusable("a value has a line end in it; write it as member:=\"…\\n…\"")
    }
    let body = (["id=\(id)"] + assignments).joined(separator: "\n")
    _ = try await ask(.PUT, "kiosk", body)
  }

  /// Writes down how a kiosk is to be.
  /// - Throws: `VenueError.noControl`, or `.unusable` where there is no such kiosk.
  package func setKioskState(_ state: KioskState, of id: String) async throws {
    _ = try await tell(.PUT, "kiosk-state", [("id", id), ("state", state.rawValue)])
  }

  /// Has the venue refuse the tokens that a kiosk has.
  /// - Throws: `VenueError.noControl`, or `.unusable` where there is no such kiosk.
  package func revokeTokens(ofKiosk id: String) async throws {
    _ = try await tell(.POST, "kiosk-revoke", [("id", id)])
  }

  /// What stations have asked the venue for, oldest first, a line of JSON each: `time`, `method`, `path`, `status`.
  /// - Throws: `VenueError.noControl`.
  package func kioskRequests() async throws -> [String] { try await lines("kiosk-requests") }

  func tell(_ method: HTTPMethod, _ what: String, _ values: [(String, String?)]) async throws -> String {
    let lines = values.compactMap { name, value in value.map { "\(name)=\($0)" } }
    guard !lines.contains(where: { $0.contains("\n") }) else {
      throw VenueError.unusable("a line end is no part of a name")
    }
    return try await ask(method, what, lines.joined(separator: "\n"))
  }
}
