import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// Each of the document's status types in both shapes, byte for byte: what is told, and what the document's server and the real
/// ones say to it.
@Suite struct StatusShapeTests {
  /// A status; the answer of the document's server; what goes to a real one, request by request; and that one's answer.
  typealias Row = (status: StationStatus, isManual: Bool, answer: String, bodies: [String], realAnswer: String)

  static let told: [Row] = [
    (
      .available, false,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"available","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"available","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"available","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .available, true,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"available","manualOverride":true},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"available","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"available","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .inUse, false,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"in-use","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [
        #"{"status":"in-use","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#,
        #"{"status":"inUse","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#,
      ],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"inUse","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .inUse, true,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"in-use","manualOverride":true},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [
        #"{"status":"in-use","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#,
        #"{"status":"inUse","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#,
      ],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"inUse","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .meeting, false,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"meeting","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"meeting","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"meeting","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .meeting, true,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"meeting","manualOverride":true},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"meeting","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"meeting","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .brb, false,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"brb","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"brb","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"brb","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .brb, true,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"brb","manualOverride":true},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"brb","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"brb","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .lunch, false,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"lunch","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"lunch","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"lunch","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .lunch, true,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"lunch","manualOverride":true},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"lunch","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"lunch","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .unavailable, false,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"unavailable","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"unavailable","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"unavailable","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .unavailable, true,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"unavailable","manualOverride":true},"timestamp":"2025-07-15T12:00:00Z"}"#,
      [#"{"status":"unavailable","timestamp":"2025-07-15T12:00:00Z","manualOverride":true}"#],
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"unavailable","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
  ]

  private static func row(_ status: StationStatus, isManual: Bool) -> Row? {
    told.first { $0.status == status && $0.isManual == isManual }
  }

  // MARK: Taken

  @Test(arguments: told.indices) func theDocumentsServerTakesIt(index: Int) async throws {
    let test = Self.told[index]
    let service = try await Service.answering(Answers.ok(test.answer))
    expect(await service.report(test.status, isManual: test.isManual) == nil)
    expectEqual(service.lines, ["PUT /api/kiosks/kiosk-1/status"])
    // The document's spelling is the first one.
    expectEqual(service.bodies, [test.bodies[0]])
    await service.close()
  }

  @Test(arguments: told.indices) func theRealServersTakeIt(index: Int) async throws {
    let test = Self.told[index]
    let taken = try #require(test.bodies.last)
    let yes = Answers.ok(test.realAnswer)
    let server = ScriptedServer { _, request, connection in
      connection.send(
        request.hasSuffix("\r\n\r\n" + taken)
          ? yes : Answers.response("400 Bad Request", #"{"error":"Invalid status value"}"#))
    }
    let service = try await Service.open(server)
    expect(await service.report(test.status, isManual: test.isManual) == nil)
    expectEqual(service.bodies, test.bodies)
    // What was taken is told first from then on.
    expect(await service.report(test.status, isManual: test.isManual) == nil)
    expectEqual(service.bodies, test.bodies + [taken])
    await service.close()
  }

  // MARK: Refused

  /// The document's, by its code and by its words, and the real servers'.
  static let refusals: [(body: String, words: String)] = [
    (
      #"{"success":false,"error":{"code":"INVALID_STATUS","message":"Not one of those that are allowed"},"timestamp":"2025-07-15T12:00:00Z"}"#,
      "Not one of those that are allowed"
    ),
    (
      #"{"success":false,"error":{"code":"INVALID_STATUS","message":"Invalid status"},"timestamp":"2025-07-15T12:00:00Z"}"#,
      "Invalid status"
    ),
    (#"{"error":"Invalid status value"}"#, "Invalid status value"),
  ]

  @Test(arguments: refusals.indices, StationStatus.allCases)
  func theOtherSpellingIsTriedForInUseAlone(index: Int, status: StationStatus) async throws {
    let test = Self.refusals[index]
    let service = try await Service.answering(Answers.response("400 Bad Request", test.body))
    let fault = try #require(await service.report(status))
    expectEqual(fault.kind, .unknown)
    expectEqual(fault.status, 400)
    expect(fault.detail.contains("“\(test.words)”"), "\(fault)")
    let row = try #require(Self.row(status, isManual: false))
    expectEqual(row.bodies.count, (status == .inUse ? 2 : 1))
    expectEqual(service.bodies, row.bodies)
    await service.close()
  }

  @Test(arguments: refusals.indices, [false, true])
  func theOtherSpellingMayBeTaken(index: Int, isManual: Bool) async throws {
    let refusal = Answers.response("400 Bad Request", Self.refusals[index].body)
    let row = try #require(Self.row(.inUse, isManual: isManual))
    let yes = Answers.ok(row.realAnswer)
    let server = ScriptedServer { number, _, connection in connection.send(number == 1 ? refusal : yes) }
    let service = try await Service.open(server)
    expect(await service.report(.inUse, isManual: isManual) == nil)
    expectEqual(service.bodies, row.bodies)
    await service.close()
  }

  /// What is refused for another reason is not told in another way.
  @Test(arguments: [
    Answers.refusal("400 Bad Request", "INVALID_TIMESTAMP", "Not a time"),
    Answers.response("400 Bad Request", #"{"error":"Missing timestamp"}"#),
    Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#),
    Answers.refusal("409 Conflict", "INVALID_STATUS", "Invalid status"),
    Answers.response("500 Internal Server Error", #"{"error":"Invalid status value"}"#),
  ]) func anotherRefusalIsNoneOfTheSpelling(answer: String) async throws {
    let service = try await Service.answering(answer)
    expect(await service.report(.inUse) != nil)
    expectEqual(service.bodies, [#"{"status":"in-use","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#])
    await service.close()
  }
}
