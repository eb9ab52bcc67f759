import Expectations
@testable import EventSchedule
import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketTransport

/// Damaged answers: no crash, and no admission unless another parser finds every condition met as well.
@Suite struct AnswerFuzzTests {
  /// Foundation's reading of the four conditions on the body.
  private func admits(_ body: [UInt8]) -> Bool {
    guard let document = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any],
      let data = document["data"] as? [String: Any], let sale = data["sale"] as? [String: Any],
      sale["status"] as? String == "paid", let at = data["scanned_at"] as? String, at.count >= 20,
      at.contains("T") || at.contains("t") || at.contains(" ")
    else { return false }
    switch data["entry_id"] {
    case let text as String: return !text.isEmpty
    case let number as NSNumber: return CFTypeCheck.isWhole(number)
    default: return false
    }
  }

  private func judge(_ body: [UInt8], status: Int = 201, type: String = "application/json") -> ScanAnswer {
    ScanAnswer(HTTPAnswer(status: status, mediaType: type, body: body), host: "host:1", saleTicketID: 789)
  }

  @Test(arguments: [UInt64](1...25)) func damagedBytesAdmitNobody(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let whole = [UInt8](Answers.sale().utf8)
    let pieces = [
      "\"paid\"", "null", "{", "}", "[", "]", "\"", ",", ":", "\\", "1e9", "-", "true", "\"entry_id\":", "\u{0}",
      "\\u0000",
    ]
    var admitted = 0
    for _ in 0..<400 {
      var body = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<body.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: body[index] = UInt8.random(in: 0...255, using: &random)
        case 1: body.remove(at: index)
        case 2: body.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8, at: index)
        case 3: body.removeSubrange(index..<min(body.count, index + Int.random(in: 1...30, using: &random)))
        case 4:
          let end = min(body.count, index + Int.random(in: 1...60, using: &random))
          body.insert(contentsOf: Array(body[index..<end]), at: Int.random(in: 0...body.count, using: &random))
        default: body = Array(body.prefix(index + 1))
        }
        if body.isEmpty { break }
      }
      let answer = judge(body)
      expect(answer.mayHaveRedeemed)
      guard case .redeemed(let redemption) = answer.answer else { continue }
      admitted += 1
      expect(admits(body), "seed \(seed): \(String(decoding: body, as: UTF8.self))")
      expect((1...1_000).contains(redemption.quantity))
      expect(!redemption.entryID.isEmpty)
    }
    // Some damage falls on fields that do not matter, or the test would show nothing.
    expect(admitted > 0, "seed \(seed)")
    expect(admitted < 400, "seed \(seed)")
  }

  static let values = [
    "null", "true", "0", "-1", "1.5", "1e999", "-1e-999", "99999999999999999999999999", "\"\"", "\"paid\"", "\"x\"",
    "[]", "{}", "[[]]", "{\"a\":[]}",
    "\"2025-12-17T14:30:00Z\"", "\"\\ud800\"", "9223372036854775807", "-9223372036854775808",
  ]

  /// Each value in each place: the answer is an admission exactly where the conditions say so.
  @Test func wrongTypesEverywhere() {
    var admitted = 0
    for entry in Self.values + ["1001"] {
      for at in Self.values {
        for status in Self.values {
          for other in ["null", "[{\"id\":{},\"quantity\":[]}]"] {
            let body = [UInt8](Answers.sale(status: status, entry: entry, at: at, tickets: other, event: other).utf8)
            guard case .redeemed = judge(body).answer else { continue }
            admitted += 1
            expect(status == "\"paid\"" && at == "\"2025-12-17T14:30:00Z\"")
            expect(
              entry.allSatisfy { $0.isNumber || $0 == "-" } || entry.hasPrefix("\"") && entry.count > 2, "\(entry)")
          }
        }
      }
    }
    expect(admitted > 0)
  }

  /// Whatever the status and the type: a body without the API's words says neither that nothing was redeemed nor anything of the key.
  @Test(arguments: ["application/json", "application/problem+json", "text/html", "text/json", ""])
  func onlyTheAPIRefuses(type: String) {
    let bodies = [
      "", "null", "[]", "{}", "[{\"error\":\"x\"}]", "\"error\"", "{\"error\":1}", "{\"Error\":\"x\"}",
      "{\"error\":\"x\"",
      "<html>Ticket not found</html>", "{\"error\":{\"message\":\"x\"}}", "{\"error\":\"\",\"message\":\"\"}",
    ]
    let refusals = [
      "{\"error\":\"Ticket not found\"}", "{\"message\":\"Access denied\"}", "{\"error\":\"\",\"message\":\"x\"}",
    ]
    for body in bodies + refusals {
      for status in [0, 100, 199, 200, 202, 302, 399] + Array(400...500) + [599, 600] {
        let answer = judge([UInt8](body.utf8), status: status, type: type)
        let isRefusal =
          refusals.contains(body) && type.hasSuffix("json") && type != "text/json" && status / 100 == 4 && status != 408
        expectEqual(answer.mayHaveRedeemed, !isRefusal, "\(status) \(body)")
        if case .refused = answer.answer { expect(isRefusal, "\(status) \(body)") }
        if case .undecided(.keyRefused, _) = answer.answer { expect(isRefusal, "\(status) \(body)") }
        if case .undecided(.accessDenied, _) = answer.answer { expect(isRefusal, "\(status) \(body)") }
        if case .undecided(.keyBlocked, _) = answer.answer { expect(isRefusal, "\(status) \(body)") }
      }
    }
  }

  @Test func noOtherStatusAndNoOtherTypeAdmits() {
    let body = [UInt8](Answers.sale().utf8)
    for status in 0...1_000 where status != 201 {
      if case .redeemed = judge(body, status: status).answer { Issue.record("\(status)") }
      expect(judge(body, status: status).mayHaveRedeemed, "\(status)")
    }
    for type in ["", "text/html", "text/json", "application/json+xml", "json"] {
      if case .redeemed = judge(body, type: type).answer { Issue.record("\(type)") }
    }
  }
}

private enum CFTypeCheck {
  /// Whether the number was written without fraction and exponent, and is no truth value.
  static func isWhole(_ number: NSNumber) -> Bool {
    let text = "\(number)"
    return text.allSatisfy { $0.isNumber || $0 == "-" } || number.doubleValue.magnitude > 9e18
  }
}
