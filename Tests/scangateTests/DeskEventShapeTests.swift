import Expectations
import Foundation
import Testing
import VenueServer

/// Events, venues and talent at a real venue, in each shape that has them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeskEventShapeTests {
  private static let evening = "Hall A 20:00"

  /// What it takes to make an event, besides its name and time.
  private func place(_ bench: DeskBench) async throws -> [String] {
    switch bench.shape {
    case .document: return []
    case .planify:
      let hall = try #require(try await bench.objects(["venues", "list"]).first { $0["name"] as? String == "Hall B" })
      return ["--venue", "\(try #require(hall["id"]))"]
    case .upstream: return ["--subdomain", "hall-b"]
    }
  }

  // MARK: Events

  @Test(arguments: ServerShape.allCases) func ownEventsAreListed(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let list = try await bench.run(["events", "list"])
      expectEqual(list.status, 0, "\(list.errors)")
      expect(
        list.lines.contains { $0.contains("Hall A 20:00") && $0.hasSuffix("Hall A") }, "\(list.output)")
      let zoned = try await bench.run(["events", "list", "--zone", "Asia/Tokyo"])
      expect(zoned.lines.contains { $0.contains("  2025-12-18 04:00  Hall A 20:00") }, "\(zoned.output)")
      expect(!list.output.contains("guests") && !list.output.contains("Somebody Else"), "\(list.output)")

      let event = try await bench.event(Self.evening)
      expectEqual(event["starts_at"] as? String, "2025-12-17T19:00:00Z")
      expect((event["ends_at"] as? String)?.hasSuffix("Z") ?? (shape != .document), "\(event)")
      let types = try #require(event["tickets"] as? [[String: Any]])
      expectEqual(types.compactMap { $0["type"] as? String }, ["Standard", "VIP"])
      // Money as it is told, and objects that are objects.
      if shape == .document {
        expectEqual(types[0]["price"] as? Double, 10)
      } else {
        expectEqual(types[0]["price"] as? String, "10.000")
        expect(event["members"] is [String: Any], "\(event)")
        expect(try await bench.event("Hall A 17:00")["members"] is [String: Any])
      }
      if shape == .planify { expect(types.allSatisfy { $0["sold"] is [String: Any] }, "\(types)") }
    }
  }

  @Test(arguments: ServerShape.allCases) func anEventIsShownByEachOfItsIDs(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let number = try bench.number(Self.evening)
      let encoded = Data("\(number + 389_278)".utf8).base64EncodedString()
      var ids = [try await bench.eventID(Self.evening), encoded]
      if shape != .upstream { ids.append("\(number)") }
      for id in ids {
        let shown = try await bench.run(["events", "show", id])
        expectEqual(shown.status, 0, "\(id): \(shown.errors)")
        // The original's event tells no zone: its schedule does.
        for words in ["Hall A 20:00", "Starts  ", "2025-12-17 20:00 Europe/Berlin", "VIP (", "Hall A ("] {
          expect(
            shown.output.contains(words) || shape == .upstream && words == "Hall A (",
            "\(id), \(words): \(shown.output)")
        }
      }
      let tokyo = try await bench.run(["events", "show", ids[0], "--zone", "Asia/Tokyo"])
      expect(tokyo.output.contains("2025-12-18 04:00"), "\(tokyo.output)")
      try await expectEqual(
        bench.objects(["events", "show", ids[0]]).first?["starts_at"] as? String, "2025-12-17T19:00:00Z")
    }
  }

  @Test(arguments: ServerShape.allCases) func anEventIsMadeAtItsTime(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let words = ["events", "create", "--starts-at", "2025-12-18T20:00"]
      let place = try await place(bench)
      for (name, zone, starts) in [
        ("Matinee", "Europe/Berlin", "2025-12-18T19:00:00Z"), ("Livestream", "Asia/Tokyo", "2025-12-18T11:00:00Z"),
      ] {
        let made = try await bench.run(words + place + ["--name", name, "--timezone", zone])
        expectEqual(made.status, 0, "\(made.errors)")
        expect(made.output.hasPrefix("The event ") && made.output.hasSuffix(" is there.\n"), "\(made.output)")
        try await expectEqual(bench.event(name)["starts_at"] as? String, starts, "\(name)")
      }
      let nowhere = try await bench.run(words + ["--name", "Nowhere", "--timezone", "Europe/Berlin"])
      expectEqual(nowhere.status, shape == .document ? 0 : 64, "\(nowhere.errors)")
    }
  }

  @Test(arguments: ServerShape.allCases) func whatIsMissingIsToldByName(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let long = String(repeating: "x", count: 300)
      let made = try await bench.run(
        ["events", "create", "--name", long, "--starts-at", "2025-12-18T20:00", "--timezone", "Europe/Berlin"]
          + place(bench))
      expectEqual(made.status, 1, "\(made.output)")
      expect(made.errors.contains("does not take it (422)") && made.errors.contains("name: "), "\(made.errors)")
    }
  }

  /// What its servers would lose or move is kept, and the former state brings it back.
  @Test(arguments: ServerShape.allCases) func aRenameMovesAndLosesNothing(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let before = try await bench.event(Self.evening)
      let id = try #require(before["id"] as? String)
      let undo = bench.file("undo.json")
      let changed = try await bench.run(["events", "update", id, "--name", "Gala", "--undo", undo])
      expectEqual(changed.status, 0, "\(changed.errors)")
      for words in [#"name: "Hall A 20:00" -> "Gala""#, "Changed, and nothing else was.", "is kept in \(undo)"] {
        expect(changed.errors.contains(words), "\(words): \(changed.errors)")
      }
      expect(changed.output.contains("2025-12-17 20:00 Europe/Berlin"), "\(changed.output)")
      var after = try await bench.event("Gala")
      after["name"] = Self.evening
      expect(NSDictionary(dictionary: after) == NSDictionary(dictionary: before), "\(before) became \(after)")

      let back = try await bench.run(["events", "update", id, "--data", undo, "--undo", bench.file("gala.json")])
      expectEqual(back.status, 0, "\(back.errors)")
      try await expect(NSDictionary(dictionary: bench.event(Self.evening)) == NSDictionary(dictionary: before))
      let nothing = try await bench.run([
        "events", "update", id, "--name", Self.evening, "--undo", bench.file("no.json"),
      ])
      expect(nothing.status == 0 && nothing.errors.contains("nothing was sent"), "\(nothing.errors)")
    }
  }

  @Test(arguments: ServerShape.allCases) func whoMovesAnEventMovesItByItsClocks(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.eventID(Self.evening)
      let words = ["events", "update", id, "--undo"]
      let moved = try await bench.run(words + [bench.file("1.json"), "--starts-at", "2025-12-17T21:30"])
      expectEqual(moved.status, 0, "\(moved.errors)")
      try await expectEqual(bench.event(Self.evening)["starts_at"] as? String, "2025-12-17T20:30:00Z")
      let tokyo = try await bench.run(
        words + [bench.file("2.json"), "--starts-at", "2025-12-18T04:00", "--zone", "Asia/Tokyo"])
      expectEqual(tokyo.status, 0, "\(tokyo.errors)")
      try await expectEqual(bench.event(Self.evening)["starts_at"] as? String, "2025-12-17T19:00:00Z")

      let zoned = try await bench.run(words + [bench.file("3.json"), "--timezone", "Asia/Tokyo"])
      guard shape == .upstream else {
        expectEqual(zoned.status, 0, "\(zoned.errors)")
        try await expectEqual(bench.event(Self.evening)["starts_at"] as? String, "2025-12-17T19:00:00Z")
        return
      }
      // It goes by the clocks of the event's schedule, whatever it is told.
      expectEqual(zoned.status, 65)
      expect(zoned.errors.contains("the event's schedule, Europe/Berlin"), "\(zoned.errors)")
    }
  }

  @Test(arguments: ServerShape.allCases) func typesOfTicketsGoAfterAsking(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let event = try await bench.event(Self.evening)
      let id = try #require(event["id"] as? String)
      let types = try #require(event["tickets"] as? [[String: Any]])
      let words = try ["events", "update", id, "--undo", bench.file("undo.json")] + bench.data(["tickets": [types[0]]])
      let asked = try await bench.run(words)
      expectEqual(asked.status, 64, "\(asked.errors)")
      expect(asked.errors.contains("ticket type that goes: VIP"), "\(asked.errors)")
      try await expectEqual((bench.event(Self.evening)["tickets"] as? [Any])?.count, 2)
      let done = try await bench.run(words + ["--yes"])
      expectEqual(done.status, 0, "\(done.errors)")
      let left = try #require(try await bench.event(Self.evening)["tickets"] as? [[String: Any]])
      expectEqual(left.compactMap { $0["type"] as? String }, ["Standard"])
      // Who has one may still be there: the sale stands.
      try await expectEqual(bench.sales("VIP of hall-a-20").count, 1)
    }
  }

  @Test(arguments: ServerShape.allCases) func anEventIsDeletedAfterAsking(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.eventID(Self.evening)
      let asked = try await bench.run(["events", "delete", id])
      expect(asked.status == 64 && asked.errors.contains("add --yes"), "\(asked.errors)")
      let done = try await bench.run(["events", "delete", id, "--yes"])
      expectEqual(done.status, 0, "\(done.errors)")
      expect(done.output.contains("Hall A 20:00") && done.output.contains("is deleted"), "\(done.output)")
      try await expect(!bench.objects(["events", "list"]).contains { $0["name"] as? String == Self.evening })
      try await expectEqual(bench.run(["events", "delete", id, "--yes"]).status, 1)
    }
  }

  /// Another organiser's, which this key may scan: the list does not tell of it, and nothing is done to it.
  @Test(arguments: ServerShape.allCases) func anothersEventIsLeftAlone(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let guests = "Hall B 22:00, guests"
      let id = Data("\(try bench.number(guests) + 389_278)".utf8).base64EncodedString()
      for words in [["show", id], ["update", id, "--name", "Ours"], ["delete", id, "--yes"]] {
        let result = try await bench.run(["events"] + words)
        expectEqual(result.status, 1, "\(words): \(result.output)")
        let isTold =
          result.errors.contains("(403): “Unauthorized”") || result.errors.contains("another one may still be there")
        expect(isTold, "\(result.errors)")
      }
      let sold = try await bench.venue.server.tickets()
      expect(sold.contains { $0.event == guests && $0.status == .paid }, "it is still sold")
    }
  }

  // MARK: Venues and talent

  @Test(arguments: [ServerShape.document, .planify], ["venues", "talent"])
  func profilesComeAndGo(shape: ServerShape, kind: String) async throws {
    try await DeskBench.open(shape) { bench in
      let known = kind == "venues" ? ["Hall A", "Hall B"] : ["The Quartet"]
      try await expectEqual(bench.objects([kind, "list"]).compactMap { $0["name"] as? String }, known)
      let made = try await bench.run([
        kind, "create", "--name", "New \u{1B}[2J", "--city", "Bonn", "--timezone", "Europe/Berlin",
      ])
      expectEqual(made.status, 0, "\(made.errors)")
      let list = try await bench.run([kind, "list"])
      expect(list.lines.contains { $0.contains("New [2J") && $0.hasSuffix("Bonn") }, "\(list.output)")
      let new = try #require(
        try await bench.objects([kind, "list"]).first { !known.contains($0["name"] as? String ?? "") })
      let id = "\(try #require(new["id"]))"
      let shown = try await bench.run([kind, "show", id])
      expect(shown.output.contains("Zone") && shown.output.contains("Europe/Berlin"), "\(shown.output)\(shown.errors)")
      let undo = bench.file("undo.json")
      let changed = try await bench.run([kind, "update", id, "--name", "Newer", "--undo", undo])
      expectEqual(changed.status, 0, "\(changed.errors)")
      expect(changed.errors.contains("Changed, and nothing else was."), "\(changed.errors)")
      let after = try #require(try await bench.objects([kind, "show", id]).first)
      expect(after["name"] as? String == "Newer" && after["city"] as? String == "Bonn", "\(after)")
      try await expectEqual(bench.run([kind, "update", id, "--data", undo, "--undo", bench.file("2.json")]).status, 0)
      try await expectEqual(bench.run([kind, "delete", id]).status, 64)
      try await expectEqual(bench.run([kind, "delete", id, "--yes"]).status, 0)
      try await expectEqual(bench.objects([kind, "list"]).count, known.count)
      let gone = try await bench.run([kind, "show", id])
      expect(gone.status == 1 && gone.errors.contains("(404)"), "\(gone.errors)")
    }
  }

  /// A venue that goes leaves its events without a place.
  @Test(arguments: [ServerShape.document, .planify]) func anEventOutlivesItsVenue(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let hall = try #require(try await bench.objects(["venues", "list"]).first { $0["name"] as? String == "Hall B" })
      try await expectEqual(bench.run(["venues", "delete", "\(try #require(hall["id"]))", "--yes"]).status, 0)
      let event = try await bench.event("Hall B 20:00")
      expect(event["venue"] is NSNull && event["venue_id"] is NSNull, "\(event)")
    }
  }

  @Test(arguments: ["venues", "talent"]) func theOriginalHasNone(kind: String) async throws {
    try await DeskBench.open(.upstream) { bench in
      for words in [
        ["list"], ["show", "1"], ["create", "--name", "x"], ["update", "1", "--name", "x"], ["delete", "1", "--yes"],
      ] {
        let result = try await bench.run([kind] + words)
        expectEqual(result.status, 69, "\(words): \(result.output)")
        expect(result.errors.contains("/api/\(kind)") && result.errors.contains("(404)"), "\(words): \(result.errors)")
      }
    }
  }
}
