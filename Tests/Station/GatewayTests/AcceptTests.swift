import EventSchedule
import Expectations
import ScanConfiguration
import ScanModel
import Reading
import Testing
import TicketSystemKit

@testable import Gateway

/// What a gate takes for a code, as its file says it, or does not.
@Suite struct AcceptTests {
  private func accept(_ more: String = "") throws -> AcceptFilter {
    let text = """
      version: 1
      station: { name: door }
      ticketSystems: { main: { type: eventschedule, url: "https://tickets.example", apiKey: main } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } } }
      gates:
        north:
          readers: [left]
          ticketSystem: main
      \(more)
      """
    let file = try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "f", options: ConfigurationOptions(ticketSystems: [.eventSchedule]))
    return GateSettings(try #require(file.configuration.gates.first)).accept
  }

  @Test func withoutAWordAGateTakesWhatTheTicketSystemsCodesLookLike() throws {
    let filter = try accept()
    for code in ["wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", "WK8WFYZJRBRDV5RXVJXJZPX9GGUM6UXL", "aB3dE6gH9jK2mN5pQ8sT1vW4"] {
      expect(filter.accepts(Code(code)), "\(code)")
    }
    for code in [
      "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl\u{1D}", "4006381333931", "wk8wfyzjrbrdv5rxvjxjzpx9ggum6ux",
      "wk8wfyzjrbrdv5rxvjxjzpx9ggum6u\u{E4}l", "wk8wfyzjrbrdv5rxvjxjzpx9ggum6u-l", "aB3dE6gH9jK2mN5pQ8sT1vW4x",
    ] {
      expect(!filter.accepts(Code(code)), "\(code)")
    }
    expect(try accept("    accept: { minLength: 8 }").accepts(Code("TICKET-001")))
  }
}
