import CodeSigning
import Expectations
import Foundation
import Glibc
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit

@testable import Subscriptions

/// The lists of keys and of revoked passes, and what becomes of them while the station runs.
@Suite struct PassFilesTests {
  private static let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

  @Test(arguments: [
    ("", "keys:1:1: there is no key in it"), ("# none\n", "keys:1:1: there is no key in it"),
    ("key venue", "keys:1:10: a key is written as: key NAME BASE64, as scangate membership pass keygen prints it"),
    ("key venue QUJD", "keys:1:11: this is no public key"),
    ("key a \(key)\nkey b \(key)", "keys:2:7: this key is in line 1 already"),
    ("scangate-pass-key-1 \(key)", "keys:1:1: a line begins with key or #"),
    ("server a.example", "keys:1:1: a line begins with key or #"),
  ]) func aListOfKeysIsRefusedWithItsPlace(text: String, message: String) {
    #expect {
      try PassKeys.read([UInt8](text.utf8), file: "keys")
    } throws: {
      "\($0)".hasPrefix(message)
    }
  }

  @Test func revokedPassesAreReadAsEditorsWriteThem() throws {
    let text = "\u{FEFF}# lost\r\nID 1000000619244062\r\tserial 00FFab0102030405 # stolen\n\n"
    let list = try RevokedPasses.read([UInt8](text.utf8), file: "revoked")
    expectEqual(list.count, 2)
    let (id, other) = (try #require(SubscriptionID(exampleID)), try #require(SubscriptionID("12345678")))
    expect(list.name(id, serial: nil) && !list.name(other, serial: nil))
    expect(
      list.name(other, serial: [0, 0xFF, 0xAB, 1, 2, 3, 4, 5]) && !list.name(other, serial: [0, 0, 0, 1, 2, 3, 4, 5]))
    try expectEqual(RevokedPasses.read([], file: "revoked"), .none)
    for (text, message) in [
      ("1000000619244062", "revoked:1:17: a line is written as"), ("id 12", "revoked:1:4: an id has 8 to 20 digits"),
      ("serial 12", "revoked:1:8: a serial number has 16 hexadecimal digits"),
      ("serial 00ffab01020304zz", "revoked:1:8: a serial number"), ("key a b", "revoked:1:7: a line is written as"),
      ("name 12345678", "revoked:1:1: a line begins with id, serial or #"),
    ] {
      #expect {
        try RevokedPasses.read([UInt8](text.utf8), file: "revoked")
      } throws: {
        "\($0)".hasPrefix(message)
      }
    }
  }

  @Test(arguments: [UInt64](1...8)) func noBytesTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = [
      "id", "serial", "key", " ", "\n", "\r", "#", exampleID, "00ffab0102030405", Self.key, "\u{0}", "é", "1",
    ]
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        .joined()
      if let list = try? RevokedPasses.read([UInt8](text.utf8), file: "f") {
        let names = text.lowercased().split(separator: "\n").count { $0.contains("id") || $0.contains("serial") }
        expect(list.count == 0 || names > 0, "seed \(seed)")
      }
      if (try? PassKeys.read([UInt8](text.utf8), file: "f")) != nil { expect(text.contains(Self.key), "seed \(seed)") }
    }
  }

  private struct Folder {
    let path = temporaryRoot + "/pass-files-\(UUID())"
    var keys: String { path + "/keys" }
    var revoked: String { path + "/revoked" }

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try write("key venue \(PassFilesTests.key)\n", keys)
      try write("id \(exampleID)\n", revoked)
    }

    /// Replaces a file as an editor does.
    func write(_ text: String, _ path: String) throws {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    func open() throws -> PassFiles { try PassFiles(keys: keys, revoked: revoked, of: TicketSystemID("members")) }
  }

  private func alarm(_ news: [UpkeepNews]) -> String? {
    if case .alarm(let words)? = news.first, news.count == 1 { words } else { nil }
  }

  @Test func whatIsWrongAtTheStartIsSaid() throws {
    let folder = try Folder()
    try folder.write("", folder.keys)
    #expect {
      _ = try folder.open()
    } throws: {
      "\($0)".hasPrefix("ticketSystems.members: \(folder.keys):1:1: there is no key in it")
    }
    try folder.write("key venue \(Self.key)\n", folder.keys)
    unlink(folder.revoked)
    #expect {
      _ = try folder.open()
    } throws: {
      "\($0)"
        == "ticketSystems.members: \(folder.revoked) cannot be read (No such file or directory). Let the service read it."
    }
  }

  @Test func aRevokedPassIsTakenNoMoreWhenTheFileSaysSo() throws {
    let folder = try Folder()
    let files = try folder.open()
    let (id, other) = (try #require(SubscriptionID(exampleID)), try #require(SubscriptionID("12345678")))
    expectEqual(files.look(), [])
    try folder.write("id \(exampleID)\nid 12345678\n", folder.revoked)
    expectEqual(files.look(), [.notice("The list of revoked passes (\(folder.revoked)) was read anew.")])
    expect(files.content.revoked.name(id, serial: nil) && files.content.revoked.name(other, serial: nil))
    expectEqual(files.look(), [])
    let second = PassKey.make()
    try folder.write("key venue \(Self.key)\nkey second \(try #require(second.publicKey).text)\n", folder.keys)
    expectEqual(files.look(), [.notice("The list of keys (\(folder.keys)) was read anew.")])
    let text = try SignedPass.text(other, notBefore: .init(seconds: 0), ends: .init(seconds: 60), by: second)
    expect(files.content.keys.believe(try #require(SignedPass(Code(text)))))
  }

  /// Nobody's revoked pass is good again because of a file.
  @Test func aFileThatCannotBeUsedKeepsTheFormer() throws {
    let folder = try Folder()
    let files = try folder.open()
    let id = try #require(SubscriptionID(exampleID))
    func isRevoked() -> Bool { files.content.revoked.name(id, serial: nil) }
    for damage in ["id 12\n", "", "\u{FFFE}"] {
      try folder.write(damage, folder.revoked)
      let words = alarm(files.look())
      expect(words?.hasPrefix("The list of revoked passes cannot be used, and what it said before counts on.") == true)
      expect(words?.contains(folder.revoked) == true)
      expect(isRevoked())
      // It is told once.
      expectEqual(files.look(), [])
    }
    unlink(folder.revoked)
    expect(alarm(files.look())?.contains("cannot be read") == true)
    expect(isRevoked())
    try folder.write("# none\n", folder.revoked)
    expectEqual(files.look(), [.notice("The list of revoked passes (\(folder.revoked)) was read anew.")])
    expect(!isRevoked())
    try folder.write("key venue QUJD\n", folder.keys)
    expect(alarm(files.look())?.hasPrefix("The list of keys cannot be used") == true)
    expect(files.content.keys == PassKeys([try #require(VerifyingKey(text: Self.key))]))
  }
}
