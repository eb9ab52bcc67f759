import EventSchedule
import Expectations
import ScanModel
import ScanTesting
import Testing

/// What a server's database may overlook in a secret.
@Suite struct FoldingTests {
  private func key(_ text: String) -> TicketKey { EventScheduleTicketSystem.foldedKey(of: Code(text)) }

  @Test(arguments: [
    ("WK8WfyZjrbrdv5rxvjxjzpx9ggum6uxl", "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"), ("abc\u{1D}", "abc"),
    ("abc \u{1D} ", "abc"), ("a\u{0}b\u{1D}c", "ABC"), ("\u{FF21}bc", "abc"), ("\u{E1}bc", "abc"),
    ("a\u{301}bc", "abc"), ("a\u{200D}bc", "abc"), ("stra\u{DF}e", "STRASSE"), ("\u{1E9E}", "ss"),
    ("\u{130}", "i"), ("\u{3C2}", "\u{3C3}"), ("abc\u{A0}", "abc"), ("abc\u{AD}", "abc"),
  ]) func areOneToIt(a: String, b: String) { expectEqual(key(a), key(b)) }

  @Test(arguments: [
    ("abc", "abd"), ("abc", "ab"), ("a b", "ab"), ("0", "O"), ("1", "l"), ("a-b", "a_b"), ("\u{1D}", "\u{1C}"),
    ("a", "\u{430}"),
  ]) func areTwoToIt(a: String, b: String) { expect(key(a) != key(b)) }

  @Test func aSecretInLowerCaseIsItsOwnKey() {
    expectEqual(key("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl").bytes, Array("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl".utf8))
  }

  /// Whatever is read: a key, the same of the key itself, and of each spelling of it.
  @Test(arguments: [31, 32] as [UInt64]) func properties(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = ["a", "B", "7", "\u{1D}", "\u{E9}", "\u{301}", "\u{FF22}", " ", "\u{DF}", "\u{200B}", "\u{FDFA}", "-"]
    for _ in 0..<1_000 {
      let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      let folded = key(text)
      expect(!folded.bytes.isEmpty)
      // Of nothing but what is overlooked the bytes stay; and so they do where there is nothing to fold.
      guard folded.bytes != Array(text.utf8) else { continue }
      expectEqual(EventScheduleTicketSystem.foldedKey(of: Code(bytes: folded.bytes)), folded, "\(text)")
      // In capitals it has another length.
      let isLong = text.unicodeScalars.contains("\u{DF}")
      let other = isLong ? text : String(text.map { random.chance(50) ? Character($0.uppercased()) : $0 })
      expectEqual(key(other + "\u{1D}"), folded, "\(text), \(other)")
    }
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = EventScheduleTicketSystem.foldedKey(of: Code(bytes: bytes))
    }
  }
}
