import Expectations
import Foundation
import Glibc
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// Real files in a folder of their own.
@Suite final class FileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let path = folder.appending(path: name).path
    expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func check(key: String, ca: String? = nil) throws -> (errors: [String], warnings: [String]) {
    let caText = ca.map { ", caFile: \"\($0)\"" } ?? ""
    let text = goodFile.replacingOccurrences(
      of: "apiKeyFile: /etc/scangate/keys/main.key", with: "apiKeyFile: \"\(key)\"\(caText)")
    let findings = try ConfigurationFile.parse(text: text, file: "f", options: testOptions).configuration.checkFiles()
    return (findings.errors.map(\.problem), findings.warnings.map(\.problem))
  }

  @Test func goodKey() throws {
    let findings = try check(key: write("key", "secret\n"))
    expect(findings.errors == [] && findings.warnings == [])
  }

  @Test func keyFileFaults() throws {
    try expectEqual(check(key: "/nonexistent/k").errors, ["the file \"/nonexistent/k\" does not exist"])
    try expectEqual(check(key: write("k", " \n")).errors.first?.hasSuffix("is empty"), true)
    try expectEqual(check(key: folder.path).errors.first?.hasSuffix("is no regular file"), true)
    let big = try check(key: write("big", String(repeating: "hunter2", count: 1000)))
    expectEqual(big.errors.first?.hasSuffix("is too large"), true)
    expect(!big.errors.joined().contains("hunter2"))
  }

  @Test(arguments: [
    ("hunter\n2\n", "has more than one line"), ("hunter\r2", "has more than one line"),
    ("hunter 2\n", "has a blank inside the key"), ("hunter\t2", "has a blank inside the key"),
    ("hunter\u{fc}2", "has a character that is no printable ASCII character"),
    ("hunter\u{0}2", "has a character that is no printable ASCII character"),
    ("\u{feff}hunter2", "has a character that is no printable ASCII character"),
    ("hunter2\u{7f}", "has a character that is no printable ASCII character"), ("\n\t \r\n", "is empty"),
    (String(repeating: "h", count: 4097), "is too large"),
    ("\n" + String(repeating: "h", count: 4096), "is too large"),
  ]) func keysThatTheServiceWouldRefuse(content: String, problem: String) throws {
    let path = try write("key", content)
    try expectEqual(
      check(key: path).errors.map { $0.replacingOccurrences(of: quoted(path), with: "X") },
      [
        "the file X \(problem)"
      ])
  }

  @Test(arguments: ["h", " \r\n hunter2 \t\r\n", "~!\"}", String(repeating: "h", count: 4096) + "\n"])
  func keysThatTheServiceTakes(content: String) throws {
    try expectEqual(check(key: write("key", content)).errors, [])
  }

  @Test(arguments: [0o640, 0o604, 0o644, 0o660]) func keyOpenToOthers(mode: Int) throws {
    let findings = try check(key: write("key", "secret\n", mode: mode))
    expectEqual(findings.errors, [])
    expect(findings.warnings.count == 1 && findings.warnings.first?.hasSuffix("is open to other users") == true)
  }

  @Test func certificates() throws {
    let key = try write("key", "secret\n")
    let good = try write("ca.pem", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", mode: 0o644)
    let findings = try check(key: key, ca: good)
    expect(findings.errors == [] && findings.warnings == [])
    try expectEqual(check(key: key, ca: write("x.pem", "text")).errors.first?.hasSuffix("holds no certificate"), true)
  }

  @Test(arguments: [
    ("-----BEGIN CERTIFICATE-----", "holds a certificate that is cut off"),
    ("-----BEGIN CERTIFICATE-----\nAAAA\n", "holds a certificate that is cut off"),
    ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "holds a certificate that is damaged"),
    ("-----BEGIN CERTIFICATE-----\nA*A=\n-----END CERTIFICATE-----\n", "holds a certificate that is damaged"),
    ("-----BEGIN CERTIFICATE-----\nAAA\n-----END CERTIFICATE-----\n", "holds a certificate that is damaged"),
    ("-----BEGIN CERTIFICATE-----\nA===\n-----END CERTIFICATE-----\n", "holds a certificate that is damaged"),
    ("-----BEGIN CERTIFICATE-----\nAA==AAAA\n-----END CERTIFICATE-----\n", "holds a certificate that is damaged"),
    ("-----END CERTIFICATE-----\n", "holds no certificate"), (" \n", "is empty"),
    ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "holds no certificate"),
  ]) func certificatesThatTheServiceWouldRefuse(content: String, problem: String) throws {
    let found = try check(key: write("key", "secret\n"), ca: write("ca.pem", content)).errors
    expect(found.count == 1 && found.first?.hasSuffix(" " + problem) == true, "\(found)")
  }

  @Test(arguments: ["\n", "\r\n"]) func severalCertificatesWithTextAround(ending: String) throws {
    let lines = [
      "subject=T\u{fc}r", "-----BEGIN CERTIFICATE-----", "AA+/", "AAA=", "-----END CERTIFICATE-----", "", "next",
      "-----BEGIN CERTIFICATE-----  ", "AAAA", "-----END CERTIFICATE-----",
    ]
    try expectEqual(check(key: write("key", "k"), ca: write("ca.pem", lines.joined(separator: ending))).errors, [])
  }

  /// The largest file is looked at once, not once a line.
  @Test func aLargeCertificateIsRead() throws {
    let body = String(repeating: String(repeating: "A", count: 64) + "\n", count: 60_000)
    let text = "-----BEGIN CERTIFICATE-----\n" + body + "-----END CERTIFICATE-----\n"
    try expectEqual(check(key: write("key", "k"), ca: write("ca.pem", text)).errors, [])
  }

  /// A gate that works does not stop for a list that only setting up needs.
  @Test func aTrustListMayComeLater() throws {
    func check(_ path: String) throws -> StationConfiguration.FileFindings {
      let key = try write("key", "k")
      let text = goodFile.replacingOccurrences(of: "/etc/scangate/keys/main.key", with: "\"\(key)\"")
      let more = "setUp: { trust: \"\(path)\" }\ncontrol: { type: kiosk, url: \"https://k.example.org\" }\n"
      return try ConfigurationFile.parse(text: text + more, file: "f", options: testOptions).configuration.checkFiles()
    }
    let good = try check(write("trust.txt", "server tickets.example.org\n", mode: 0o644))
    expect(good.errors == [] && good.warnings == [])
    let large = try write("large.txt", String(repeating: "#", count: 70_000))
    for path in ["/nonexistent/trust.txt", folder.path, try write("empty.txt", " \n"), large] {
      let findings = try check(path)
      expect(findings.errors == [] && findings.warnings.count == 1, "\(path)")
    }
  }

  @Test func aNamedPipeIsNotWaitedFor() throws {
    let path = folder.appending(path: "pipe").path
    expectEqual(mkfifo(path, 0o600), 0)
    try expectEqual(check(key: path).errors.first?.hasSuffix("is no regular file"), true)
    #expect(throws: ConfigurationErrors.self) { try ConfigurationFile.load(path: path, options: testOptions) }
  }

  @Test func loadsAFile() throws {
    let path = try write("scangate.yaml", goodFile)
    try expectEqual(ConfigurationFile.load(path: path, options: testOptions).configuration.file, path)
  }

  @Test func saysWhyAFileCannotBeLoaded() throws {
    func words(_ path: String) -> String? {
      do throws(ConfigurationErrors) {
        _ = try ConfigurationFile.load(path: path, options: testOptions)
        return nil
      } catch {
        return error.description
      }
    }
    expectEqual(
      words("/nonexistent"), "/nonexistent:1:1: the configuration does not exist; create it, or correct the path")
    expectEqual(words(folder.path), "\(folder.path):1:1: the configuration is no regular file; name a file")
    let large = try write("large", String(repeating: "#", count: 2_000_000))
    expectEqual(words(large)?.contains("a configuration has at most 1048576 (1 MiB)"), true)
  }
}
