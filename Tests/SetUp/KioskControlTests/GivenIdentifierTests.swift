import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// What a service may call a station from its activation on: 1 to 128 visible ASCII characters, whatever they mean in a path. There
/// they are one segment. Anything else is refused before it is used.
@Suite struct GivenIdentifierTests {
  /// The answers that give an identifier, around its JSON: the document's, bare and in its envelope, and a beacon's.
  private static let answers: [@Sendable (String) -> String] = [
    { #"{"success":true,"token":"t0.t1.t2","kioskId":\#($0),"message":\#($0)}"# },
    { #"{"success":true,"data":{"token":"t0.t1.t2","kioskId":\#($0)},"timestamp":"2025-07-15T12:00:00Z"}"# },
    { #"{"success":true,"token":"c0ffee","kiosk":{"id":\#($0),"isActive":true},"message":"Beacon activated"}"# },
  ]

  /// The longest.
  private static let letters = String(repeating: "k", count: 128)
  private static let slashes = String(repeating: "/", count: 128)

  /// As JSON has it, as it is, and as a path has it.
  private static let usable: [(json: String, identifier: String, segment: String)] = [
    (#""assigned-kiosk-id""#, "assigned-kiosk-id", "assigned-kiosk-id"),
    (#""east/7""#, "east/7", "east%2F7"),
    (#""east\/7""#, "east/7", "east%2F7"),
    (#""../../admin""#, "../../admin", "..%2F..%2Fadmin"),
    (#""100%""#, "100%", "100%25"),
    (#""east%2F7""#, "east%2F7", "east%252F7"),
    (#""%2e%2e""#, "%2e%2e", "%252e%252e"),
    (##""a?b=c#d""##, "a?b=c#d", "a%3Fb%3Dc%23d"),
    (#""a\"b\\c""#, "a\"b\\c", "a%22b%5Cc"),
    ("\"\(letters)\"", letters, letters),
    ("\"\(slashes)\"", slashes, String(repeating: "%2F", count: 128)),
  ]

  @Test(arguments: usable.indices, answers.indices)
  func whatIsUsableIsOneSegment(index: Int, shape: Int) async throws {
    let test = Self.usable[index]
    let activated = Answers.ok(Self.answers[shape](test.json))
    let server = ScriptedServer { _, request, connection in
      connection.send(
        request.hasPrefix("POST ") ? activated : Answers.ok(#"{"message":"Status updated successfully"}"#))
    }
    let service = try await Service.open(server)
    let activation = try #require(await service.activate().value)
    expectEqual(activation.kioskID, test.identifier)
    expect(await service.report(.meeting, of: activation) == nil)
    expectEqual(service.lines, ["POST /api/kiosks/activate", "PUT /api/kiosks/\(test.segment)/status"])
    await service.close()
  }

  /// As JSON has them.
  private static let unusable: [String] = [
    // What steers a terminal, at either end and alone.
    #""\u001b[31mkiosk""#, #""kiosk\u001b]0;kiosk\u0007""#, #""\u001b""#, #""kiosk\u0000""#, #""kiosk\u007f""#,
    #""kiosk\u009b2J""#, #""kiosk\r\nX-Kiosk-Token: t""#,
    // What turns a text around: written and as it is.
    #""\u202ekiosk""#, #""kiosk\u200f""#, #""kiosk\u2067""#, "\"\u{202E}kiosk\"", "\"kiosk\u{200F}\"",
    // Letters that are not ASCII, and blanks.
    #""k\u0456osk""#, "\"kiösk\"", #""kiosk 1""#,
    "\"\(letters)k\"", "\"\(String(repeating: "k", count: 100_000))\"",
  ]

  @Test(arguments: unusable.indices, answers.indices)
  func whatIsNotUsableIsRefused(index: Int, shape: Int) async throws {
    let service = try await Service.answering(Answers.ok(Self.answers[shape](Self.unusable[index])))
    let fault = try #require(await service.activate().fault)
    expectEqual(fault.refusal, .fault)
    expectEqual(fault.kind, .unknown)
    // The service has taken the code.
    expect(fault.mayBeUsed)
    expect(fault.detail.contains("an identifier that cannot be used"), "\(fault)")
    expect(
      fault.detail.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
      })
    expect(fault.detail.unicodeScalars.count < 700)
    expectEqual(service.lines, ["POST /api/kiosks/activate"])
    await service.close()
  }
}
