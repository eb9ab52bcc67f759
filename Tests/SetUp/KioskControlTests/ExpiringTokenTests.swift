import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// A token that ends between two requests of one call: one fault, of the token; no request twice; and what was learned of the
/// server stays.
@Suite struct ExpiringTokenTests {
  /// The document's refusal, and the real servers'.
  private static let refused = [
    Answers.refusal("401 Unauthorized", "INVALID_TOKEN", "Authentication token is invalid or expired"),
    Answers.response("401 Unauthorized", #"{"error":"Unauthorized"}"#),
  ]

  /// A server whose answers are written down; the last one is repeated.
  private func open(_ answers: String...) async throws -> Service {
    try await Service.open(
      ScriptedServer { number, _, connection in
        connection.send(answers[min(number, answers.count) - 1])
      })
  }

  private func expectRefused(_ fault: ControlFault?) {
    expectEqual(fault?.kind, .authentication)
    expectEqual(fault?.status, 401)
    expectEqual(fault?.detail.contains("scangate kiosk activate --again"), true)
  }

  // MARK: Status

  private static let wrongSpelling = Answers.response("400 Bad Request", #"{"error":"Invalid status value"}"#)
  private static let updated = Answers.ok(
    #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"inUse","timestamp":"2025-07-15T12:00:00Z"}"#
  )
  private static let inDocument = #"{"status":"in-use","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#
  private static let inReality = #"{"status":"inUse","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#

  @Test(arguments: refused.indices) func statusBetweenTheSpellings(index: Int) async throws {
    let service = try await open(Self.wrongSpelling, Self.refused[index], Self.updated)
    expectRefused(await service.report(.inUse))
    expectEqual(service.bodies, [Self.inDocument, Self.inReality])
    // The first spelling was refused by a server that took the token: that is still known.
    expect(await service.report(.inUse) == nil)
    expectEqual(service.bodies, [Self.inDocument, Self.inReality, Self.inReality])
    await service.close()
  }

  @Test(arguments: refused.indices) func statusWhoseSpellingIsKnown(index: Int) async throws {
    let service = try await open(Self.wrongSpelling, Self.updated, Self.refused[index], Self.updated)
    expect(await service.report(.inUse) == nil)
    expectRefused(await service.report(.inUse))
    expect(await service.report(.inUse) == nil)
    expectEqual(service.bodies, [Self.inDocument, Self.inReality, Self.inReality, Self.inReality])
    await service.close()
  }

  // MARK: Validation

  private static let post = "POST /api/kiosks/validate-token"
  private static let get = "GET /api/kiosks/validate-token"
  /// The station's own row, where it is asked for.
  private static func row(_ index: Int) -> [String] { index == 1 ? ["GET /api/kiosks/kiosk-1"] : [] }
  private static let noPost = Answers.response("404 Not Found", "<pre>Cannot POST</pre>", type: "text/html")

  @Test(arguments: refused.indices) func validationBetweenTheTwoWays(index: Int) async throws {
    let refusal = Self.refused[index]
    let server = ScriptedServer { number, request, connection in
      connection.send(
        request.hasPrefix("POST ")
          ? Self.noPost : number == 2 || !request.hasPrefix(Self.get) ? refusal : Answers.ok("{}"))
    }
    let service = try await Service.open(server)
    expectRefused(await service.fault(.validate))
    // A refusal that does not speak of the token may be meant for another kiosk's row.
    let row = Self.row(index)
    expectEqual(service.lines, [Self.post, Self.get] + row)
    expect(await service.fault(.validate) == nil)
    expectEqual(service.lines.last, Self.get)
    await service.close()
  }

  @Test(arguments: refused.indices) func validationWhoseWayIsKnown(index: Int) async throws {
    let service = try await open(Self.noPost, Answers.ok("{}"), Self.refused[index], Answers.ok("{}"))
    expect(await service.fault(.validate) == nil)
    expectRefused(await service.fault(.validate))
    expectEqual(service.lines, [Self.post, Self.get, Self.get])
    expect(await service.fault(.validate) == nil)
    expectEqual(service.lines, [Self.post, Self.get, Self.get, Self.get])
    await service.close()
  }

  // MARK: Configuration

  private static let documents = "GET /api/kiosks/configuration"
  private static let remote = "GET /api/kiosks/kiosk-1/remote-config"

  @Test(arguments: refused.indices) func configurationBetweenTwoPlaces(index: Int) async throws {
    let service = try await open(Answers.ok("{}"), Self.refused[index])
    expectRefused(await service.configuration().fault)
    expect(service.lines.starts(with: [Self.documents, Self.remote]))
    // No place is asked twice, and every one of them with the token.
    expectEqual(Set(service.lines).count, service.lines.count)
    expect(service.requests.allSatisfy { $0.contains("Authorization: Bearer \(Service.token)\r\n") })
    await service.close()
  }

  /// A refusal that names the token needs no other place to say the same.
  @Test func configurationIsNotAskedForAfterATokenWasNamed() async throws {
    let service = try await open(Answers.ok("{}"), Self.refused[0], Answers.ok(Answers.configuration))
    expectRefused(await service.configuration().fault)
    expectEqual(service.lines, [Self.documents, Self.remote])
    await service.close()
  }

  @Test(arguments: refused.indices) func configurationWhosePlaceIsKnown(index: Int) async throws {
    let refusal = Self.refused[index]
    let server = ScriptedServer { number, request, connection in
      switch number {
      // The document's place is no configuration here, and the real servers' is the one.
      case 1, 3: connection.send(Answers.ok("{}"))
      case 2: connection.send(Answers.ok(Answers.remoteConfiguration))
      default:
        // From the fourth on the token has ended, until it is another one.
        connection.send(
          request.contains("Authorization: Bearer anew\r\n") ? Answers.ok(Answers.remoteConfiguration) : refusal)
      }
    }
    let service = try await Service.open(server)
    let before = try #require(await service.configuration().value)
    expectEqual(service.lines, [Self.documents, Self.remote])
    expectRefused(await service.configuration().fault)
    // Asked where it was found, then elsewhere.
    expect(service.lines.starts(with: [Self.documents, Self.remote, Self.remote, Self.documents]))
    expectEqual(Set(service.lines.dropFirst(2)).count, service.lines.count - 2)
    let count = service.lines.count
    await expectEqual(service.configuration(of: Service.activation(token: "anew")).value, before)
    expectEqual(Array(service.lines.dropFirst(count)), [Self.remote])
    await service.close()
  }
}
