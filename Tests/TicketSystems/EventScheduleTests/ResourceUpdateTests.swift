import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit
import WireText

@testable import EventSchedule

/// Changing one thing so that nothing else changes, at servers that lose what is not sent.
@Suite struct ResourceUpdateTests {
  private func value(_ text: String) throws -> JSONValue { try DeskReadingTests.value(text) }

  private func update(
    _ told: String, _ changes: [String: JSONValue], clocks: ZoneRules? = nil
  ) throws -> ResourceUpdate {
    try ResourceUpdate(.events, of: try value(told), changes: changes, clocks: clocks)
  }

  @Test func aRenameSendsEverythingByTheClocksOfTheEventsZone() throws {
    let update = try update(DeskReadingTests.real, ["name": .string("Gala")])
    expectEqual(update.differences.map(\.name), ["name"])
    let body = try update.body(.byClocks)
    expectEqual(body["name"], .string("Gala"))
    // 19:00 UTC is 20:00 in Berlin's winter.
    expectEqual(body["starts_at"], .string("2025-12-20 20:00:00"))
    expectEqual(body["timezone"], .string("Europe/Berlin"))
    expectEqual(body["venue_id"], .string("Mzg5Mjg2"))
    expectEqual(body["category_id"], .number("3"))
    expectEqual(body["duration"], .number("3"))
    expectEqual(
      body["tickets"],
      try value(
        #"[{"id":101,"type":"Standard","price":"10.000","quantity":100},{"id":102,"type":"VIP","price":"25.000"}]"#))
    // What would delete something, or is not for us to say.
    for name in [
      "flyer_image_url", "event_url", "members", "schedules", "id", "slug", "url", "description_html", "venue",
    ] {
      expectEqual(body[name], nil, "\(name)")
    }
  }

  @Test func theDocumentsWayKeepsTheFormOfTimes() throws {
    let update = try update(DeskReadingTests.documented, ["name": .string("Gala")])
    let body = try update.body(.asTold)
    expectEqual(body["starts_at"], .string("2025-12-20T19:00:00Z"))
    expectEqual(body["ends_at"], .string("2025-12-20T22:00:00Z"))
    expectEqual(body["tickets"], try value(#"[{"id":101,"type":"Standard","price":10.5,"quantity":100}]"#))
  }

  @Test func whoMovesAnEventMovesItsEnd() throws {
    let update = try update(DeskReadingTests.documented, ["starts_at": .string("2025-12-20T21:00")])
    let body = try update.body(.asTold)
    expectEqual(body["starts_at"], .string("2025-12-20T20:00:00Z"))
    expectEqual(body["ends_at"], .string("2025-12-20T23:00:00Z"))
    expectEqual(update.differences.map(\.name), ["ends_at", "starts_at"])
  }

  @Test func anotherZoneMovesNothing() throws {
    let update = try update(DeskReadingTests.real, ["timezone": .string("America/New_York")])
    expectEqual(try update.body(.byClocks)["starts_at"], .string("2025-12-20 14:00:00"))
    expectEqual(update.differences.map(\.name), ["timezone"])
  }

  @Test func timesAreOfTheZoneThatWasAskedFor() throws {
    let update = try update(
      DeskReadingTests.real, ["starts_at": .string("2025-12-21 10:00")], clocks: ZoneRules.named("Asia/Tokyo"))
    expectEqual(try update.body(.byClocks)["starts_at"], .string("2025-12-21 02:00:00"))
  }

  @Test(arguments: [
    #"{"id":1,"starts_at":"2025-12-20 19:00:00"}"#, #"{"id":1,"starts_at":"2025-12-20 19:00:00","timezone":null}"#,
  ])
  func withoutAZoneNoTimeIsSent(told: String) throws {
    let update = try update(told, ["name": .string("x")])
    for form in [ResourceUpdate.Form.asTold, .byClocks] {
      expectThrows { _ = try update.body(form) }
    }
    let named = try self.update(told, ["name": .string("x"), "timezone": .string("Europe/Berlin")])
    expectEqual(try named.body(.byClocks)["starts_at"], .string("2025-12-20 20:00:00"))
  }

  @Test func aZoneThatIsNoneIsRefused() throws {
    expectThrows { _ = try update(DeskReadingTests.real, ["timezone": .string("../../etc/passwd")]) }
    expectThrows { _ = try update(#"{"id":1,"timezone":"Nowhere/Else"}"#, ["name": .string("x")]) }
  }

  private func expectThrows(_ body: () throws -> Void, line: Int = #line) {
    do {
      try body()
      unexpected("line \(line): no fault")
    } catch {
      expect(error is ResourceUpdate.Fault, "\(error)")
    }
  }

  /// 02:30 comes twice on the last Sunday of October; servers take the first.
  @Test func theSecondOfTwoHoursIsRefused() throws {
    let second = #"{"id":1,"starts_at":"2026-10-25 01:30:00","timezone":"Europe/Berlin"}"#
    let update = try update(second, ["name": .string("x")])
    expectThrows { _ = try update.body(.byClocks) }
    let first = #"{"id":1,"starts_at":"2026-10-25 00:30:00","timezone":"Europe/Berlin"}"#
    expectEqual(
      try self.update(first, ["name": .string("x")]).body(.byClocks)["starts_at"], .string("2026-10-25 02:30:00"))
  }

  /// Whatever the zone and the day: what a server makes of the clocks that it is sent is the time that it told.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 20, release: 200))))
  func timesComeBackInAllZones(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let zones = [
      "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Pacific/Auckland", "UTC",
      "America/St_Johns",
      "Australia/Lord_Howe", "Africa/Casablanca",
    ]
    for _ in 0..<100 {
      let name = zones[Int.random(in: 0..<zones.count, using: &random)]
      let zone = try #require(ZoneRules.named(name))
      let time = WallTime(seconds: Int64.random(in: 1_600_000_000...2_000_000_000, using: &random) / 60 * 60)
      let told = DeskTime.clocks(time, in: .utc)
      let update = try update(#"{"id":1,"starts_at":"\#(told)","timezone":"\#(name)"}"#, ["name": .string("x")])
      guard let body = try? update.body(.byClocks), let sent = body["starts_at"]?.string else {
        expect(!DeskTime.survives(time, in: zone), "seed \(seed): \(name) \(told)")
        continue
      }
      expectEqual(DeskTime.typed(sent, in: zone), time, "seed \(seed): \(name) \(told) \(sent)")
    }
  }

  // MARK: Ticket types

  @Test func aTypeThatIsNotNamedGoes() throws {
    let types = try value(
      #"[{"id":"Mzg5Mzc5","type":"Standard","price":"12","quantity":100},{"type":"Box","price":"80"}]"#)
    let update = try update(DeskReadingTests.real, ["tickets": types])
    expectEqual(update.lostTypes.map(\.type), ["VIP"])
    expectEqual(update.differences.map(\.name), ["tickets"])
    expectEqual(
      try update.body(.byClocks)["tickets"],
      try value(#"[{"id":101,"type":"Standard","price":"12","quantity":100},{"type":"Box","price":"80"}]"#))
  }

  @Test func theSameTypesAreNoDifference() throws {
    let types = try value(
      #"[{"id":102,"type":"VIP","price":25,"quantity":null},{"id":101,"type":"Standard","price":"10","quantity":"100","sold":{}}]"#
    )
    let update = try update(DeskReadingTests.real, ["tickets": types])
    expectEqual(update.differences, [])
    expectEqual(update.lostTypes, [])
  }

  @Test func aTypeThatIsGoneIsMadeAnew() throws {
    let types = try value(
      #"[{"id":101,"type":"Standard","price":"10.000","quantity":100},{"id":7,"type":"Box","price":"80"}]"#)
    let update = try update(DeskReadingTests.real, ["tickets": types])
    expectEqual(try update.body(.byClocks)["tickets"]?.elements.map { $0["id"] }, [.number("101"), nil])
  }

  @Test func anEndIsSaidAsTheServerHasIt() throws {
    let byHours = try update(DeskReadingTests.real, ["ends_at": .string("2025-12-20T22:30")])
    let body = try byHours.body(.byClocks)
    expectEqual(body["duration"], .number("2.5"))
    expectEqual(body["ends_at"], nil)
    let byTime = try update(DeskReadingTests.documented, ["duration": .number("2")])
    expectEqual(try byTime.body(.asTold)["ends_at"], .string("2025-12-20T21:00:00Z"))
    expectEqual(try byTime.body(.asTold)["duration"], nil)
    expectThrows { _ = try update(DeskReadingTests.real, ["ends_at": .string("2025-12-20T19:30")]) }
  }

  // MARK: Afterwards

  @Test func whatIsNeverToldIsNotMissed() throws {
    let update = try update(DeskReadingTests.real, ["venue_room_id": .string("Mzg5Mjgw")])
    expect(!update.mayLoseRoom)
    expectEqual(update.differences.map(\.name), ["venue_room_id"])
    expectEqual(update.faults(in: try value(DeskReadingTests.real)), [])
  }

  /// A key that is misspelt is sent, and no server makes anything of it.
  @Test func whatWasAskedForAndIsNotToldIsFound() throws {
    for text in [DeskReadingTests.real, DeskReadingTests.documented] {
      let faults = try update(text, ["nmae": .string("Gala")]).faults(in: try value(text))
      expectEqual(faults, [ResourceUpdate.Difference(name: "nmae", before: .string("Gala"), after: .null)])
      expectEqual(try update(text, ["nmae": .null, "password": .string("open")]).faults(in: try value(text)), [])
    }
  }

  @Test func whatWasSentIsFoundAgain() throws {
    let update = try update(DeskReadingTests.real, ["name": .string("Gala")])
    let after = DeskReadingTests.real.replacing("\"Concert 2025\"", with: "\"Gala\"")
      .replacing("/concert", with: "/gala").replacing("\"sold\":[]", with: "\"sold\":{\"2025-12-20\":1}")
    expectEqual(update.faults(in: try value(after)), [])
  }

  @Test(arguments: [
    ("\"Concert 2025\"", "\"Concert 2025\"", "name"),
    ("19:00:00", "18:00:00", "starts_at"), ("Europe/Berlin", "UTC", "timezone"),
    ("\"duration\":3", "\"duration\":null", "duration"),
    ("\"Two halls\"", "\"\"", "description"),
    ("\"venue_id\":\"Mzg5Mjg2\"", "\"venue_id\":null", "venue_id"),
    ("\"25.000\"", "\"0.000\"", "tickets"), ("\"id\":\"Mzg5Mzgw\"", "\"id\":\"Mzg5Mzgx\"", "tickets"),
    ("\"flyer.png\"", "null", "flyer_image_url"), ("\"members\":[]", "\"members\":{\"a\":{\"name\":\"x\"}}", "members"),
    ("\"tickets_enabled\":true", "\"tickets_enabled\":false", "tickets_enabled"),
  ])
  func whateverElseChangedIsFound(part: String, other: String, name: String) throws {
    let update = try update(DeskReadingTests.real, ["name": .string("Gala")])
    var after = DeskReadingTests.real.replacing(part, with: other)
    if name != "name" { after = after.replacing("\"Concert 2025\"", with: "\"Gala\"") }
    let faults = update.faults(in: try value(after))
    expect(faults.map(\.name).contains(name), "\(faults)")
  }

  @Test func theUndoBringsItBack() throws {
    let update = try update(DeskReadingTests.real, ["name": .string("Gala"), "starts_at": .string("2026-01-01T00:00")])
    let after = try value(
      DeskReadingTests.real.replacing("\"Concert 2025\"", with: "\"Gala\"").replacing(
        "2025-12-20 19:00:00", with: "2025-12-31 23:00:00"))
    expectEqual(update.faults(in: after), [])
    let back = try ResourceUpdate(.events, of: after, changes: update.undo.members)
    expectEqual(try back.body(.byClocks)["starts_at"], .string("2025-12-20 20:00:00"))
    expectEqual(back.differences.map(\.name), ["name", "starts_at"])
    expectEqual(back.faults(in: try value(DeskReadingTests.real)), [])
  }

  /// What it was before the first change is not overwritten by the second, nor is the second stopped by it.
  @Test func twoChangesWithinASecondHaveFilesOfTheirOwn() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let name = UndoFile.name(.events, "Mzg5NzM0", WallTime(seconds: 1_796_151_600))
    expect(name.hasPrefix("event-456-20261") && name.hasSuffix("Z"), "\(name)")
    let path = folder.path + "/" + name
    let files = try (1...3).map { try UndoFile.write([UInt8]("\($0)".utf8), named: path) }
    expectEqual(files, [path + ".json", path + "-2.json", path + "-3.json"])
    for (number, file) in files.enumerated() {
      expectEqual(try String(contentsOfFile: file, encoding: .utf8), "\(number + 1)")
    }
    do throws(SystemError) {
      unexpected(try UndoFile.write([], named: folder.path + "/none/" + name))
    } catch {
      expectEqual(error.errno, ENOENT)
    }
  }

  /// A server with the real one's habits, and any event and change: what is not named is as before, or it is said.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 20, release: 200))))
  func nothingIsLostUnsaid(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let zone = ["Europe/Berlin", "America/New_York", "Asia/Tokyo"][Int.random(in: 0..<3, using: &random)]
      let rules = try #require(ZoneRules.named(zone))
      let time = WallTime(seconds: Int64.random(in: 1_700_000_000...1_800_000_000, using: &random))
      var event: [String: JSONValue] = [
        "id": .string("Mzg5NzM0"), "name": .string("Concert"), "timezone": .string(zone),
        "starts_at": .string(DeskTime.clocks(time, in: .utc)),
      ]
      if random.chance(50) { event["description"] = .string("text \(seed)") }
      if random.chance(50) { event["event_url"] = .string("https://e.example") }
      let count = Int64.random(in: 0...3, using: &random)
      event["tickets"] = .array(
        (0..<count).map {
          .object([
            "id": .string(PublicID.encoded("\($0 + 1)")), "type": .string("T\($0)"), "price": .string("\($0).000"),
            "quantity": random.chance(50) ? .null : .number("\($0)"), "sold": .array([]),
          ])
        })
      let told = JSONValue.object(event)
      let update = try ResourceUpdate(.events, of: told, changes: ["name": .string("Gala")])
      guard let body = try? update.body(.byClocks) else { continue }
      // As the server does it: types that are not sent go, the link goes unless it is sent, times are clocks.
      var after = event.merging(body.members) { _, new in new }
      if body["event_url"] == nil { after["event_url"] = .null }
      let sent = body["tickets"]?.elements ?? []
      after["tickets"] = .array(
        (event["tickets"]?.elements ?? []).filter { type in
          sent.contains { $0["id"]?.integer == type["id"]?.identifier.flatMap(PublicID.number) }
        })
      let clocks = try #require(body["starts_at"]?.string)
      after["starts_at"] = .string(DeskTime.clocks(try #require(DeskTime.typed(clocks, in: rules)), in: .utc))
      expectEqual(update.faults(in: .object(after)), [], "seed \(seed)")
      // And where it does lose something, that is found.
      after["description"] = .string("lost")
      expectEqual(update.faults(in: .object(after)).map(\.name), ["description"], "seed \(seed)")
    }
  }
}
