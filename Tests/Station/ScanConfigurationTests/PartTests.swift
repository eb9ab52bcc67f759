import Expectations
import Testing
import TicketSystemKit

@testable import ScanConfiguration

@Suite struct ServerURLTests {
  /// It works, and what was remembered goes by it; so that the usual form is shown, and nothing is refused.
  @Test func anAddressThatEndsInItsAPIIsShownWithoutIt() throws {
    func warnings(_ url: String) throws -> [String] {
      try ConfigurationFile.parse(
        text: goodFile.replacing("https://tickets.example.org", with: url), file: "f", options: testOptions
      ).warnings.map(\.description)
    }
    try expectEqual(
      warnings("https://tickets.example.org:8443/events/api"),
      [
        """
        f:4:37: "ticketSystems.main.url" ends in /api, which belongs to the API's own paths; write \
        https://tickets.example.org:8443/events, unless this station has already served with this spelling: what it \
        remembers belongs to it
        """
      ])
    try expectEqual(warnings("https://tickets.example.org/apis"), [])
  }

  @Test(arguments: [
    ("https://tickets.example.org", "tickets.example.org", 443, "", true),
    ("HTTPS://Tickets.Example.org/", "tickets.example.org", 443, "", true),
    ("http://127.0.0.1:8080/base//", "127.0.0.1", 8080, "/base", false),
    ("http://[::1]:80/a/b", "::1", 80, "/a/b", false), ("http://localhost", "localhost", 80, "", false),
  ]) func reads(text: String, host: String, port: Int, path: String, isSecure: Bool) throws {
    let url = try #require(ServerURL(text))
    expect(url.host == host && url.port == port && url.path == path && url.isSecure == isSecure)
    expectEqual(ServerURL(url.description), url)
  }

  @Test(arguments: [
    "", "https://", "https:///x", "tickets.example.org", "ftp://x", "https://a b", "https://u@x", "https://u:p@x",
    "https://x:", "https://x:0", "https://x:65536", "https://x:+1", "https://x?q", "https://x#f", "https://-x",
    "https://x..y", "https://[::1", "https://[zz]", "https://x/../y", "https://x/%2e", "https://täst", "https://[::1]8",
    "https://x/b[c]",
  ]) func refuses(text: String) {
    expect(ServerURL(text) == nil)
  }

  @Test func knowsLoopback() {
    let yes = ["http://localhost:1", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]"]
    let no = ["http://127.0.0.1.example.org", "http://localhost.example.org", "http://127.1", "http://10.0.0.1"]
    expect(yes.allSatisfy { ServerURL($0)?.isLoopback == true })
    expect(no.allSatisfy { ServerURL($0)?.isLoopback == false })
  }
}

@Suite struct SuggestionTests {
  private let keys = ["deadline", "holdOff", "queue", "readers", "ticketSystem", "ticket", "for"]

  @Test(arguments: [
    ("deadlin", "deadline"), ("hold_off", "holdOff"), ("HOLDOFF", "holdOff"), ("quene", "queue"), ("reader", "readers"),
    ("ticketsytem", "ticketSystem"), ("tikcet", "ticket"), ("fro", "for"),
  ]) func finds(word: String, expected: String) {
    expectEqual(suggestion(for: word, among: keys), expected)
  }

  @Test(arguments: ["", "colour", "x", "-", "timeout", String(repeating: "q", count: 10_000)])
  func findsNothing(word: String) {
    expect(suggestion(for: word, among: keys) == nil)
  }
}
