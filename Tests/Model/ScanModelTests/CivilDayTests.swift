import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing

@Suite struct CivilDayTests {
  @Test(
    arguments: [
      ("2025-12-17T14:30:00.000000Z", 1_765_981_800), ("2025-12-17T14:30:00Z", 1_765_981_800),
      ("2025-12-17T15:30:00+01:00", 1_765_981_800), ("2025-12-17t09:00:00.5-0530", 1_765_981_800),
      ("2025-12-17 14:30:00.999999999999Z", 1_765_981_800),
    ] as [(String, Int64)]) func readsTimestamps(text: String, seconds: Int64)
  {
    expectEqual(WallTime(iso8601: text)?.seconds, seconds)
  }

  @Test(arguments: [
    "", "2025-12-17", "2025-12-17T14:30:00", "2025-12-17T14:30Z", "2025-13-17T14:30:00Z", "2025-12-17T14:30:00.Z",
    "2025-12-17T14:30:00ZZ",
    "2025-02-29T14:30:00Z", "2025-12-17T14:30:00+1", "２０25-12-17T14:30:00Z", "+025-12-17T14:30:00Z",
    "2025-12-17T14:30:00." + String(repeating: "0", count: 1_000) + "Z",
  ]) func refusesOtherTimestamps(text: String) {
    expect(WallTime(iso8601: text) == nil)
  }

  @Test func agreesWithFoundation() throws {
    let formatter = ISO8601DateFormatter()
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      let seconds = Int64.random(in: -9_000_000_000...9_000_000_000, using: &random)
      let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
      expectEqual(WallTime(iso8601: text)?.seconds, seconds)
      expectEqual(WallTime(seconds: seconds).iso8601Seconds, text)
    }
  }

  @Test func noTrapOnRandomBytes() {
    var random = SeededGenerator(seed: 5)
    let alphabet = Array("0123456789-:TZ+., GMTSunNov\u{0}é")
    var read = 0
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...40, using: &random)
      let text = String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
      if WallTime(iso8601: text) != nil { read += 1 }
    }
    expectEqual(read, 0)
  }

  /// Every day of 800 years: its number and its date say the same, one follows the other, and months are as long as they are.
  @Test func daysFollowEachOther() throws {
    var next = try #require(CivilDay(year: 1_600, month: 1, day: 1)).number
    for year: Int64 in 1_600..<2_400 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (index, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        let month = Int64(index + 1)
        expectEqual(CivilDay.days(in: month, of: year), Int64(length))
        expect(CivilDay(year: year, month: month, day: Int64(length) + 1) == nil)
        for day in 1...Int64(length) {
          let civil = CivilDay(number: next)
          guard civil == CivilDay(year: year, month: month, day: day), civil.number == next else {
            Issue.record("\(civil) is \(next)")
            return
          }
          next += 1
        }
      }
    }
    expectEqual(CivilDay(number: 0).description, "1970-01-01")
    expect(CivilDay(number: 0).weekday == 4 && CivilDay(number: -4).weekday == 0)
    expect(CivilDay(year: 2_026, month: 0, day: 1) == nil && CivilDay(year: 2_026, month: 13, day: 1) == nil)
    expect(CivilDay([2_026, 2]) == nil && CivilDay([.max, 1, 1]) == nil)
  }
}
