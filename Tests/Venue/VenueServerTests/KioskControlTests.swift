import Expectations
import Foundation
import NIOHTTP1
import SQLiteFile
import Testing

@testable import VenueServer

/// What an administrator does about kiosks, over the control socket.
@Suite struct KioskControlTests {
  private func withControl(
    _ shape: KioskShape = .document, _ body: (RunningVenue, VenueControlClient, ManualClock) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/control.sock"
      try await withKioskVenue(shape, change: { $0.controlSocket = path }) { venue, clock in
        try await body(venue, VenueControlClient(path: path), clock)
      }
    }
  }

  @Test func codesInAllTheirForms() async throws {
    try await withControl { venue, control, _ in
      let made = try await control.makeActivationCode(for: "a b/c", minutes: 15)
      let server = "127.0.0.1:\(venue.address.port)"
      expectEqual(
        made.textWithServer,
        #"{"type":"kiosk_activation","code":"\#(made.code)","server":"\#(server)","timestamp":1752580800000}"#)
      expectEqual(
        made.textWithExpiry,
        #"{"type":"kiosk_activation","id":"\#(made.id)","code":"\#(made.code)","expires":"2025-07-15T12:15:00.000Z"}"#)
      expectEqual(
        made.address(at: "https://admin.example/"), "https://admin.example/activate?kioskId=a%20b%2Fc&code=\(made.code)"
      )
      expectEqual(made.address(at: ""), "/activate?kioskId=a%20b%2Fc&code=\(made.code)")
      expectEqual(made.expiryTime, "2025-07-15T12:15:00Z")
      let answer = await venue.kiosk("POST /api/kiosks/activate", #"{"activationCode":"\#(made.code)"}"#)
      try expectEqual(answer.json.string("kioskId"), "a b/c")
      for minutes in [0, -1, 10_081] {
        let error = try await #require(throws: VenueError.self) {
          try await control.makeActivationCode(minutes: minutes)
        }
        expect(error.description.contains("1 to 10080 minutes; it got \(minutes)"))
      }
      let long = String(repeating: "x", count: 101)
      await #expect(throws: VenueError.self) { try await control.makeActivationCode(for: long) }
      await #expect(throws: VenueError.self) { try await control.makeActivationCode(for: "a\nminutes=3") }
    }
  }

  @Test func enrolments() async throws {
    try await withControl { venue, control, _ in
      let made = try await control.makeEnrolment(gate: "north = south", saleTicket: 7, seat: "é", minutes: 10)
      expectEqual(
        made.json,
        #"{"secret":"\#(made.secret)","gate":"north = south","server":"127.0.0.1:\#(venue.address.port)","#
          + #""expires":"2025-07-15T12:10:00Z"}"#)
      let answer = await venue.kiosk(
        "POST /enrol", #"{"secret":"\#(made.secret)","station":{"id":"x"},"gate":"north = south"}"#)
      expect(answer.body.hasSuffix(#""gate":{"name":"north = south","saleTicket":7,"seat":"\u00e9"}}"#))
      await #expect(throws: VenueError.self) { try await control.makeEnrolment(gate: "") }
    }
  }

  @Test func kiosksAreListedShownAndConfigured() async throws {
    try await withControl { venue, control, clock in
      expect(try await control.kiosks().isEmpty)
      let token = try await venue.activated()
      clock.advance(seconds: 5)
      _ = await venue.kiosk(
        "PUT /api/kiosks/\(kioskID)/status", #"{"status":"lunch","timestamp":"noon","manualOverride":true}"#,
        bearer: token)
      let line =
        #"{"id":"\#(kioskID)","version":"","seen":"2025-07-15T12:00:05Z","activated":"2025-07-15T12:00:00Z","#
        + #""status":"lunch","status_time":"noon","status_received":"2025-07-15T12:00:05Z","manual_override":true"#
      try await expectEqual(control.kiosks(), [line + "}"])

      try await control.configureKiosk(
        kioskID,
        [
          #"name=Nord "A" = \ 1"#, "department=Music", "maintenance.enabled=true", "maintenance.schedule.dayOfWeek=3",
          "settings.refreshInterval=7.5", "settings.language:=null", "ui.background:=[1,{}]", "extra:=\"x\"",
        ])
      try await control.setKioskState(.maintenance, of: kioskID)
      let shown = try await control.kiosk(kioskID)
      expect(shown.hasPrefix(line + #","configuration":{"id":"\#(kioskID)","name":"Nord"#))
      let json = try JSONDecoder().decode(JSON.self, from: Data(shown.utf8))
      expectEqual(json.string("configuration.name"), #"Nord "A" = \ 1"#)
      expectEqual(json.string("configuration.status"), "maintenance")
      expectEqual(json.string("configuration.department"), "Music")
      expectEqual(json["configuration.maintenance.enabled"], .bool(true))
      expectEqual(json.integer("configuration.maintenance.schedule.dayOfWeek"), 3)
      expectEqual(json["configuration.settings.refreshInterval"], .number(7.5))
      expectEqual(json["configuration.settings.language"], .null)
      expectEqual(json["configuration.ui.background"], .array([.number(1), .object([:])]))
      expectEqual(json.string("configuration.extra"), "x")
      expectEqual(json.string("configuration.updatedAt"), "2025-07-15T12:00:05Z")
      let fetched = await venue.kiosk("GET /api/kiosks/configuration", bearer: token)
      try expectEqual(fetched.json["data"], json["configuration"])
    }
  }

  @Test(arguments: [
    ("name", "sets nothing"), ("=x", "is no member"), ("settings=x", "is no single value"),
    ("settings.refreshInterval=often", "is a number"), ("maintenance.enabled=yes", "is true or false"),
    ("colour=red", "has no member colour"), ("name:=red", "is no JSON"), ("name.part:=1", "nothing that name.part"),
    ("na\"me=x", "is no member"), ("a..b=x", "is no member"), ("$=x", "is no member"),
    ("settings[0]=1", "is no member"),
    ("settings.refreshInterval=nan", "is a number"),
  ])
  func whatCannotBeSetChangesNothing(_ assignment: String, _ words: String) async throws {
    try await withControl { venue, control, _ in
      _ = try await venue.activated()
      let before = try await control.kiosk(kioskID)
      let error = try await #require(throws: VenueError.self) {
        try await control.configureKiosk(kioskID, ["roomName=Elsewhere", assignment])
      }
      expect(error.description.contains(words), "\(error)")
      try await expectEqual(control.kiosk(kioskID), before)
    }
  }

  @Test func anUnknownKioskIsExplained() async throws {
    try await withControl { _, control, _ in
      for work in [
        { _ = try await control.kiosk("x") }, { try await control.configureKiosk("x", ["name=y"]) },
        { try await control.setKioskState(.active, of: "x") }, { try await control.revokeTokens(ofKiosk: "x") },
      ] as [() async throws -> Void] {
        let error = try await #require(throws: VenueError.self) { try await work() }
        expect(error.description.contains("no kiosk has this id"))
      }
      let state = try await #require(throws: VenueError.self) {
        try await control.ask(.PUT, "kiosk-state", "id=x\nstate=gone")
      }
      expect(state.description.contains("one of active, inactive, maintenance"))
    }
  }

  @Test func tokensAreRevoked() async throws {
    try await withControl { venue, control, _ in
      let token = try await venue.activated()
      try await control.revokeTokens(ofKiosk: kioskID)
      await expectEqual(venue.kiosk("POST /api/kiosks/validate-token", bearer: token).status, 401)
    }
  }

  /// What was asked for is told, and nothing that was secret in it.
  @Test func requestsAreToldWithoutTheirSecrets() async throws {
    try await withControl { venue, control, clock in
      expect(try await control.kioskRequests().isEmpty)
      _ = await venue.kiosk("GET /api/health?secret=1")
      clock.advance(seconds: 1)
      let token = try await venue.activated()
      _ = await venue.kiosk("GET /api/kiosks/configuration", bearer: token)
      _ = await venue.kiosk("POST /enrol", #"{"secret":"AAAAAAAAAAAAAAAAAAAAAAAAAA","station":{"id":"x"}}"#)
      venue.server.misbehave([try Misbehaviour("close=before,on=kiosk")])
      _ = await venue.kiosk("GET /api/v2/beacon/config")
      _ = try await venue.scan(try venue.code(.entry))
      let log = try await control.kioskRequests()
      let at = #"{"time":"2025-07-15T12:00:01Z","#
      expectEqual(
        log,
        [
          #"{"time":"2025-07-15T12:00:00Z","method":"GET","path":"\/api\/health","status":200}"#,
          at + #""method":"POST","path":"\/api\/kiosks\/activate","status":200}"#,
          at + #""method":"GET","path":"\/api\/kiosks\/configuration","status":200}"#,
          at + #""method":"POST","path":"\/enrol","status":404}"#,
          at + #""method":"GET","path":"\/api\/v2\/beacon\/config","status":null}"#,
        ])
    }
  }

  /// A file of before there were kiosks is brought up to date, with all that is in it.
  @Test func anOlderFileIsBroughtUpToDate() async throws {
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(storage: .file(directory + "/venue.sqlite"), failureDelay: .zero)
      var book: [BookEntry] = []
      do {
        let server = try VenueServer(configuration)
        _ = try await server.seed(Seed(zone: "UTC"))
        book = try await server.book()
        try await server.store.write { db in
          try Self.takeDeskAway(db)
          for table in ["venue_secrets", "kiosk_configurations", "kiosks", "activation_codes", "enrolments"] {
            try db.execute("DROP TABLE \(table)")
          }
          try db.execute("PRAGMA user_version = 1")
        }
      }
      try await expectEqual(VenueServer.book(ofFile: directory + "/venue.sqlite"), book)
      let server = try VenueServer(configuration)
      try await expectEqual(server.makeActivationCode().code.count, 8)
      try await expectEqual(server.tickets().count, 10)
      let version = try await server.store.read { try $0.integer("PRAGMA user_version") }
      expectEqual(version, 6)
    }
  }

  /// So is one of before there was a desk; what it is only read for can be read before that.
  @Test func aFileWithoutADeskIsBroughtUpToDate() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/venue.sqlite"
      var configuration = VenueConfiguration(storage: .file(path), failureDelay: .zero)
      var tickets: [BookedTicket] = []
      do {
        let server = try VenueServer(configuration)
        _ = try await server.seed(Seed(zone: "UTC"))
        tickets = try await server.tickets()
        try await server.store.write { db in
          try Self.takeDeskAway(db)
          try db.execute("PRAGMA user_version = 2")
        }
      }
      try await expectEqual(VenueServer.tickets(ofFile: path), tickets)
      configuration.serverShape = .planify
      try await withVenue(configuration, seed: Seed(apiKey: "key-of-a-test", zone: "UTC")) { venue in
        try await expectEqual(venue.ask(.GET, "/api/events", key: "key-of-a-test").json["data"]?.count, 2)
        try await expectEqual(venue.server.tickets(), tickets)
      }
    }
  }

  private static func takeDeskAway(_ db: Database) throws {
    for table in BookingSchema.tables + SubscriptionSchema.tables + [
      "checkins", "sale_notes", "event_members", "rooms", "schedules",
    ] {
      try db.execute("DROP TABLE \(table)")
    }
    for (table, column) in DeskSchema.columns {
      try db.execute("ALTER TABLE \(table) DROP COLUMN \(column.prefix { $0 != " " })")
    }
  }
}
