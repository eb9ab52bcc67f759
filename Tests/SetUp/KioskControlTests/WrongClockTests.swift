import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// A service whose clock is a day before or after this machine's: what went well went well, and where a token is refused, the
/// words name a likely cause.
@Suite struct WrongClockTests {
  /// How far the service's clock is off, and what is said of this machine's.
  private static let days = [(-86_400, "24 h ahead of"), (86_400, "24 h behind")]

  /// As `Answers.response`, by a service whose clock is off.
  private func answer(_ status: String, _ body: String, off seconds: Int) -> String {
    "HTTP/1.1 \(status)\r\nDate: \(Answers.date(seconds))\r\nContent-Type: application/json; charset=utf-8\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func fault(_ endpoint: Service.Endpoint, _ answer: String) async throws -> ControlFault? {
    let service = try await Service.answering(answer)
    let fault = await service.fault(endpoint)
    expectEqual(service.requests.count, 1)
    await service.close()
    return fault
  }

  private static let well: [(endpoint: Service.Endpoint, body: String)] = [
    (.register, #"{"message":"registered"}"#),
    (.register, #"{"success":true,"data":{"message":"registered"},"timestamp":"2025-07-15T12:00:00Z"}"#),
    (
      .status,
      #"{"message":"Status updated successfully","kioskId":"kiosk-1","status":"available","timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (
      .status,
      #"{"success":true,"data":{"kioskId":"kiosk-1","status":"available","manualOverride":false},"timestamp":"2025-07-15T12:00:00Z"}"#
    ),
    (.health, #"{"ok":true}"#),
    (.health, #"{"success":true,"data":{"status":"ok"},"timestamp":"2025-07-15T12:00:00Z"}"#),
  ]

  @Test(arguments: well.indices, days.indices) func aSuccessIsASuccess(index: Int, day: Int) async throws {
    let test = Self.well[index]
    expect(try await fault(test.endpoint, answer("200 OK", test.body, off: Self.days[day].0)) == nil)
  }

  private static let refused: [(endpoint: Service.Endpoint, status: String, body: String)] = [
    (.register, "401 Unauthorized", #"{"error":"Invalid kiosk token"}"#),
    (
      .register, "401 Unauthorized",
      #"{"success":false,"error":{"code":"INVALID_TOKEN","message":"Authentication token is invalid or expired"}}"#
    ),
    (.register, "200 OK", #"{"success":false,"error":{"code":"INVALID_TOKEN","message":"Expired"}}"#),
    (.status, "401 Unauthorized", #"{"error":"Unauthorized"}"#),
    (
      .status, "401 Unauthorized",
      #"{"success":false,"error":{"code":"INVALID_TOKEN","message":"Authentication token is invalid or expired"}}"#
    ),
    (.status, "400 Bad Request", #"{"error":"Expired","errorCode":"TOKEN_EXPIRED"}"#),
    (.health, "401 Unauthorized", #"{"error":"Unauthorized"}"#),
  ]

  @Test(arguments: refused.indices, days.indices) func aRefusedTokenNamesTheClock(index: Int, day: Int) async throws {
    let test = Self.refused[index]
    let (seconds, words) = Self.days[day]
    let found = try #require(try await fault(test.endpoint, answer(test.status, test.body, off: seconds)))
    expectEqual(found.kind, .authentication)
    expect(found.detail.contains("This machine's clock is \(words) that of localhost:"), "\(found)")
  }

  /// Clocks that agree are not blamed.
  @Test(arguments: refused.indices) func aRefusedTokenAlone(index: Int) async throws {
    let test = Self.refused[index]
    let found = try #require(try await fault(test.endpoint, answer(test.status, test.body, off: 0)))
    expectEqual(found.kind, .authentication)
    expect(!found.detail.contains("clock"), "\(found)")
  }

  /// A service that is out of order is so by any clock.
  @Test(arguments: [Service.Endpoint.register, .status, .health], days.indices)
  func whatIsNotOfTheTokenIsNotOfTheClock(endpoint: Service.Endpoint, day: Int) async throws {
    let broken = answer("503 Service Unavailable", #"{"error":"Busy"}"#, off: Self.days[day].0)
    let found = try #require(try await fault(endpoint, broken))
    expectEqual(found.kind, .server)
    expect(!found.detail.contains("clock"), "\(found)")
  }
}
