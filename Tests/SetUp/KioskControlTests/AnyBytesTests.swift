import Expectations
import WireText
@testable import KioskControl
import WireText
import ScanModel
import ScanTesting
import Testing
import TicketTransport

/// No bytes make the readers trap, take long, or believe what is not there.
@Suite struct AnyBytesTests {
  private static let pieces = [
    "null", "true", "false", "-1", "1e999", "{", "}", "[", "]", "\"", ",", ":", "\\u202e", "\\ud800", "{}", "[[[[",
    "\"settings\":", "\"data\":", "\"config\":", "\"maintenance\":", "\"success\":", "\"token\":", "\u{0}",
  ]

  private static let wholes = [
    Answers.configuration, Answers.remoteConfiguration, Answers.earlierConfiguration,
    #"{"success":true,"data":{"token":"a.b.c","kioskId":"k-1","expiresAt":"2025-07-15T12:00:00Z"}}"#,
    #"{"success":false,"error":{"code":"INVALID_CODE","message":"Invalid code"},"timestamp":"2025-07-15T12:00:00Z"}"#,
    #"{"message":"Kiosk activated successfully","kioskId":"k-9","active":true,"valid":true,"status":"ok"}"#,
  ]

  private func damaged(using random: inout SeededGenerator) -> [UInt8] {
    if random.chance(10) {
      return (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    var body = [UInt8](Self.wholes[Int.random(in: 0..<Self.wholes.count, using: &random)].utf8)
    for _ in 0..<Int.random(in: 0...4, using: &random) where !body.isEmpty {
      let index = Int.random(in: 0..<body.count, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4: body[index] = UInt8.random(in: 0x20...0x7E, using: &random)
      case 4..<8:
        body.insert(contentsOf: Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)].utf8, at: index)
      case 8: body = Array(body.prefix(index + 1))
      case 9: body[index] = UInt8.random(in: 0...255, using: &random)
      default: body.removeSubrange(index..<min(body.count, index + Int.random(in: 1...40, using: &random)))
      }
    }
    return body
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 10, release: 25)))) func damagedAnswers(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (configurations, activations, refusals) = (0, 0, 0)
    for _ in 0..<400 {
      let status = [200, 200, 200, 201, 400, 401, 404, 409, 500, 302, -1, 999].randomElement(using: &random) ?? 0
      let type = random.chance(90) ? "application/json" : "text/html"
      let body = damaged(using: &random)
      let answer = KioskAnswer(HTTPAnswer(status: status, mediaType: type, body: body), host: "host:1", hiding: [])
      let document = try? JSONValue(body)

      if let configuration = (try? ConfigurationAnswer.read(answer, hiding: [])) ?? nil {
        configurations += 1
        expect((200...299).contains(status) && type == "application/json", "seed \(seed)")
        expect((Duration.seconds(30)...Duration.seconds(3_600)).contains(configuration.refreshInterval), "seed \(seed)")
        expect((3...20).contains(configuration.lockOut.attempts), "seed \(seed)")
        expect(configuration.texts.count <= 32 && configuration.ignored.count <= 64, "seed \(seed)")
        expect(configuration.texts.values.allSatisfy { $0.unicodeScalars.count <= 200 }, "seed \(seed)")
      }
      do throws(ActivationFault) {
        let activation = try ActivationAnswer.read(answer, asked: "k")
        activations += 1
        expect(status == 200 || status == 201, "seed \(seed)")
        let parts = [document, document?["data"]]
        let isYes = parts.contains { part in
          ["success", "active", "activated"].contains { part?[$0] == .bool(true) } || part?["token"]?.string != nil
            || part?["message"] == .string("Kiosk activated successfully")
        }
        expect(isYes && type == "application/json", "seed \(seed)")
        expect(KioskPath.segment(activation.kioskID) != nil, "seed \(seed)")
      } catch {
        refusals += 1
        if error.kind == nil { expect(document != nil, "seed \(seed)") }
      }
      try? HealthAnswer.read(answer)
      try? TokenAnswer.read(answer)
      _ = WebToken.expires(String(decoding: body, as: UTF8.self))
    }
    // Some damage does not matter, or the test would show nothing.
    expect(configurations > 0 && activations > 0 && refusals > 0, "seed \(seed)")
  }

  /// As much as an answer can be, of what is worst to read.
  @Test(arguments: ["[", "{\"data\":", "{\"a\":{\"a\":", "\"", "\\", " ", "{\"settings\":{", "1", "\u{301}"])
  func whatIsLongIsReadToItsEndOrNot(piece: String) {
    let count = 256 * 1_024 / piece.utf8.count
    for (head, tail) in [("", ""), (#"{"id":"k","name":""#, #""}"#), (#"{"error":""#, #""}"#)] {
      let body = [UInt8]((head + String(repeating: piece, count: count) + tail).utf8)
      let answer = KioskAnswer(
        HTTPAnswer(status: 200, mediaType: "application/json", body: body), host: "host:1", hiding: [])
      expect((answer.shown?.unicodeScalars.count ?? 0) <= 200)
      let configuration = (try? ConfigurationAnswer.read(answer, hiding: [])) ?? nil
      expect((configuration?.name?.unicodeScalars.count ?? 0) <= 200)
    }
  }

  @Test(arguments: [UInt64](1...10)) func base64IsReadStrictly(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 1...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Written by the definition: bits in sixes.
      let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } }
      let text = stride(from: 0, to: bits.count, by: 6).map { start in
        let six = (0..<6).reduce(0) { $0 << 1 | Int(start + $1 < bits.count ? bits[start + $1] : 0) }
        return alphabet[six]
      }
      expectEqual(WebToken.decode(text), bytes, "seed \(seed)")
      var broken = text
      broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8(ascii: "=")
      expect(WebToken.decode(broken) == nil, "seed \(seed)")
    }
  }
}
