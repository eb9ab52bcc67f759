import Expectations
import Foundation
import Testing

@testable import LibCrypto

@Suite struct SelfSignedCertificateTests {
  /// What openssl itself says of it.
  private func openssl(_ arguments: [String], _ input: [UInt8]) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stdout
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input))
    try stdin.fileHandleForWriting.close()
    let text = String(decoding: try stdout.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func isWhatOpenSSLTakesForAServersCertificate() throws {
    let made = try #require(
      SelfSignedCertificate(
        for: ["north-door.example", "10.0.0.7", "2001:db8::7"], holds: 1_800_000_000..<1_863_072_000))
    let (status, said) = try openssl(["x509", "-noout", "-text"], made.certificate)
    let text = said.replacingOccurrences(of: " = ", with: "=")
    expectEqual(status, 0)
    for words in [
      "Version: 3", "Issuer: CN=north-door.example", "Subject: CN=north-door.example", "ASN1 OID: prime256v1",
      "ecdsa-with-SHA256", "Not Before: Jan 15 08:00:00 2027 GMT", "Not After : Jan 14 08:00:00 2029 GMT", "CA:FALSE",
      "TLS Web Server Authentication",
      "DNS:north-door.example, IP Address:10.0.0.7, IP Address:2001:DB8:0:0:0:0:0:7",
    ] {
      expect(text.contains(words), "\(words) is missing in \(text)")
    }
    try expectEqual(openssl(["pkey", "-noout", "-check"], made.privateKey).status, 0)
    // It has signed itself, with the key that goes with it.
    let folder = "\(temporaryRoot)/scangate-certificate-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(made.certificate).write(to: URL(filePath: folder + "/c.pem"))
    let verified = try openssl(
      [
        "verify", "-check_ss_sig", "-attime", "1800000001", "-purpose", "sslserver", "-CAfile", folder + "/c.pem",
        folder + "/c.pem",
      ], [])
    expect(verified.status == 0, "\(verified.text)")
    try expectEqual(
      openssl(["x509", "-noout", "-pubkey"], made.certificate).text, openssl(["pkey", "-pubout"], made.privateKey).text)
  }

  @Test func aKeyIsKept() throws {
    let span: Range<Int64> = 1_800_000_000..<1_863_072_000
    let first = try #require(SelfSignedCertificate(for: ["a.example"], holds: span))
    let second = try #require(SelfSignedCertificate(for: ["b.example"], key: first.privateKey, holds: span))
    try expectEqual(
      openssl(["x509", "-noout", "-pubkey"], first.certificate).text,
      openssl(["x509", "-noout", "-pubkey"], second.certificate).text)
    let serials = try [first, second].map { try openssl(["x509", "-noout", "-serial"], $0.certificate).text }
    expect(serials[0] != serials[1])
    let third = try #require(SelfSignedCertificate(for: ["a.example"], holds: span))
    expect(third.privateKey != first.privateKey)
  }

  /// Nothing in a name becomes an extension, and what is no key is none.
  @Test func whatCannotBeANameIsRefused() {
    let span: Range<Int64> = 1_800_000_000..<1_863_072_000
    for name in [
      "", "a,DNS:evil.example", "a b", "*.example", "a\u{0}b", "a\nb", "ä.example", "@section", "dirName:x",
      String(repeating: "a", count: 254), "1.2.3", "a:b",
    ] {
      expect(SelfSignedCertificate(for: [name], holds: span) == nil, "\(name)")
      expect(SelfSignedCertificate(for: ["a.example", name], holds: span) == nil, "\(name)")
    }
    expect(SelfSignedCertificate(for: [], holds: span) == nil)
    expect(SelfSignedCertificate(for: ["a.example"], key: [UInt8]("junk".utf8), holds: span) == nil)
    expect(SelfSignedCertificate(for: ["a.example"], key: [], holds: span) == nil)
    // The longest name that there is has a common name that is cut.
    expect(
      SelfSignedCertificate(for: [Array(repeating: "a123456789", count: 23).joined(separator: ".")], holds: span) != nil
    )
  }
}
