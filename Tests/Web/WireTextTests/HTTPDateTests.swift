import Expectations
import WireText
import ScanModel
import ScanTesting
import Testing

@Suite struct HTTPDateTests {
  let now = WallTime(seconds: 1_800_000_000)  // 2027

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Friday, 01-Jan-77 00:00:00 GMT", 3_376_684_800),
      ("Saturday, 01-Jan-78 00:00:00 GMT", 252_460_800),
    ] as [(String, Int64)]) func readsHTTPDates(text: String, seconds: Int64)
  {
    expectEqual(HTTPDate.read(text, now: now)?.seconds, seconds)
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 -8:49:37 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
  ]) func refusesOtherDates(text: String) {
    expect(HTTPDate.read(text, now: now) == nil)
  }

  @Test func noTrapOnRandomBytes() {
    var random = SeededGenerator(seed: 5)
    let alphabet = Array("0123456789-:TZ+., GMTSunNov\u{0}é")
    var read = 0
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...40, using: &random)
      let text = String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
      if HTTPDate.read(text, now: now) != nil { read += 1 }
    }
    expectEqual(read, 0)
  }
}
