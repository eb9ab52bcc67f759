import Expectations
import Foundation
import ScanModel
import Sealing
import Testing
import VenueServer

/// Every command of the box office, as `docs/booking-transcript.md` shows it; `UPDATE_DOCS=1` writes that anew.
@Suite struct BookingTranscriptTests {
  @Test func theDocumentShowsWhatTheCommandsPrint() async throws {
    var text = """
      # The box office: every command

      Written by a test from what the commands print, against the venue's booking service of the real shape; the last part is the document's.
      What standard error shows is marked by `!`, an exit status other than 0 is told after the output. Dates, ids and codes are examples. The
      service is the only one of the configuration: where there are several, `--system` says which.

      """
    try await BoxOfficeVenue.with(.real) { office in
      let transcript = Transcript(office)
      try await transcript.play()
      text += transcript.text
    }
    try await BoxOfficeVenue.with(.document) { office in
      let transcript = Transcript(office)
      try await transcript.playDocument()
      text += transcript.text
    }
    try TranscriptDocument.expect(text, in: "docs/booking-transcript.md")
  }
}

/// A box office's evening.
private final class Transcript {
  private static let eve = "eve@guests.example"
  private static let password = "Long-Walk-7-days"

  private let office: BoxOfficeVenue
  private(set) var text = ""
  /// What is another each time, and what is shown instead.
  private var shown: [String: String] = [:]

  init(_ office: BoxOfficeVenue) { self.office = office }

  func play() async throws {
    let night = try office.show(.night)
    chapter("An account")
    try await run(["sign-up", "--email", Self.eve, "--name", "Eve Adler"], typed: Self.password)
    let mail = try #require(try await office.server.bookingMail(to: Self.eve).verify)
    try office.file(mail, "mail.token")
    try await run(["verify-email", "--email", Self.eve, "--token", "mail.token"], hiding: mail)
    try await run(["whoami"])
    try await run(["resend", "--email", Self.eve])
    try await run(["sign-out"])
    try await run(["sign-in", "--email", Self.eve], typed: "Long-Walk-8-days")
    try await run(["sign-in", "--email", Self.eve], typed: Self.password)
    chapter("A show")
    try await run(["shows"])
    try await run(["shows", "--search", "tempest", "--date", night.date])
    try await run(["show", night.id])
    try await run(["seats", night.id, "--available"], lines: 6)
    try await run(["seatmap", night.id, "--svg", "house.svg"])
    chapter("Seats, and their payment")
    try await run(["reserve", night.id, "F-12", "F-16"])
    let session = try await reserve(night.id, "F-16", "F-17")
    try await run(["confirm", session, "--yes"])
    try await office.server.pay(session: session, .processing, customer: "Eve Adler", email: Self.eve)
    try await run(["confirm", session, "--yes"])
    try await office.server.pay(session: session, customer: "Eve Adler", email: Self.eve)
    try await run(["confirm", session, "--yes"])
    try await run(["bookings"])
    chapter("The door")
    try await run(["doorlist", "--show", night.id])
    let party = try #require(office.theatre.booking(.party)).code
    try await run(["check", "LML-\(party)"])
    try await run(["check", "NOSUCH77"])
    try await run(["check", "NOSUCH78"])
    try await run(["check", "PROCESSING"])
    chapter("A password that is forgotten")
    try await run(["password", "reset", "--email", Self.eve])
    let reset = try #require(try await office.server.bookingMail(to: Self.eve).reset)
    try office.file(reset, "reset.token")
    try await run(
      ["password", "confirm", "--email", Self.eve, "--token", "reset.token"], typed: "Longer-Walk-9-days",
      hiding: reset)
  }

  func playDocument() async throws {
    chapter("A service that follows the document")
    let night = try office.show(.night)
    try await run(
      ["sign-in", "--email", office.theatre.buyerEmail, "--json"], typed: office.theatre.buyerPassword)
    try await run(["whoami"])
    try await run(["show", night.id, "--json"])
    try await run(["seatmap", night.id])
    try await run(["bookings"])
    try await run(["password", "reset", "--email", office.theatre.buyerEmail])
  }

