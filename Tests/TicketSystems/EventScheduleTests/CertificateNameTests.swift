import Expectations
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// Trusted certificates, by what they name, against the host that is configured by its name and by its address.
@Suite struct CertificateNameTests {
  static let cases: [(certificate: String, host: String, verdict: String)] = [
    (NamedCertificates.name, "localhost", "redeemed"), (NamedCertificates.name, "127.0.0.1", "undecided tlsFault"),
    // Whoever answers for the DNS and has a certificate of an address is not every server.
    (NamedCertificates.address, "localhost", "undecided tlsFault"),
    (NamedCertificates.address, "127.0.0.1", "redeemed"),
    (NamedCertificates.both, "localhost", "redeemed"), (NamedCertificates.both, "127.0.0.1", "redeemed"),
    (NamedCertificates.both, "LocalHost", "redeemed"),
    (NamedCertificates.wildcards, "localhost", "undecided tlsFault"),
    (NamedCertificates.wildcards, "127.0.0.1", "undecided tlsFault"),
    (NamedCertificates.commonName, "localhost", "undecided tlsFault"),
    (NamedCertificates.commonName, "127.0.0.1", "undecided tlsFault"),
    (NamedCertificates.addressAsName, "localhost", "undecided tlsFault"),
    (NamedCertificates.addressAsName, "127.0.0.1", "undecided tlsFault"),
    (NamedCertificates.other, "localhost", "undecided tlsFault"),
    (NamedCertificates.other, "127.0.0.1", "undecided tlsFault"),
    (NamedCertificates.expired, "localhost", "undecided clockWrong"),
    (NamedCertificates.expired, "127.0.0.1", "undecided clockWrong"),
    // Another host's certificate says nothing of our clock.
    (NamedCertificates.expiredAddress, "localhost", "undecided tlsFault"),
    (NamedCertificates.expiredAddress, "127.0.0.1", "undecided clockWrong"),
    (TestCertificates.good, "localhost", "undecided tlsFault"),
    (TestCertificates.good, "127.0.0.1", "undecided tlsFault"),
  ]

  @Test(arguments: cases.indices) func aServerIsWhomItsCertificateNames(index: Int) async throws {
    let test = Self.cases[index]
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), certificate: test.certificate, host: test.host,
      settings: trusting(NamedCertificates.authority))
    for _ in 0..<2 {
      let outcome = await venue.attempt()
      expectEqual(name(outcome.answer), test.verdict, "\(index): \(outcome)")
      expectEqual(outcome.mayHaveRedeemed, test.verdict == "redeemed")
      expect(outcome.offline == nil)
    }
    // Only what was accepted is worth a word of when it ends.
    expectEqual(
      venue.transport.certificateEnds.map { $0 > SystemTime().wall() }, test.verdict == "redeemed" ? true : nil)
    await venue.close()
    expectEqual(venue.server.requests.count, test.verdict == "redeemed" ? 2 : 0)
    expectEqual(venue.server.bytes == 0, test.verdict != "redeemed", "no byte of the key goes to another host")
  }

  /// The connection is not kept, whatever the server does then; and what is asked meanwhile has the same answer.
  @Test func aConnectionToAnotherHostIsClosed() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.admitted), certificate: NamedCertificates.address,
      settings: trusting(NamedCertificates.authority))
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { name(await venue.attempt().answer) } }
      for await verdict in group { expectEqual(verdict, "undecided tlsFault") }
    }
    var left = venue.server.connections
    expect(left >= 1)
    for await _ in venue.server.ended.stream {
      left -= 1
      if left == 0 { break }
    }
    expectEqual(name(await venue.attempt().answer), "undecided tlsFault")
    await venue.close()
    expectEqual(venue.server.bytes, 0)
  }
}
