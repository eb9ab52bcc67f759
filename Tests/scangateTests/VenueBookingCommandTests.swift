import Expectations
import Foundation
import Testing
import VenueServer

/// What is done at a venue about bookings, by the commands.
@Suite struct VenueBookingCommandTests {
  /// A venue that serves with its theatre, its control socket and a folder.
  private func withVenue(_ body: (_ theatre: SeededTheatre, _ control: String) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let control = folder.path + "/venue.sock"
    let now = try Date("2026-01-31T18:40:00Z", strategy: .iso8601)
    let venue = try VenueServer(VenueConfiguration(now: { now }, controlSocket: control, bookingShape: .real))
    let theatre = try await venue.seedTheatre(random: 7, zone: "Europe/London")
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    _ = try #require(await ready.first { _ in true })
    try await body(theatre, control)
    serving.cancel()
    _ = await serving.result
  }

  private func run(_ what: String, _ control: String, _ arguments: [String] = []) async throws -> Program.Result {
    try await Program.run(["venue", "booking", what, "--control", control] + arguments)
  }

  @Test func bookedShownAndCancelled() async throws {
    try await withVenue { theatre, control in
      let made = try await run("add", control, ["--seats", "A1,A2", "--customer", "Ann Gray"])
      let code = try #require(made.lines.first, "\(made.errors)")
      expect(made.lines.count == 1 && code.wholeMatch(of: /[0-9A-Z]{10,12}/) != nil, "\(made.output)")
      func row() async throws -> [String: Any] {
        let shown = try await run("show", control)
        return try #require(shown.objects.first { $0["code"] as? String == code }, "\(shown.errors)")
      }
      try await expectEqual(row()["status"] as? String, "confirmed")
      try await expectEqual(row()["seats"] as? [String], ["A1", "A2"])
      try await expectEqual(run("cancel", control, [code]).status, 0)
      try await expectEqual(row()["status"] as? String, "cancelled")
      try await expectEqual(run("cancel", control, ["--status", "expired", code]).status, 0)
      try await expectEqual(row()["status"] as? String, "expired")
      let json = try await run("add", control, ["--show", "matinee", "--count", "3", "--json"])
      expect(json.objects.first?["code"] as? String != nil && json.objects.first?["id"] as? String != nil)
      let shows = try await run("show", control, ["shows"])
      expectEqual(shows.objects.count, SeededShow.Kind.allCases.count)
      expect(shows.objects.contains { $0["venue"] as? String == theatre.venueID })
    }
  }

  @Test func showsArePutOn() async throws {
    try await withVenue { _, control in
      let soon = try await run("add-show", control, ["--title", "Soon", "--starts", "-5min"])
      let id = try #require(soon.lines.first, "\(soon.errors)")
      let odd = try await run(
        "add-show", control, ["--title", "Odd", "--date", "0000-00-00", "--time", "24:00:00", "--price", "-500"])
      expectEqual(odd.status, 0, "\(odd.errors)")
      let shows = try await run("show", control, ["shows"]).objects
      let told = try #require(shows.first { $0["id"] as? String == id })
      expectEqual(told["time"] as? String, "18:35:00")
      expect(shows.contains { $0["date"] as? String == "0000-00-00" && $0["time"] as? String == "24:00:00" })
      try await expectEqual(run("add", control, ["--show", "Soon", "--seats", "F1"]).status, 0)
    }
  }

  @Test func whatCannotBeIsExplained() async throws {
    try await withVenue { _, control in
      let wrong: [(String, [String], Int32, String)] = [
        ("add", ["--seats", "F12"], 69, "is booked"), ("add", ["--show", "none"], 69, "no show has the id"),
        ("add", ["--seats", "F1", "--count", "2"], 64, "--seats or --count"),
        ("cancel", ["NOBODYS"], 69, "no booking has this id or code"),
        ("pay", ["cs_test_none"], 69, "no such checkout session"), ("mail", ["x@y.example"], 69, "no account"),
        ("add-show", ["--title", "x", "--starts", "soon"], 69, "such as 30d or -5min"),
      ]
      for (what, arguments, status, words) in wrong {
        let result = try await run(what, control, arguments)
        expect(result.status == status && result.errors.contains(words), "\(what): \(result.errors)")
      }
      try await expectEqual(run("sign-out", control).status, 0)
      let mail = try await run("mail", control, ["ada@guests.example"])
      expect(mail.objects.first?["reset"] is NSNull, "\(mail.output) \(mail.errors)")
    }
  }

  @Test func optionsThatGoWithNothing() async throws {
    for arguments in [
      ["--staff-password-file", "x"], ["--theatre-zone", "UTC"], ["--bookings", "real", "--theatre-zone", "UTC"],
    ] {
      let result = try await Program.run(["venue", "serve", "--listen", "127.0.0.1:0"] + arguments)
      expect(result.status == 64 && result.errors.contains("--bookings with --seed"), "\(result.errors)")
    }
  }
}
