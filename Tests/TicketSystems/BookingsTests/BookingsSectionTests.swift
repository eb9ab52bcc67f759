import Expectations
import ScanConfiguration
import ScanModel
import Testing
import TicketSystemKit
import TicketTransport

@testable import Bookings

/// The section of the file, and its errors for people.
@Suite struct BookingsSectionTests {
  private func read(_ section: String, ticket: String = "") throws -> (StationConfiguration, [ConfigurationError]) {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        theatre: \(section)
      readers: { door: { type: wedge, match: { vendor: "0c2e" } } }
      gates:
        stalls: { readers: [door], ticketSystem: theatre\(ticket) }
      """
    let loaded = try ConfigurationFile.parse(
      text: text, file: "f", options: ConfigurationOptions(ticketSystems: [.bookings]))
    return (loaded.configuration, loaded.warnings.filter { !$0.problem.contains("has no outputs") })
  }

  private func refusal(_ section: String, ticket: String = "") -> String {
    do {
      _ = try read(section, ticket: ticket)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private static let url = "type: bookings, url: \"https://then-production.up.railway.app\""
  private static let venue = "venue: { id: 3f0c, slug: hamilton, zone: Europe/London }"
  private static let good = "\(url), \(venue)"

  @Test func whatTheFileDoesNotSayIsUsual() throws {
    let (configuration, warnings) = try read("{ \(Self.good) }")
    expectEqual(warnings.map(\.problem), [])
    let system = try #require(configuration.ticketSystems.first)
    expectEqual(system.scope, .once)
    expectEqual(system.address, "bookings https://then-production.up.railway.app venue 3f0c")
    expectEqual(system.list.maxAge, .seconds(12 * 3_600))
    let settings = try #require(system.settings as? BookingsSection.System)
    expect(settings.staff == nil && settings.origin == nil && settings.caFile == nil)
    expect(try settings.venue == .init(id: "3f0c", slug: "hamilton", zone: zone(), zoneName: "Europe/London"))
    expectEqual(
      BookingsSection.Gate(), .init(shows: .tonight, opens: .seconds(3_600), closes: .seconds(1_800), party: .each))
    expectEqual(TicketSystemType.bookings.mayOpenByForm, false)
  }

  @Test func everythingIsRead() throws {
    let (configuration, _) = try read(
      """
      { \(Self.good), staff: { email: door@example.org, password: theatre-door }, origin: "https://lastminutelive.com",
          scope: untilExit }
      """, ticket: ", ticket: { shows: [8f14, c0de], opens: 90 min, closes: 0 s, party: whole }")
    let system = try #require(configuration.ticketSystems.first)
    let settings = try #require(system.settings as? BookingsSection.System)
    expectEqual(settings.staff?.email, "door@example.org")
    expectEqual(settings.staff?.password.name, "theatre-door")
    expectEqual(settings.origin?.description, "https://lastminutelive.com")
    expectEqual(configuration.credentials.map(\.name), ["theatre-door"])
    expectEqual(system.scope, .untilExit)
    expectEqual(
      configuration.gates.first?.ticket as? BookingsSection.Gate,
      .init(shows: .ids(["8f14", "c0de"]), opens: .seconds(5_400), closes: .zero, party: .whole))
  }

  @Test func tonightIsAWordAndUsual() throws {
    let (configuration, _) = try read("{ \(Self.good) }", ticket: ", ticket: { shows: tonight }")
    expectEqual(configuration.gates.first?.ticket as? BookingsSection.Gate, .init())
  }

  @Test(arguments: [
    ("type: bookings, \(venue)", "the key \"url\" is missing"), ("\(url)", "the key \"venue\" is missing"),
    ("\(url), venue: { id: 3f0c, slug: hamilton }", "the key \"zone\" is missing"),
    ("\(url), venue: { id: 3f0c, slug: hamilton, zone: Europe/Lundon }", "write a zone that this machine knows"),
    ("\(url), venue: { id: 3f0c, slug: Hamilton, zone: UTC }", "write 1 to 64 of a to z"),
    ("\(url), venue: { id: \"a b\", slug: hamilton, zone: UTC }", "without blanks"),
    ("\(good), staff: { email: door, password: theatre-door }", "write an address such as door@example.org"),
    ("\(good), staff: { email: door@example.org }", "the key \"password\" is missing"),
    ("\(good), password: x", "put it in with \"scangate credential set NAME\""),
    ("\(good), cookie: x", "put it in with \"scangate credential set NAME\""),
    ("\(good), origin: \"https://a.example/shows\"", "write scheme and host alone: https://a.example"),
    (
      "type: bookings, url: \"https://a.example/api/venues/1\", \(venue)",
      "has a path of the API in it; write the address that the API is below, without that path: https://a.example"
    ),
    (
      "type: bookings, url: \"http://a.example\", \(venue)",
      "plain HTTP to a.example shows password and codes to the network"
    ),
    ("\(good), scope: perDay", "cannot be \"perDay\""),
  ]) func errorsSayWhatWouldBeRight(section: String, words: String) {
    let found = refusal("{ \(section) }")
    expect(found.contains(words), "\(found)")
  }

  @Test(arguments: [
    ("shows: [ ]", "has 0 shows"), ("shows: matinee", "write tonight, or a list of ids"),
    ("opens: 25 h", "write 0 s to 24 h"),
    ("closes: 30", "write a number and a unit"), ("party: all", "write each or whole"),
    ("row: F", "unknown key \"row\""),
  ]) func errorsOfAGateSayWhatWouldBeRight(ticket: String, words: String) {
    let found = refusal("{ \(Self.good) }", ticket: ", ticket: { \(ticket) }")
    expect(found.contains(words), "\(found)")
  }

  /// The ledger belongs to the venue: however its UUID is written, it is the same one.
  @Test func aUUIDIsOneHoweverItIsWritten() throws {
    let id = "3f0c2a51-7d1e-4a57-9f0e-6a2b6f2f9d10"
    for (written, expected) in [(id, id), (id.uppercased(), id), ("3F0C", "3F0C"), ("3F0C2A51-7D1E", "3F0C2A51-7D1E")] {
      let (configuration, _) = try read("{ \(Self.url), venue: { id: \(written), slug: hamilton, zone: UTC } }")
      expectEqual(
        configuration.ticketSystems.first?.address,
        "bookings https://then-production.up.railway.app venue \(expected)")
    }
  }

  /// Each request adds it.
  @Test func whatBelongsToTheAPIIsTakenOff() throws {
    for (written, expected) in [
      ("https://a.example/api", "https://a.example"), ("https://a.example/t/api", "https://a.example/t"),
    ] {
      let (configuration, _) = try read("{ type: bookings, url: \"\(written)\", \(Self.venue) }")
      let settings = try #require(configuration.ticketSystems.first?.settings as? BookingsSection.System)
      expectEqual(settings.url.description, expected)
      expectEqual(configuration.ticketSystems.first?.address, "bookings \(expected) venue 3f0c")
    }
  }

  /// One ledger cannot count persons at one gate and bookings at the other.
  @Test(arguments: [
    ("{ party: whole }", "{ party: each }", true), ("{ party: whole }", "{ }", true),
    ("{ party: whole, shows: [a, b] }", "{ shows: [b, c] }", true), ("{ party: whole, shows: [a] }", "{ }", true),
    ("{ party: whole, shows: [a] }", "{ shows: [b] }", false), ("{ party: whole }", "{ party: whole }", false),
  ]) func gatesOfOneShowCountTheSameWay(first: String, second: String, isRefused: Bool) {
    func file(_ second: String) -> String {
      """
      version: 1
      station: { name: bench }
      ticketSystems: { theatre: { \(Self.good) } }
      readers:
        door: { type: wedge, match: { vendor: "0c2e" } }
        side: { type: wedge, match: { vendor: "0c2f" } }
      gates:
        stalls: { readers: [door], ticketSystem: theatre, ticket: \(first) }
        circle: { readers: [side], ticketSystem: theatre, ticket: \(second) }
      """
    }
    var found = ""
    do {
      _ = try ConfigurationFile.parse(
        text: file(second), file: "f", options: ConfigurationOptions(ticketSystems: [.bookings]))
    } catch {
      found = "\(error)"
    }
    expect(
      isRefused
        ? found.contains("f:9:") && found.contains("\"party\" of the gates \"stalls\" and \"circle\"")
          && found.contains("write the same party for both") : found.isEmpty, "\(found)")
  }

  /// A password that nobody can sign in with is told at the start, with its place and without a letter of it.
  @Test(arguments: ["", String(repeating: "x", count: 1_025)])
  func aPasswordThatIsNoneIsToldAtTheStart(password: String) throws {
    let settings = BookingsSection.System(
      url: try ServerAddress("https://a.example"), urlPosition: Stage.place,
      venue: .init(id: "v", slug: "s", zone: try zone(), zoneName: "Europe/London"),
      staff: .init(email: "a@b", password: CredentialReference(name: "theatre-door", position: Stage.place)))
    do {
      _ = try settings.door(
        of: Stage.id, .gates, CredentialResolver { _ in password }, SystemTime(), remembering: DoorMemories())
      expect(false, "it was taken")
    } catch {
      expect(error.description.contains("f:3:5: ticketSystems.theatre, credential theatre-door"), "\(error)")
      expect(!error.description.contains("xxx"))
    }
  }

  @Test func withoutStaffThereIsNoRoster() throws {
    let settings = BookingsSection.System(
      url: try ServerAddress("https://a.example"), urlPosition: Stage.place,
      venue: .init(id: "v", slug: "s", zone: try zone(), zoneName: "Europe/London"))
    let connection = try TicketSystemType.bookings.connect(
      Stage.id, settings, credentials: CredentialResolver { _ in "" }, time: SystemTime())
    expect(connection.roster == nil)
  }
}
