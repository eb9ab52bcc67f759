@testable import EventSchedule
import Expectations
import Foundation
import ScanTesting
import Testing

/// The two names of an event are one; everything else is compared as bytes.
@Suite struct EventIDTests {
  private func encoded(_ id: Int64) -> String { Data("\(id + 389_278)".utf8).base64EncodedString() }

  @Test(arguments: [("1", "Mzg5Mjc5"), ("8", "Mzg5Mjg2"), ("456", "Mzg5NzM0")])
  func numberAndBase64AreOne(number: String, text: String) {
    expectEqual(EventID(number), EventID(text))
  }

  @Test(arguments: [UInt64](1...20)) func anyNumberAndItsBase64AreOne(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<extent(landing: 100, release: 500) {
      let id = Int64.random(in: 1...(1 << Int64.random(in: 1...50, using: &random)), using: &random)
      let text = encoded(id)
      expectEqual(EventID("\(id)"), EventID(text), "seed \(seed)")
      expectEqual(EventID("\(id)"), EventID(text.replacingOccurrences(of: "=", with: "")), "seed \(seed)")
      expect(EventID("\(id + 1)") != EventID(text), "seed \(seed)")
    }
  }

  /// Two texts that differ are one event only where both are names of one number.
  @Test(arguments: [UInt64](1...20)) func nothingElseIsOne(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "4", "5", "6", "0", "M", "z", "g", "5", "N", "j", "c", "=", "+", "-", "é", "\u{65}\u{301}", " ", "A", "a",
    ]
    func text() -> String {
      (0..<Int.random(in: 1...9, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        .joined()
    }
    for _ in 0..<extent(landing: 500, release: 2_000) {
      let (a, b) = (text(), text())
      guard Array(a.utf8) != Array(b.utf8), EventID(a) == EventID(b) else { continue }
      func number(_ text: String) -> Int64? {
        if text.allSatisfy({ ("0"..."9").contains($0) }) { return Int64(text) }
        let bare = text.replacingOccurrences(of: "=", with: "")
        let padded = bare + String(repeating: "=", count: (4 - bare.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { $0 - 389_278 }
      }
      expect(number(a) != nil && number(a) == number(b), "seed \(seed): \(a) \(b)")
    }
  }

  @Test(
    arguments: [
      ("0456", "456"), ("+456", "456"), (" 456", "456"), ("456 ", "456"), ("-1", "1"), ("mzg5nzm0", "Mzg5NzM0"),
      ("Mzg5NzM0=", "456"), ("Mzg5NzM0====", "456"), ("Mzg5Mjc4", "0"), ("MA==", "-389278"), ("\u{e9}", "e\u{301}"),
      ("99999999999999999999", "99999999999999999998"), ("", "0"), ("MDAwNDU2", "456"),
    ])
  func theseAreTwo(a: String, b: String) { expect(EventID(a) != EventID(b), "\(a) \(b)") }
}
