import Expectations
import Reading
import ScanConfiguration
import ScanModel
import Testing
import TicketSystemKit

@testable import SignedTickets

/// The section of the file, and its errors for people.
@Suite struct SectionTests {
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
      text: text, file: "f", options: ConfigurationOptions(ticketSystems: [.signedTickets]))
    // A gate without outputs shows nobody a verdict: that is no matter here.
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

  private static let good =
    "type: signedTickets, url: \"https://tickets.example.org\", org: org-1, token: theatre-redeem"

  @Test func whatTheFileDoesNotSayIsUsual() throws {
    let (configuration, warnings) = try read("{ \(Self.good) }")
    expectEqual(warnings.map(\.problem), [])
    let system = try #require(configuration.ticketSystems.first)
    expectEqual(system.scope, .once)
    expectEqual(system.address, "signedTickets https://tickets.example.org")
    expectEqual(system.budget, 10)
    let settings = try #require(system.settings as? SignedTicketsSection.System)
    expect(settings.org == "org-1" && settings.performances == nil && settings.token.name == "theatre-redeem")
    expectEqual(configuration.gates.first?.ticket as? SignedTicketsSection.Gate, nil)
  }

  @Test func everythingIsRead() throws {
    let (configuration, warnings) = try read(
      """
      { type: signedTickets, url: "http://10.0.0.9/base", org: 00000000-0000-0000-0000-000000000001, token: redeem,
          performances: [perf_1, perf_2], allowPlainHTTP: true }
      """, ticket: ", ticket: { performances: [perf_2] }")
    expectEqual(warnings.count, 1, "plain HTTP is a doubt all the same")
    let settings = try #require(configuration.ticketSystems.first?.settings as? SignedTicketsSection.System)
    expectEqual(settings.performances, ["perf_1", "perf_2"])
    expectEqual(settings.org, Issuer.tenant)
    let gate = try #require(configuration.gates.first?.ticket as? SignedTicketsSection.Gate)
    expectEqual(gate.performances, ["perf_2"])
    let tls = try read("{ \(Self.good), caFile: /etc/ca.pem }")
    expectEqual(tls.0.files.map(\.role), [.certificates])
  }

  @Test func whatIsMissingOrWrongIsSaid() {
    for (section, words) in [
      ("{ type: signedTickets }", ["url", "org", "token"]),
      ("{ \(Self.good), key: abc }", ["scangate credential set"]),
      ("{ \(Self.good), jwks: \"https://elsewhere.example/jwks\" }", ["/v1/verification/jwks"]),
      ("{ \(Self.good), performances: [] }", ["performances"]),
      ("{ \(Self.good), performances: perf_1 }", ["write a list"]),
      ("{ type: signedTickets, url: \"https://x.example/v1/verification\", org: o, token: t }", ["https://x.example"]),
      ("{ type: signedTickets, url: \"http://x.example\", org: o, token: t }", ["plain HTTP"]),
      ("{ type: signedTickets, url: \"https://x.example\", org: \"a b\", token: t }", ["tenant_id"]),
      (
        "{ type: signedTickets, url: \"https://x.example\", org: \(String(repeating: "o", count: 65)), token: t }",
        ["tenant_id"]
      ),
    ] {
      let said = refusal(section)
      for word in words { expect(said.contains(word), "\(word) in \(said)") }
    }
    expect(refusal("{ \(Self.good) }", ticket: ", ticket: { shows: tonight }").contains("shows"))
    expect(refusal("{ \(Self.good) }", ticket: ", ticket: { performances: 1 }").contains("performances"))
  }

  @Test func theExampleIsOne() throws {
    let section = TicketSystemType.signedTickets.example.map { "    \($0)" }.joined(separator: "\n")
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        theatre:
      \(section)
      readers: { door: { type: wedge, match: { vendor: "0c2e" } } }
      gates: { stalls: { readers: [door], ticketSystem: theatre } }
      """
    _ = try ConfigurationFile.parse(
      text: text, file: "f", options: ConfigurationOptions(ticketSystems: [.signedTickets]))
  }

  /// What a gate takes that says nothing of it, before the system is asked at all.
  @Test func codesOfItsFormAreTaken() {
    let accept = TicketSystemType.signedTickets.accept
    expect(accept.accepts(Code(Vector.text)))
    for text in ["LML-4F7QK2M9XZ1", "ed25519.v1.a.b.c", "SCANPASS1:" + String(repeating: "A", count: 200)] {
      expect(!accept.accepts(Code(text)), "\(text)")
    }
  }
}
