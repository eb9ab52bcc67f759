import Expectations
import Foundation
import Logging
import NIOHTTP1
import SQLiteFile
import Synchronization
import Testing

@testable import VenueServer

@Suite struct VenueServerTests {
  @Test func aTakenAddressIsExplained() async throws {
    try await withVenue { venue in
      let second = try VenueServer(VenueConfiguration(port: venue.address.port))
      let error = try await #require(throws: VenueError.self) { try await second.run() }
      expectEqual(error, .addressInUse(host: "127.0.0.1", port: venue.address.port))
      expect(error.description.contains("127.0.0.1:\(venue.address.port) is in use"))
    }
  }

  @Test func aForeignAddressIsExplained() async throws {
    let server = try VenueServer(VenueConfiguration(host: "192.0.2.1"))
    let error = try await #require(throws: VenueError.self) { try await server.run() }
    guard case .cannotListen(let host, _, _) = error else {
      Issue.record("unexpected: \(error)")
      return
    }
    expectEqual(host, "192.0.2.1")
  }

  @Test func theBookOutlivesTheProcess() async throws {
    try await withTemporaryDirectory { directory in
      let configuration = VenueConfiguration(storage: .file(directory + "/venue.sqlite"))
      var book: [BookEntry] = []
      try await withVenue(configuration) { venue in
        _ = try await venue.scan(try venue.code(.entry))
        _ = try await venue.scan(try venue.code(.sale))
        book = try await venue.server.book()
      }
      expectEqual(book.count, 2)
      try await expectEqual(VenueServer(configuration).book(), book)
    }
  }

  @Test func aFileIsWrittenAheadAndSynced() async throws {
    try await withTemporaryDirectory { directory in
      let server = try VenueServer(VenueConfiguration(storage: .file(directory + "/venue.sqlite")))
      let (journal, synchronous, version) = try await server.store.write { db in
        (
          try db.texts("PRAGMA journal_mode"), try db.integer("PRAGMA synchronous"),
          try db.integer("PRAGMA user_version")
        )
      }
      expectEqual(journal, ["wal"])
      expectEqual(synchronous, 2)
      expectEqual(version, 6)
    }
  }

  @Test func foreignNewerAndBrokenFilesAreLeftAlone() async throws {
    try await withTemporaryDirectory { directory in
      let foreign = directory + "/foreign.sqlite"
      try Database(foreign, .write, busyMilliseconds: 0).execute("CREATE TABLE mine (a)")
      let before = try Data(contentsOf: URL(filePath: foreign))
      #expect(throws: VenueError.notAVenue(path: foreign)) {
        try VenueServer(VenueConfiguration(storage: .file(foreign)))
      }
      try expectEqual(Data(contentsOf: URL(filePath: foreign)), before)

      let newer = directory + "/newer.sqlite"
      let server = try VenueServer(VenueConfiguration(storage: .file(newer)))
      try await server.store.write { db in try db.execute("PRAGMA user_version = 9") }
      #expect(throws: VenueError.tooNew(path: newer, version: 9)) {
        try VenueServer(VenueConfiguration(storage: .file(newer)))
      }

      let broken = directory + "/broken.sqlite"
      try Data(repeating: 0x41, count: 4_096).write(to: URL(filePath: broken))
      for path in [broken, directory + "/absent/venue.sqlite", directory] {
        let error = try #require(throws: VenueError.self) { try VenueServer(VenueConfiguration(storage: .file(path))) }
        expect(error.description.hasPrefix("venue: database \(path): "))
      }
    }
  }

  @Test func theLogHoldsNeitherKeysNorCodes() async throws {
    let lines = Lines()
    var logger = Logger(label: "venue") { _ in lines }
    logger.logLevel = .trace
    try await withVenue(VenueConfiguration(failureDelay: .zero, logger: logger)) { venue in
      let key = try venue.key()
      let code = try venue.code(.entry)
      _ = try await venue.scan(code)
      _ = try await venue.scan(code, key: "an-unknown-key")
      _ = try await venue.get("/api/tickets?query=\(code)")
      _ = try await venue.request(.GET, "/ticket/view/x/\(code)?key=\(key)", headers: [])
      let log = lines.all.joined(separator: "\n")
      expect(log.contains("POST /api/tickets/scan 201"))
      expect(log.contains("POST /api/tickets/scan 401"))
      for secret in [key, code, "an-unknown-key"] { expect(!log.contains(secret)) }
    }
  }

  @Test(arguments: KioskShape.allCases) func theLogHoldsNoSecretsOfStations(_ shape: KioskShape) async throws {
    let lines = Lines()
    var logger = Logger(label: "venue") { _ in lines }
    logger.logLevel = .trace
    try await withKioskVenue(shape, change: { $0.logger = logger }) { venue, _ in
      let (code, secret) = (
        try await venue.activationCode(), try await venue.server.makeEnrolment(gate: "north").secret
      )
      let register = #"{"id":"\#(kioskID)","version":"1.0.0","token":"\#(kioskToken)"}"#
      _ = await venue.kiosk("POST /api/register-kiosk", register)
      let activate = #"{"activationCode":"\#(code)","kioskId":"\#(kioskID)"}"#
      let token = try await venue.kiosk("POST /api/kiosks/activate", activate).json.string("token")
      for bearer in [token ?? kioskToken, "a-wrong-bearer"] {
        _ = await venue.kiosk("GET /api/kiosks/configuration?kioskToken=\(bearer)", bearer: bearer)
      }
      let enrol = #"{"secret":"\#(secret)","station":{"id":"x"},"gate":"north"}"#
      let key = try await venue.kiosk("POST /enrol", enrol).json.string("ticketSystem.apiKey") ?? ""
      venue.server.misbehave([try Misbehaviour("json=cut,on=kiosk")])
      _ = await venue.kiosk("POST /enrol", enrol)
      let log = lines.all.joined(separator: "\n") + venue.server.kioskRequests.map(\.json).joined()
      expect(log.contains("POST /enrol 200") && key.count == 64)
      for secret in [code, secret, key, token ?? kioskToken, kioskToken, "a-wrong-bearer"] {
        expect(!log.contains(secret))
      }
    }
  }

  /// Where kiosks would show a token that there is not, nothing could ever work.
  @Test func aKioskTokenIsWantedWhereItIsShown() {
    for shape in KioskShape.allCases {
      let isMissed = (try? VenueServer(VenueConfiguration(kioskShape: shape))) == nil
      expectEqual(isMissed, shape.needsKioskToken)
    }
    for token in ["short", "with a blank", "änderung"] {
      #expect(throws: VenueError.self) { try VenueServer(VenueConfiguration(kioskToken: token)) }
    }
  }

  @Test func keepAliveConnectionsDoNotHoldUpTheEnd() async throws {
    var address: VenueAddress?
    try await withVenue { venue in
      address = venue.address
      let reply = try await venue.scan(try venue.code(.entry))
      expectEqual(reply.status, 201)
    }
    // The port is free again once the venue has ended.
    let port = try #require(address?.port)
    try await withVenue(VenueConfiguration(port: port, failureDelay: .zero)) { venue in
      expectEqual(venue.address.port, port)
    }
  }
}

/// A log handler that keeps its lines.
private final class Lines: LogHandler {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
  }
}
