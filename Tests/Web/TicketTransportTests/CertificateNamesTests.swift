import Expectations
import ScanTesting
import Testing

@testable import TicketTransport

/// How a certificate's DNS names are read. Whole handshakes: `EventScheduleTests/CertificateNameTests`.
@Suite struct CertificateNamesTests {
  private func matches(_ pattern: String, _ host: String) -> Bool {
    CertificateNames.matches([UInt8](pattern.utf8), [UInt8](host.utf8))
  }

  @Test(arguments: [
    ("tickets.example", "tickets.example"), ("TICKETS.Example", "tickets.example"),
    ("tickets.example.", "tickets.example"),
    ("tickets.example", "tickets.example."), ("localhost", "localhost"), ("*.example", "tickets.example"),
    ("*.Venue.example", "a.venue.example"), ("*.venue.example.", "a-1.venue.example"),
  ]) func namesThatStandForAHost(pattern: String, host: String) { expect(matches(pattern, host)) }

  @Test(arguments: [
    ("tickets.example", "tickets.example.org"), ("tickets.example", "atickets.example"), ("", ""), ("", "localhost"),
    ("localhost", ""), (".", "."), ("*", "localhost"), ("*", "tickets.example"), ("*.", "localhost"),
    ("*.", "localhost."),
    ("*.example", "example"), ("*.example", ".example"), ("*.example", "a.b.example"), ("*.*.example", "a.b.example"),
    ("a*.example", "ab.example"), ("*a.example", "ba.example"), ("t*s.example", "tickets.example"),
    ("tickets.*", "tickets.example"), ("tickets.example\0", "tickets.example"),
    ("tickets.example\0.evil.example", "tickets.example"),
    ("*.example", "*"), ("127.0.0.1 ", "127.0.0.1"), ("tickets.example", "tickets_example"),
  ]) func namesThatDoNot(pattern: String, host: String) { expect(!matches(pattern, host)) }

  @Test(arguments: [
    ("127.0.0.1", true), ("::1", true), ("2001:db8::1", true), ("::ffff:192.0.2.1", true), ("localhost", false),
    ("tickets.example", false), ("127.1", false), ("0x7f.0.0.1", false), ("2130706433", false), ("300.1.1.1", false),
    ("1.2.3.4.", false), ("", false),
  ]) func addressesAreNoNames(host: String, isAddress: Bool) {
    expectEqual(CertificateNames.address(host) != nil, isAddress)
  }

  /// A wildcard stands for one label, all of it, and for nothing else; other names for themselves alone.
  @Test func anyNames() {
    for seed in 0..<UInt64(extent(landing: 20_000, release: 500_000)) {
      var random = SeededGenerator(seed: seed)
      func labels(_ count: ClosedRange<Int>) -> [String] {
        (0..<Int.random(in: count, using: &random)).map { _ in
          String((0..<Int.random(in: 0...2, using: &random)).map { _ in "ab*A".randomElement(using: &random) ?? "a" })
        }
      }
      let (pattern, host) = (labels(1...3), labels(1...3))
      func whole(_ labels: [String]) -> [String] {
        (labels.count > 1 && labels.last == "" ? labels.dropLast() : labels).map { $0.lowercased() }
      }
      let (named, asked) = (whole(pattern), whole(host))
      let isSame = named == asked && asked.joined(separator: ".") != "" && named.first?.first != "*"
      let isBelow =
        named.first == "*" && named.count > 1 && named.count == asked.count && asked.first != ""
        && named.dropFirst() == asked.dropFirst() && named.dropFirst().joined(separator: ".") != ""
      expectEqual(
        matches(pattern.joined(separator: "."), host.joined(separator: ".")), isSame || isBelow,
        "seed \(seed): \(pattern) \(host)")
    }
  }
}
