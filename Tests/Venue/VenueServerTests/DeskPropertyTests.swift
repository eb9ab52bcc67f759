import Expectations
import Foundation
import Testing

@testable import VenueServer

/// Names and times of the desk, whatever they are.
@Suite struct DeskPropertyTests {
  private static let zones = [
    "UTC", "Europe/Berlin", "America/New_York", "Pacific/Honolulu", "Australia/Lord_Howe", "Asia/Kathmandu",
    "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca",
  ]

  @Test(arguments: 0..<20) func idsComeBackInEachShape(seed: UInt64) {
    var random = SecretSource(number: seed)
    for _ in 0..<200 {
      let id = Int64.random(in: 1...4_294_967_295, using: &random)
      for shape in ServerShape.allCases {
        expectEqual(shape.id(shape.publicID(id)), id, "\(shape) \(id), seed \(seed)")
      }
      // A plain number is a name in the document alone.
      expectEqual(ServerShape.document.id("\(id)"), id)
      expect(ServerShape.planify.id("\(id)") == nil, "\(id), seed \(seed)")
    }
  }

  @Test(arguments: 0..<20) func anyTextIsAnIDOrNone(seed: UInt64) {
    var random = SecretSource(number: seed)
    let alphabet = Array("0123456789Mzg5NXkG=+-/ é\u{0}\u{202E}👍🏽%")
    for _ in 0..<200 {
      let text = String(
        (0..<Int.random(in: 0...30, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "x" })
      for shape in ServerShape.allCases {
        guard let id = shape.id(text), id > 0, id <= 4_294_967_295 else { continue }
        expectEqual(shape.id(shape.publicID(id)), id, "\(shape) \(id), seed \(seed)")
      }
      if let wall = WallTime(text) { expect((0..<86_400).contains(wall.seconds)) }
    }
  }

  /// What clocks show is what was read, except where they skip it.
  @Test(arguments: 0..<20) func wallTimesAreInstantsByTheClocksOfTheirZone(seed: UInt64) throws {
    var random = SecretSource(number: seed)
    for _ in 0..<200 {
      let name = Self.zones.randomElement(using: &random) ?? "UTC"
      let zone = try #require(TimeZone.named(name))
      let second = Int64.random(in: 0..<4_000_000_000, using: &random)
      let text = Timestamp(seconds: second).sql
      let wall = try #require(WallTime(text))
      expectEqual(Timestamp(sql: text)?.seconds, second)
      let instant = wall.instant(in: zone)
      func offset(_ at: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(at))))
      }
      let shown = instant.seconds + offset(instant.seconds)
      let isChanging = offset(instant.seconds - 172_800) != offset(instant.seconds + 172_800)
      expect(shown == second || isChanging, "\(text) \(name): \(instant), seed \(seed)")
    }
  }

  /// The nights on which clocks change: one time is skipped, one is there twice.
  @Test func nightsOfChangesHaveATimeForEach() throws {
    let zone = try #require(TimeZone.named("Europe/Berlin"))
    for (text, expected) in [
      ("2025-03-30 01:59:59", "2025-03-30 00:59:59"), ("2025-03-30 03:00:00", "2025-03-30 01:00:00"),
      ("2025-10-26 01:59:59", "2025-10-25 23:59:59"), ("2025-10-26 03:00:00", "2025-10-26 02:00:00"),
    ] {
      expectEqual(try #require(WallTime(text)).instant(in: zone).sql, expected, "\(text)")
    }
    for text in ["2025-03-30 02:30:00", "2025-10-26 02:30:00"] {
      let instant = try #require(WallTime(text)).instant(in: zone)
      expect(
        ["2025-03-30 00:30:00", "2025-03-30 01:30:00", "2025-10-26 00:30:00", "2025-10-26 01:30:00"]
          .contains(instant.sql), "\(text): \(instant.sql)")
    }
    for text in [
      "", "2025-03-30", "2025-03-30T20:00:00", "2025-02-29 20:00:00", "2025-03-30 24:00:00", "2025-03-30 20:00",
    ] {
      expect(WallTime(text) == nil, "\(text)")
    }
  }
}
