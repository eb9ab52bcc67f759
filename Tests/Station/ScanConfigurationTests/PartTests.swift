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
