import Expectations
import Foundation
import NIOHTTP1
import NIOSSL
import ScriptedHTTP
import Testing

@testable import VenueServer

@Suite struct TLSTests {
  private func write(_ text: String, to path: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  private func health(of venue: RunningVenue, trusting authority: String) async throws -> String {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes([UInt8](authority.utf8)))
    return try await venue.request(.GET, "/api/health", headers: [], trusting: NIOSSLContext(configuration: tls)).text
  }

  @Test func aVenueProvesWhoItIs() async throws {
    try await withTemporaryDirectory { directory in
      let tls = VenueTLS(
        certificate: try write(TestCertificates.good, to: directory + "/cert.pem"),
        privateKey: try write(TestCertificates.key, to: directory + "/key.pem"))
      let control = directory + "/control.sock"
      try await withKioskVenue(change: {
        $0.tls = tls
        $0.controlSocket = control
      }) { venue, _ in
        expectEqual(venue.address.url, "https://127.0.0.1:\(venue.address.port)")
        let body = try await health(of: venue, trusting: TestCertificates.authority)
        expect(body.hasPrefix(#"{"success":true"#))
        await #expect(throws: NIOSSLError.self) {
          try await health(of: venue, trusting: TestCertificates.otherAuthority)
        }
        // In plain it answers nobody, and the control socket is as it was.
        expect(await venue.kiosk("GET /api/health").body.isEmpty)
        let made = try await VenueControlClient(path: control).makeEnrolment(gate: "north")
        expectEqual(made.server, "127.0.0.1:\(venue.address.port)")
      }
    }
  }

  /// Wherever it listens: a set-up code names no address, and a station wants the name that the certificate has.
  @Test(arguments: [
    (TestCertificates.wrongHost, "tickets.example"), (NamedCertificates.other, "tickets.example"),
    (NamedCertificates.wildcards, "127.0.0.1"), (NamedCertificates.addressAsName, "127.0.0.1"),
  ]) func aVenueOnLoopbackTellsTheNameInItsCertificate(_ certificate: String, _ host: String) async throws {
    try await withTemporaryDirectory { directory in
      let tls = VenueTLS(
        certificate: try write(certificate, to: directory + "/cert.pem"),
        privateKey: try write(TestCertificates.key, to: directory + "/key.pem"))
      try await withKioskVenue(change: { $0.tls = tls }) { venue, _ in
        let port = venue.address.port
        try await expectEqual(venue.server.makeEnrolment(gate: "north").server, "\(host):\(port)")
        try await expectEqual(venue.server.makeActivationCode().server, "\(host):\(port)")
      }
    }
  }

  @Test func filesThatWillNotDoAreExplained() async throws {
    try await withTemporaryDirectory { directory in
      let certificate = try write(TestCertificates.good, to: directory + "/cert.pem")
      let key = try write(TestCertificates.key, to: directory + "/key.pem")
      let junk = try write("junk", to: directory + "/junk.pem")
      let empty = try write("", to: directory + "/empty.pem")
      let foreign = try write(TestCertificates.authority, to: directory + "/foreign.pem")
      for (tls, words) in [
        (VenueTLS(certificate: directory + "/absent", privateKey: key), "absent cannot be read as a certificate"),
        (VenueTLS(certificate: junk, privateKey: key), "junk.pem cannot be read as a certificate"),
        (VenueTLS(certificate: empty, privateKey: key), "empty.pem cannot be read as a certificate"),
        (VenueTLS(certificate: certificate, privateKey: junk), "junk.pem cannot be read as a private key"),
        (VenueTLS(certificate: certificate, privateKey: directory), "cannot be read as a private key"),
        (VenueTLS(certificate: foreign, privateKey: key), "do not belong together"),
      ] {
        let server = try VenueServer(VenueConfiguration(tls: tls))
        let error = try await #require(throws: VenueError.self) { try await server.run() }
        expect(error.description.contains(words), "\(error)")
      }
    }
  }
}
