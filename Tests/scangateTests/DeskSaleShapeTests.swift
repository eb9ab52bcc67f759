import Expectations
import Foundation
import Testing
import VenueServer

/// Sales and check-ins at a real venue, in each shape: what a command does is looked at in the venue's own books.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeskSaleShapeTests {
  private static let evening = "Hall A 20:00"
  /// A sale of two and one, which is paid.
  private static let holder = "Ruth Vidal"

  /// That there is no such call at a server.
  private func lacks(_ result: Program.Result, line: Int = #line) {
    expectEqual(result.status, 69, "line \(line): \(result.output)\(result.errors)")
    expect(result.errors.contains(" has no "), "line \(line): \(result.errors)")
  }

  /// Issues two tickets of one type to Max; returns what was told.
  private func issue(_ bench: DeskBench) async throws -> [String: Any] {
    let told = try await bench.objects([
      "tickets", "issue", "--event", try await bench.eventID(Self.evening), "--name", "Max Kay", "--email",
      "max@guests.example", "--ticket", "vip=2",
    ])
    return try #require(told.first)
  }

  // MARK: Searching

  @Test(arguments: ServerShape.allCases) func salesAreFoundByNameAddressAndEvent(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      for text in ["ruth", "RUTH VIDAL", "Ruth Vidal"] {
        try await expectEqual(bench.sales(text).compactMap { $0["name"] as? String }, [Self.holder], "\(text)")
      }
      let table = try await bench.run(["tickets", "search", "ruth"])
      expect(table.lines.count == 2 && table.lines[1].contains("paid    2+1"), "\(table.output)")
      try await expectEqual(bench.sales("nobody").count, 0)
      let event = try await bench.eventID(Self.evening)
      let all = try await bench.objects(["tickets", "search", "--event", event])
      expectEqual(
        Set(all.compactMap { $0["name"] as? String }), ["Standard of hall-a-20", "VIP of hall-a-20", Self.holder])
      try await expectEqual(bench.objects(["tickets", "search", "--event", event, "ruth"]).count, 1)
    }
  }

  /// Pages have 50, 100 or as many sales as a server likes: all of them are there, each once.
  @Test(arguments: ServerShape.allCases) func aLongListIsReadToItsEnd(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let many = (1...130).map { number in
        ImportedTicket(line: number, code: "\(shape)CODE\(10_000 + number)", name: "Visitor \(number)", event: "Fair")
      }
      _ = try await bench.venue.server.importTickets(many, file: "fair.csv")
      let before = try await bench.objects(["tickets", "search"]).count
      let found = try await bench.sales("Visitor")
      expectEqual(Set(found.compactMap { $0["name"] as? String }).count, 130)
      expect(found.count == 130 && before > 130)
      // That a list never ends, whatever it says, ends it.
      try bench.misbehave("json=pages")
      let endless = try await bench.run(["tickets", "search"])
      expect(endless.status == 0 && endless.errors.contains("told a page a second time"), "\(endless.errors)")
      expect(endless.lines.count <= before + 1)
    }
  }

  // MARK: Issuing

  @Test(arguments: ServerShape.allCases) func ticketsAreIssued(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let told = try await issue(bench)
      let sold = try await bench.venue.server.tickets().filter { $0.holder == "Max Kay" }
      expectEqual(Set(sold.map(\.eventID)), [try bench.number(Self.evening)])
      expectEqual(sold.reduce(0) { $0 + $1.quantity }, 2)
      // Paid where the document has it so, and with its code; else that is told nowhere.
      expectEqual(Set(sold.map(\.status.rawValue)), [shape == .document ? "paid" : "unpaid"])
      if shape == .document {
        expect((told["ticket_code"] as? String)?.hasPrefix("…") == true, "\(told)")
      } else {
        expect(told["ticket_code"] == nil && !"\(told)".contains(sold[0].code), "\(told)")
      }
      let found = try #require(try await bench.sales("max kay").first)
      expectEqual("\(found["id"] ?? "")".isEmpty, false)
      let words = ["tickets", "issue", "--name", "Bo", "--email", "bo@guests.example"]
      let unknown = try await bench.run(
        words + ["--event", try await bench.eventID(Self.evening), "--ticket", "Box=1"])
      expect(unknown.status == 64 && unknown.errors.contains("it has: Standard"), "\(unknown.errors)")
      let nothing = try await bench.run(words + ["--event", "Zb3xYq", "--ticket", "VIP=1"])
      expectEqual(nothing.status, 1, "\(nothing.errors)")
      let many = try await bench.run(words + ["--event", try await bench.eventID(Self.evening), "--ticket", "VIP=90"])
      expect(many.status == 1 && many.errors.contains("Tickets not available"), "\(many.errors)")
      try await expectEqual(bench.status(of: "Bo"), [])
    }
  }

  // MARK: What is done to a sale

  @Test(arguments: ServerShape.allCases, ["refund", "void"])
  func aSaleIsRefundedOrMadeVoid(shape: ServerShape, command: String) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.saleID(Self.holder)
      let state = command == "refund" ? "refunded" : "cancelled"
      let done = try await bench.run(["tickets", command, id])
      expectEqual(done.status, 0, "\(done.errors)")
      expectEqual(done.output, "Done: \(command), sale \(id), which is “\(state)” now.\n")
      try await expectEqual(bench.status(of: Self.holder), [state])
      // Whoever reads it has to know what was not done.
      let way = shape == .document ? "By POST /api/tickets/\(id)/\(command)." : "moves no money"
      expect(done.errors.contains(way), "\(done.errors)")
      try await expectEqual(bench.sales(Self.holder).first?["status"] as? String, state)
      // Only the original minds the state that a sale is in.
      let again = try await bench.run(["tickets", "refund", id])
      expectEqual(again.status, shape == .upstream ? 1 : 0, "\(again.errors)")
      if shape == .upstream {
        expect(again.errors.contains("cannot be performed on a sale with status"), "\(again.errors)")
      }
    }
  }

  @Test(arguments: ServerShape.allCases) func aSaleIsPaidAndNotPaid(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      _ = try await issue(bench)
      let id = try await bench.saleID("Max Kay")
      let paid = try await bench.run(["tickets", "pay", id])
      if shape == .document { return lacks(paid) }
      expectEqual(paid.output, "Done: pay, sale \(id), which is “paid” now.\n", "\(paid.errors)")
      try await expectEqual(Set(bench.status(of: "Max Kay")), ["paid"])
      let unpaid = try await bench.run(["tickets", "unpay", id])
      if shape == .upstream { return lacks(unpaid) }
      expectEqual(unpaid.status, 0, "\(unpaid.errors)")
      try await expectEqual(Set(bench.status(of: "Max Kay")), ["unpaid"])
    }
  }

  /// Every entry of the sale, which whoever asks for it is told before.
  @Test(arguments: ServerShape.allCases) func everyTicketOfASaleIsUsedOrNot(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      _ = try await issue(bench)
      let id = try await bench.saleID("Max Kay")
      for (command, count) in [("use", 2), ("unuse", 0)] {
        let asked = try await bench.run(["tickets", command, id])
        expect(asked.status == 64 && asked.errors.contains("add --yes"), "\(asked.errors)")
        let done = try await bench.run(["tickets", command, id, "--yes"])
        guard shape == .planify else {
          lacks(done)
          continue
        }
        expectEqual(done.status, 0, "\(done.errors)")
        let used = try await bench.venue.server.tickets().filter { $0.holder == "Max Kay" }
        expect(used.count == 2 && used.count { $0.entries > 0 } == count, "\(command)")
      }
      try await expectEqual(bench.venue.server.book().count, 0)
    }
  }

  @Test(arguments: ServerShape.allCases) func aSaleIsDeletedAfterAsking(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.saleID(Self.holder)
      let asked = try await bench.run(["tickets", "delete", id])
      expect(asked.status == 64 && asked.errors.contains("add --yes"), "\(asked.errors)")
      let done = try await bench.run(["tickets", "delete", id, "--yes"])
      if shape == .document {
        lacks(done)
        return try await expectEqual(bench.status(of: Self.holder), ["paid"])
      }
      expectEqual(done.output, "Done: delete, sale \(id).\n", "\(done.errors)")
      try await expectEqual(bench.status(of: Self.holder), ["deleted"])
      try await expectEqual(bench.sales(Self.holder).count, 0)
      try await expectEqual(bench.run(["tickets", "delete", id, "--yes"]).status, shape == .upstream ? 1 : 0)
    }
  }

  @Test(arguments: ServerShape.allCases) func aSaleGetsAnotherHolder(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.saleID(Self.holder)
      let words = ["--name", "Bo Kay", "--email", "bo@guests.example"]
      let done = try await bench.run(["tickets", "reassign", id] + words)
      if shape == .upstream { return lacks(done) }
      expectEqual(done.output, "The sale \(id) is Bo Kay's now.\n", "\(done.errors)")
      // The fork lets the buyer do that alone; the organiser has another call.
      expectEqual(done.errors.contains("is refused (403)"), shape == .planify, "\(done.errors)")
      let sale = try #require(try await bench.sales("Bo Kay").first)
      expect("\(sale["id"] ?? "")" == id && sale["email"] as? String == "bo@guests.example", "\(sale)")
      try await expectEqual(bench.status(of: Self.holder), [])
      let wrong = try await bench.run(["tickets", "reassign", id, "--name", "x", "--email", "nobody"])
      expect(wrong.status == 1 && wrong.errors.contains("(422)"), "\(wrong.errors)")
      try await expectEqual(bench.sales("Bo Kay").count, 1)
    }
  }

  @Test(arguments: ServerShape.allCases) func aNoteIsForBuyersAlone(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      _ = try await issue(bench)
      let own = try await bench.run(["tickets", "note", try await bench.saleID("Max Kay"), "comes later"])
      guard shape == .planify else { return lacks(own) }
      expectEqual(own.status, 0, "\(own.errors)")
      let others = try await bench.run(["tickets", "note", try await bench.saleID(Self.holder), "comes later"])
      expect(others.status == 1 && others.errors.contains("(403): “Unauthorized”"), "\(others.errors)")
      let long = try await bench.run(["tickets", "note", "1", String(repeating: "x", count: 1_001)])
      expectEqual(long.status, 64)
    }
  }

  /// "Not found" is an answer: nothing else is tried.
  @Test(arguments: ServerShape.allCases) func aSaleThatIsNoneIsToldOnce(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let id = shape == .upstream ? "Zb3xYq" : "999999"
      for (words, requests) in [
        (["refund", id], shape == .document ? 1 : shape == .planify ? 2 : 3),
        (["delete", id, "--yes"], shape == .planify ? 1 : 2),
      ] {
        try bench.count()
        let result = try await bench.run(["tickets"] + words)
        if shape == .document, words[0] == "delete" {
          lacks(result)
          continue
        }
        expectEqual(result.status, 1, "\(words): \(result.errors)")
        expect(result.errors.contains("(404)"), "\(result.errors)")
        expectEqual(bench.counted, requests, "\(words): \(result.errors)")
      }
    }
  }

  // MARK: Check-ins

  @Test(arguments: [ServerShape.document, .planify]) func checkInsAreALogOfNames(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let event = try await bench.eventID(Self.evening)
      let number = "\(try bench.number(Self.evening))"
      for (id, name) in [(event, "Ann \u{1B}[2J"), (number, "Bo"), (number, "Bo")] {
        let added = try await bench.run([
          "checkins", "add", "--event", id, "--name", name, "--notes", "late", "--action", "checkout",
        ])
        expectEqual(added.status, 0, "\(added.errors)")
      }
      let list = try await bench.objects(["checkins", "list", "--event", event])
      expectEqual(list.compactMap { $0["attendee_name"] as? String }.sorted(), ["Ann \u{1B}[2J", "Bo", "Bo"])
      expectEqual(list.first?["checked_in_at"] as? String, "2025-12-17T14:30:00Z")
      // Only the document keeps what it is.
      expectEqual(list.contains { $0["action"] as? String == "checkout" }, shape == .document, "\(list)")
      let table = try await bench.run(["checkins", "list", "--event", number, "--zone", "Europe/Berlin"])
      expect(table.lines.count == 4 && table.output.contains("2025-12-17 15:30:00  Bo"), "\(table.output)")
      try await expectEqual(bench.venue.server.book().count, 0, "it admits nobody")
      let guests = Data("\(try bench.number("Hall B 22:00, guests") + 389_278)".utf8).base64EncodedString()
      let others = try await bench.run(["checkins", "add", "--event", guests, "--name", "Bo"])
      expect(others.status == 1 && others.errors.contains("(403): “Unauthorized”"), "\(others.errors)")
    }
  }

  /// Until the server refuses.
  @Test(arguments: [ServerShape.document, .planify]) func checkInsAreFollowed(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let event = try await bench.eventID(Self.evening)
      try await expectEqual(bench.run(["checkins", "add", "--event", event, "--name", "Ann"]).status, 0)
      try bench.count()
      async let followed = bench.run(["checkins", "follow", "--event", event, "--interval", "1"])
      await until { bench.counted > 0 }
      try await expectEqual(bench.run(["checkins", "add", "--event", event, "--name", "Bo"]).status, 0)
      try bench.misbehave("status=503,next=3", "status=403")
      let result = try await followed
      expectEqual(result.status, 1, "\(result.errors)")
      expect(result.errors.contains("It is asked again.") && result.errors.contains("(403)"), "\(result.errors)")
      expect(
        result.lines.first?.hasPrefix("ID") == true && result.lines.count { $0.hasSuffix("Ann") } == 1,
        "\(result.output)")
    }
  }

  @Test func theOriginalHasNoCheckIns() async throws {
    try await DeskBench.open(.upstream) { bench in
      let event = try await bench.eventID(Self.evening)
      lacks(try await bench.run(["checkins", "list", "--event", event]))
      lacks(try await bench.run(["checkins", "add", "--event", event, "--name", "Bo"]))
      lacks(try await bench.run(["checkins", "follow", "--event", event]))
    }
  }
}
