import CodeSigning
import Expectations
import ScanTesting
import SetUpCodes
import Testing

@Suite struct TrustListTests {
  private static let key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
  private static let other = "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="

  @Test func isRead() throws {
    let text = """
      \u{FEFF}# Whom this station believes\r
      \r
      server Tickets.Example # ours\r
      \tSERVER  https://kiosk.example:8443/\r
      key organiser \(Self.key)\r
      key second \(Self.other.dropLast())
      """
    let list = try TrustList.read(text, file: "trust.txt")
    expectEqual(list.servers, ["tickets.example:443", "kiosk.example:8443"])
    expectEqual(list.keys.map(\.text), [Self.key, Self.other])
    expect(try list.names(NamedServer("tickets.example/any/path")))
    for other in ["tickets.example:444", "a.tickets.example", "example", "kiosk.example"] {
      expect(try !list.names(NamedServer(other)), "\(other)")
    }
  }

  @Test(arguments: ["", "\n", "\r\n\r\n", "# nothing\r\n", "\u{FEFF}", "  \t \u{0}", "#", "\r", "# M\u{FC}nchen"])
  func nothingTrustsNobody(text: String) throws {
    try expectEqual(TrustList.read(text, file: "trust.txt"), .none)
  }

  /// What editors of other systems write, in comments and at the ends of lines.
  @Test func oddBytesInCommentsAreBorne() throws {
    let bytes = [UInt8]("# M".utf8) + [0xFC] + [UInt8]("nchen\rserver a.example\rserver b.example".utf8)
    try expectEqual(TrustList.read(bytes, file: "trust.txt").servers, ["a.example:443", "b.example:443"])
  }

  @Test(arguments: [
    ("server", "trust.txt:1:7: a server is written as"),
    ("server a.example b.example", "trust.txt:1:18: a server is written as"),
    ("\n\nserver 10.0.0.1", "trust.txt:3:8: A server is named by its host name"),
    ("server http://a.example", "trust.txt:1:8: Servers are spoken to by https only"),
    ("server a.example/x", "trust.txt:1:8: a server is trusted by its name and port"),
    ("server *.example", "trust.txt:1:8: A host name has only letters"),
    ("server localhost", "trust.txt:1:8: This machine itself"),
    ("server a.example\nserver A.EXAMPLE:443", "trust.txt:2:8: a.example:443 is in line 1 already"),
    ("key", "trust.txt:1:4: a key is written as"),
    ("key organiser", "trust.txt:1:14: a key is written as"),
    ("key a \(key) b", "trust.txt:1:52: a key is written as"),
    ("key ü \(key)", "trust.txt:1:5: a key's name"),
    ("key a QUJD", "trust.txt:1:7: this is no public key"),
    ("key a \(key.replacing("o=", with: "p="))", "trust.txt:1:7: this is no public key"),
    ("key a AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "trust.txt:1:7: this is no public key"),
    ("key a AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=", "trust.txt:1:7: this is no public key"),
    ("key a \(key)\nkey b \(key)", "trust.txt:2:7: this key is in line 1 already"),
    ("key a \(key)\nkey a \(other)", "trust.txt:2:5: the name a is in line 1 already"),
    ("allow a.example", "trust.txt:1:1: a line begins with server, key or #"),
  ])
  func isRefusedWithItsPlace(text: String, message: String) {
    #expect { try TrustList.read(text, file: "trust.txt") } throws: {
      ($0 as? TrustFault)?.problems.count == 1 && "\($0)".hasPrefix(message)
    }
  }

  @Test func everythingIsToldAtOnce() {
    #expect { try TrustList.read("server 1\nserver a.example\nkey x\nx", file: "t") } throws: { fault in
      (fault as? TrustFault)?.problems.map { String($0.prefix(6)) } == ["t:1:8:", "t:3:6:", "t:4:1:"]
    }
  }

  @Test func theWrongFileIsRefused() {
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x23, 0], [0xFE, 0xFF, 0, 0x23], .init(repeating: 0x0A, count: 257),
      .init(repeating: 0x20, count: 65_537),
    ] {
      #expect(throws: TrustFault.self) { try TrustList.read(bytes, file: "t") }
    }
    #expect(throws: Never.self) { try TrustList.read([UInt8](repeating: 0x0A, count: 256), file: "t") }
  }

  @Test(arguments: [UInt64](1...10)) func noBytesTrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = [
      "server", "key", " ", "\n", "\r", "#", "a.example", "1", Self.key, "=", "\u{0}", "é", ":", "/", "\u{FEFF}",
    ]
    for _ in 0..<500 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        .joined()
      do {
        let list = try TrustList.read(text, file: "t")
        expect(list.servers.allSatisfy { (try? NamedServer($0))?.hostAndPort == $0 }, "seed \(seed)")
      } catch {
        expect(!error.problems.isEmpty && error.problems.allSatisfy { $0.hasPrefix("t:") }, "seed \(seed)")
      }
    }
  }
}