  /// Reserves seats.
  /// - Returns: the session.
  private func reserve(_ show: String, _ seats: String...) async throws -> String {
    let result = try await run(["reserve", show] + seats)
    return String(try #require(result.output.firstMatch(of: /cs_test_[A-Za-z0-9_-]+/)).output)
  }

  private func chapter(_ title: String) { text += "\n## \(title)\n" }

  /// Runs a command, and writes down what it shows; files are of the test's folder.
  /// - Parameters:
  ///   - typed: the password that is asked for.
  ///   - secret: what else must not be in what is shown.
  ///   - lines: so many of its lines are shown.
  @discardableResult private func run(
    _ arguments: [String], typed: String? = nil, hiding secret: String? = nil, lines: Int? = nil
  ) async throws -> Program.Result {
    let command = ["scangate", "booking"] + arguments
    var given = arguments
    for (index, argument) in arguments.enumerated() where argument.hasSuffix(".token") || argument.hasSuffix(".svg") {
      given[index] = office.folder.path + "/" + argument
    }
    let result = try await office.run(given, input: typed ?? "", hiding: [typed, secret].compactMap(\.self))
    var told = result
    if let lines, result.lines.count > lines {
      told.output = result.lines.prefix(lines).joined(separator: "\n") + "\n… (\(result.lines.count) lines)\n"
    }
    let codes = try await office.made()
    let block = TranscriptDocument.block(
      TranscriptDocument.line(command), told, typed: typed == nil ? nil : "the password")
    text += "\n```\n\(plain(block, codes))```\n"
    return result
  }

  private func plain(_ text: String, _ codes: [String]) -> String {
    var text = text.replacing(office.folder.path + "/", with: "")
      .replacing(office.address.replacing("http://", with: ""), with: "venue.example")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z/) { _ in "2026-05-02T18:55:00Z" }
      .replacing(/again in 1[56] min/) { _ in "again in 15 min" }
      .replacing(/cs_test_[A-Za-z0-9_-]+/) { _ in "cs_test_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6" }
    for (kind, date) in [
      (SeededShow.Kind.night, "2026-05-02"), (.tomorrow, "2026-05-03"), (.unseated, "2026-05-09"),
    ] {
      if let show = office.theatre.show(kind) { text = text.replacing(show.date, with: date) }
    }
    for code in codes { text = text.replacing("…\(code.suffix(4))", with: "…Z7Q4") }
    return text.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) { found in
      let id = String(found.output.0)
      if office.ids.contains(id) { return id }
      if let name = shown[id] { return name }
      let name = "5d0f3c1e-0000-4000-8000-" + String(String(1_000_000_000_000 + shown.count).dropFirst())
      shown[id] = name
      return name
    }
  }
}

/// A venue's booking service over real HTTP, and a box office's commands against it, as the configured one.
struct BoxOfficeVenue {
  static let staff = "stage-door-evenings-4"

  let server: VenueServer
  let theatre: SeededTheatre
  let address: String
  /// Of this test alone: the configuration, the state, and files.
  let folder: URL

  /// Runs `body` with a service of a shape. Its clock is this machine's, as the program's is.
  static func with(_ shape: BookingShape, _ body: (BoxOfficeVenue) async throws -> Void) async throws {
    let server = try VenueServer(VenueConfiguration(failureDelay: .zero, bookingShape: shape))
    let theatre = try await server.seedTheatre(random: 7, zone: "UTC", staffPassword: staff)
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await server.run { tell.yield($0) }
    }
    let address = try #require(await ready.first { _ in true })
    let folder = try temporaryFolder()
    let state = folder.path + "/state"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try CredentialStore(keys: SealKeySource(state: state, given: nil)).set(
      "theatre-door", PastedSecret(Array(staff.utf8)))
    let office = BoxOfficeVenue(server: server, theatre: theatre, address: address.url, folder: folder)
    try office.file(office.configuration, "station.yaml")
    var outcome = Result<Void, any Error>.success(())
    do {
      try await body(office)
    } catch {
      outcome = .failure(error)
    }
    serving.cancel()
    _ = await serving.result
    try? FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private var configuration: String {
    """
    version: 1
    station: { name: foyer }
    ticketSystems:
      theatre:
        type: bookings
        url: "\(address)"
        venue: { id: \(theatre.venueID), slug: \(theatre.slug), zone: UTC }
        staff: { email: \(theatre.staffEmail), password: theatre-door }
        origin: https://lastminutelive.com
    readers:
      door: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
    gates:
      stalls:
        readers: [door]
        ticketSystem: theatre
        ticket: { shows: tonight }
        outputs: { green: { led: "no-such-led" } }

    """
  }

  func show(_ kind: SeededShow.Kind) throws -> SeededShow { try #require(theatre.show(kind)) }

  /// What is the same each time.
  var ids: Set<String> { Set(theatre.shows.map(\.id) + theatre.bookings.map(\.id) + [theatre.venueID]) }

  /// The codes of bookings that were made here.
  func made() async throws -> [String] {
    let seeded = Set(theatre.bookings.map(\.code))
    return try await server.theatre(.bookings).compactMap { line in
      let document = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (document?["code"] as? String).flatMap { seeded.contains($0) ? nil : $0 }
    }
  }

  func file(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder.path + "/" + name))
  }

  /// Runs a command; no password, token or whole code, and nothing that steers a terminal, is ever in what it prints.
  func run(_ arguments: [String], input: String = "", hiding secrets: [String] = []) async throws -> Program.Result {
    let result = try await Program.run(
      ["booking"] + arguments + ["--config", folder.path + "/station.yaml", "--state", folder.path + "/state"],
      input: [UInt8](input.utf8), environment: ["TZ": "UTC"])
    let all = result.output + result.errors
    let codes = try await made() + theatre.bookings.map(\.code)
    for secret in secrets + codes + [Self.staff, theatre.buyerPassword, "eyJ"] {
      expect(!all.contains(secret), "\(arguments): \(all)")
    }
    expect(
      all.split(separator: "\n").allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } }, "\(all)")
    return result
  }
}
