import Expectations
import Foundation
import Testing

@testable import LibCrypto

@Suite struct CertificateAuthorityTests {
  private static let span: Range<Int64> = 1_800_000_000..<1_863_072_000

  /// What openssl itself says.
  private func openssl(_ arguments: String...) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text.replacingOccurrences(of: " = ", with: "="))
  }

  private func inFolder(_ body: (_ write: (String, [UInt8]) throws -> String) throws -> Void) throws {
    let folder = "\(temporaryRoot)/scangate-authority-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body { name, bytes in
      try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
      return "\(folder)/\(name)"
    }
  }

  @Test func whenCertificatesEndIsRead() throws {
    let authority = try #require(CertificateAuthority(named: "one", holds: 0..<1_800_000_000))
    let server = try #require(authority.issue(for: ["gate1"], holds: 0..<1_700_000_001))
    let both = authority.certificate + Array("words between\n".utf8) + server.certificate
    expectEqual(CertificateEnd.all(in: both), [1_800_000_000, 1_700_000_001])
    expectEqual(CertificateEnd.all(in: []), [])
    expectEqual(CertificateEnd.all(in: Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8)), [])
  }

  @Test func whatItHasSignedIsBelievedByWhoeverHasItAndByNobodyElse() throws {
    let authority = try #require(CertificateAuthority(named: "summer authority 1", holds: Self.span))
    let stranger = try #require(CertificateAuthority(named: "summer authority 1", holds: Self.span))
    let issued = try #require(authority.issue(for: ["gate1", "10.0.0.11", "2001:db8::7"], holds: Self.span))
    try inFolder { write in
      let own = try write("authority.pem", authority.certificate)
      let other = try write("other.pem", stranger.certificate)
      let certificate = try write("gate1.pem", issued.certificate)
      for purpose in ["sslserver", "sslclient"] {
        for name in [["-verify_hostname", "gate1"], ["-verify_ip", "10.0.0.11"], ["-verify_ip", "2001:db8::7"]] {
          let said = try openssl(
            "verify", "-x509_strict", "-attime", "1800000001", "-purpose", purpose, name[0], name[1], "-CAfile", own,
            certificate)
          expect(said.status == 0, "\(purpose) \(name): \(said.text)")
        }
      }
      let elsewhere = try openssl(
        "verify", "-attime", "1800000001", "-verify_hostname", "gate2", "-CAfile", own, certificate)
      expect(elsewhere.status != 0, "a certificate is for its host")
      let believed = try openssl("verify", "-attime", "1800000001", "-CAfile", other, certificate)
      expect(believed.status != 0, "one of the same name that has another key has not signed it")
      let late = try openssl("verify", "-attime", "1900000000", "-CAfile", own, certificate)
      expect(late.status != 0 && late.text.contains("expired"), "\(late.text)")

      let text = try openssl("x509", "-noout", "-text", "-in", certificate).text
      for words in [
        "Issuer: CN=summer authority 1", "Subject: CN=gate1", "CA:FALSE", "Digital Signature",
        "TLS Web Server Authentication, TLS Web Client Authentication", "DNS:gate1, IP Address:10.0.0.11",
      ] {
        expect(text.contains(words), "\(words) is missing in \(text)")
      }
      let authorityText = try openssl("x509", "-noout", "-text", "-in", own).text
      expect(authorityText.contains("CA:TRUE, pathlen:0") && authorityText.contains("Certificate Sign, CRL Sign"))
    }
  }

  /// While one authority takes the place of another, both stand in one file.
  @Test func twoAreBelievedAtOneTime() throws {
    let first = try #require(CertificateAuthority(named: "summer authority 1", holds: Self.span))
    let second = try #require(CertificateAuthority(named: "summer authority 2", holds: Self.span))
    try inFolder { write in
      let both = try write("authority.pem", first.certificate + second.certificate)
      for (number, authority) in [first, second].enumerated() {
        let issued = try #require(authority.issue(for: ["gate1"], holds: Self.span))
        let certificate = try write("\(number).pem", issued.certificate)
        let said = try openssl("verify", "-attime", "1800000001", "-CAfile", both, certificate)
        expect(said.status == 0, "\(said.text)")
      }
    }
  }

  @Test func itIsReadAgainWithTheKeyThatIsItsOwnAlone() throws {
    let first = try #require(CertificateAuthority(named: "a", holds: Self.span))
    let second = try #require(CertificateAuthority(named: "a", holds: Self.span))
    let again = try #require(CertificateAuthority(certificate: first.certificate, privateKey: first.privateKey))
    let issued = try #require(again.issue(for: ["gate1"], holds: Self.span))
    try inFolder { write in
      let own = try write("authority.pem", first.certificate)
      let said = try openssl(
        "verify", "-attime", "1800000001", "-CAfile", own, try write("gate1.pem", issued.certificate))
      expect(said.status == 0, "\(said.text)")
    }
    expect(CertificateAuthority(certificate: first.certificate, privateKey: second.privateKey) == nil)
    expect(CertificateAuthority(certificate: first.privateKey, privateKey: first.privateKey) == nil)
    expect(CertificateAuthority(certificate: [], privateKey: first.privateKey) == nil)
    expect(CertificateAuthority(certificate: first.certificate, privateKey: [UInt8]("junk".utf8)) == nil)
  }

  @Test func whatCannotBeANameIsRefused() throws {
    let authority = try #require(CertificateAuthority(named: "a", holds: Self.span))
    for name in ["", "a,DNS:evil.example", "*.example", "a b", "ä", "@section", "1.2.3"] {
      expect(authority.issue(for: [name], holds: Self.span) == nil, "\(name)")
    }
    expect(authority.issue(for: [], holds: Self.span) == nil)
    expect(CertificateAuthority(named: "", holds: Self.span) == nil)
    expect(CertificateAuthority(named: String(repeating: "a", count: 65), holds: Self.span) == nil)
  }

  @Test func noKeyIsPrinted() throws {
    let authority = try #require(CertificateAuthority(named: "a", holds: Self.span))
    let issued = try #require(authority.issue(for: ["gate1"], holds: Self.span))
    for text in ["\(authority)", "\(issued)", String(reflecting: authority), String(reflecting: issued)] {
      expect(text.hasPrefix("(certificate"), "\(text)")
    }
  }
}
