import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// Each of the document's status types, as the document's server and as real servers take it.
@Suite struct StatusTests {
  /// Takes one spelling of the six statuses and no other, as real servers do.
  private static func server(taking spellings: [String]) -> ScriptedServer {
    ScriptedServer { _, request, connection in
      let isTaken = spellings.contains { request.contains(#""status":"\#($0)""#) }
      connection.send(
        isTaken
          ? Answers.ok(#"{"message":"Status updated successfully","kioskId":"kiosk-1"}"#)
          : Answers.response("400 Bad Request", #"{"error":"Invalid status value"}"#))
    }
  }

  private static let document = ["available", "in-use", "meeting", "brb", "lunch", "unavailable"]
  private static let real = ["available", "inUse", "meeting", "brb", "lunch", "unavailable"]

  private func report(_ status: StationStatus, spelled: String, realSpelling: String) async throws {
    for (spellings, tries) in [(Self.document, [spelled]), (Self.real, Array(Set([spelled, realSpelling])).sorted())] {
      let service = try await Service.open(Self.server(taking: spellings))
      for _ in 1...2 {
        try await service.client.report(
          status, isManual: false, at: WallTime(seconds: 1_752_580_800), of: Service.activation(),
          deadline: Service.deadline)
      }
      // The right spelling is remembered: the second time needs one request.
      expectEqual(service.requests.count, tries.count + 1)
      expect(service.requests[0].contains(#""status":"\#(spelled)""#))
      expectEqual(
        service.requests.last?.contains(#""status":"\#(spellings == Self.real ? realSpelling : spelled)""#), true)
      await service.close()
    }
  }

  @Test func available() async throws { try await report(.available, spelled: "available", realSpelling: "available") }
  @Test func inUse() async throws { try await report(.inUse, spelled: "in-use", realSpelling: "inUse") }
  @Test func meeting() async throws { try await report(.meeting, spelled: "meeting", realSpelling: "meeting") }
  @Test func brb() async throws { try await report(.brb, spelled: "brb", realSpelling: "brb") }
  @Test func lunch() async throws { try await report(.lunch, spelled: "lunch", realSpelling: "lunch") }
  @Test func unavailable() async throws {
    try await report(.unavailable, spelled: "unavailable", realSpelling: "unavailable")
  }

  @Test func neitherSpellingTakenIsAFaultAfterTwoRequests() async throws {
    let service = try await Service.open(Self.server(taking: []))
    await #expect(throws: ControlFault.self) {
      try await service.client.report(
        .inUse, isManual: false, at: WallTime(seconds: 0), of: Service.activation(), deadline: Service.deadline)
    }
    expectEqual(service.requests.count, 2)
    await service.close()
  }
}
