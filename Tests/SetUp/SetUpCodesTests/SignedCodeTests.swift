import CodeSigning
import Expectations
import Foundation
import LibCrypto
import ScanModel
import ScanTesting
import SetUpCodes
import Testing

@Suite struct SignedCodeTests {
  /// The first test vector of RFC 8032, 7.1.
  static let key = try? OrganiserKey(
    file: [UInt8]("scangate-organiser-key-1 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n".utf8))
  static let publicKey = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
  static let until = WallTime(seconds: 1_763_800_020)

  @Test func anOrganisersKeyIsAFileAndALine() throws {
    let key = try #require(Self.key)
    expectEqual(key.publicKey?.text, Self.publicKey)
    expectEqual(key.fileText, "scangate-organiser-key-1 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n")
    expectEqual(
      "\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children.count)",
      "(organiser's key) (organiser's key) 0")
    let made = OrganiserKey.make()
    expect(made.fileText != OrganiserKey.make().fileText)
    try expectEqual(OrganiserKey(file: [UInt8](made.fileText.utf8)).publicKey, made.publicKey)
    for text in [
      "", "x", "scangate-organiser-key-1 ", "scangate-organiser-key-1 QUJD\n", made.fileText + made.fileText,
      " " + made.fileText,
    ] {
      #expect(throws: OrganiserKey.Fault.self) { try OrganiserKey(file: [UInt8](text.utf8)) }
    }
  }

  /// A whole code, built here by hand from the documented bytes.
  @Test func isWrittenAsDocumented() throws {
    let secret = try #require(EnrolmentSecret(bytes: [UInt8](0..<16)))
    let text = try SignedCode.text(
      .enrolment(gate: "north", secret: secret), at: NamedServer("venue.example:8443/v"), expires: Self.until,
      by: #require(Self.key))
    var bytes: [UInt8] = [1, 1]
    let publicBytes = try #require(OrganiserPublicKey(text: Self.publicKey)).bytes
    bytes += SHA256.hash(data: publicBytes).prefix(4)
    bytes += [0x01, 0xC0, 0x8E, 0xBB]
    bytes += [20] + [UInt8]("venue.example:8443/v".utf8)
    bytes += [5] + [UInt8]("north".utf8) + [UInt8](0..<16)
    let decoded = try #require(Base32.bytes(text.utf8.dropFirst(10)))
    expect(text.hasPrefix("SCANGATE1:") && decoded.dropLast(64) == bytes[...])
    let verifier = try #require(Ed25519.PublicKey(rawRepresentation: publicBytes))
    expect(
      verifier.isValidSignature([UInt8](decoded.suffix(64)), for: [UInt8]("scangate set-up code 1\0".utf8) + bytes))
  }

  /// The code of docs/set-up.md: it must stay readable for ever.
  @Test func theExampleOfTheDocumentationIsRead() throws {
    let text =
      "SCANGATE1:AEASD7RR34A4BDV3BV3GK3TVMUXGK6DBNVYGYZIFNZXXE5DIAAAQEAYEAUDAOCAJBIFQYDIOB5IYJJBFZQBG6G5FH54USJ6PRNZTVYBVDEOQL2WXDBWC7D6QYCAYSI5KMB4QU4GKWSA4TLD64OK66QIEJQ4XTKHYT3OPIJQZO4U2PMQO"
    let documentation = repositoryFile("docs/set-up.md")
    expect(try String(contentsOf: documentation, encoding: .utf8).contains("\n\(text)\n"))
    let code = try #require(SignedCode(Code(text)))
    expect(try code.server == NamedServer("venue.example") && code.expires == Self.until)
    let secret = try #require(EnrolmentSecret(bytes: [UInt8](0..<16)))
    expectEqual(code.content, .enrolment(gate: "north", secret: secret))
    expect(try code.isSigned(by: #require(OrganiserPublicKey(text: Self.publicKey))))
  }

  @Test func base32IsThatOfTheStandard() {
    for (bytes, text) in [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ] {
      expectEqual(Base32.text(bytes.utf8), text)
      expect(
        Base32.bytes(text.utf8) == [UInt8](bytes.utf8) && Base32.bytes(text.lowercased().utf8) == [UInt8](bytes.utf8))
    }
    for text in ["M", "MZX", "MZXW6Y", "MZ", "MZXR", "M1", "M8", "M0", "MY======", "M Y", "MÝ"] {
      expect(Base32.bytes(text.utf8) == nil, "\(text)")
    }
  }

  @Test(arguments: [UInt64](1...8)) func readsWhatIsWrittenAndNothingElse(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let key = OrganiserKey.make()
    let publicKey = try #require(key.publicKey)
    let reader = SetUpReader(trust: try TrustList.read("key k \(publicKey.text)", file: "t"), configured: nil)
    func name(_ range: ClosedRange<Int>, _ alphabet: String) -> String {
      String((0..<Int.random(in: range, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) })
    }
    for _ in 0..<20 {
      let server = try NamedServer(
        "h" + name(0...60, "abc09") + ".example"
          + (random.chance(50) ? ":\(Int.random(in: 1...65_535, using: &random))" : "")
          + (random.chance(30) ? "/" + name(1...60, "aZ-_~9") : ""))
      let expires = WallTime(seconds: 60 * Int64.random(in: 1...100_000_000, using: &random))
      let content: SignedCode.Content
      let expected: SetUpCode
      if random.chance(50) {
        let secret = EnrolmentSecret.random()
        let gate = "g" + name(0...62, "aB ~!\"") + "e"
        content = .enrolment(gate: gate, secret: secret)
        expected = .enrolment(EnrolmentCode(server: server, gate: gate, secret: secret, expires: expires))
      } else {
        let code = ActivationCode(
          code: "C" + name(3...31, "AB-90"), kioskID: random.chance(50) ? name(1...64, "aB-._:9") : nil)
        content = .activation(code)
        expected = .activation(code, at: server)
      }
      let text = try SignedCode.text(content, at: server, expires: expires, by: key)
      expect(text.utf8.count <= SignedCode.longest)
      expect(
        text.allSatisfy { "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".contains($0) },
        "it fits the alphanumeric mode")
      let wall = WallTime(seconds: expires.seconds - 1)
      expectEqual(reader.read(Code(text), at: wall, clockIsTrusted: true), .code(expected), "seed \(seed)")
      expectEqual(reader.read(Code(text.lowercased()), at: wall, clockIsTrusted: true), .code(expected), "seed \(seed)")

      // Any other byte, and any other length.
      var damaged = [UInt8](text.utf8)
      let place = damaged.indices.randomElement(using: &random) ?? 0
      let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
      let old = damaged[place]
      damaged[place] = alphabet.randomElement(using: &random) ?? 0
      if damaged[place] != old { expectRefused(reader, damaged, wall, seed) }
      expectRefused(reader, [UInt8](text.utf8.dropLast(Int.random(in: 1...20, using: &random))), wall, seed)
      expectRefused(reader, [UInt8]((text + "A").utf8), wall, seed)
      expectRefused(reader, [UInt8]((text + "AAAAAAAA").utf8), wall, seed)
    }
  }

  /// Every single bit of what is signed, and of its signature.
  @Test func noBitCanBeTurned() throws {
    let key = try #require(Self.key)
    let reader = SetUpReader(trust: try TrustList.read("key k \(Self.publicKey)", file: "t"), configured: nil)
    let text = try SignedCode.text(
      .enrolment(gate: "n", secret: .random()), at: NamedServer("v.example"), expires: Self.until, by: key)
    let bytes = try #require(Base32.bytes(text.utf8.dropFirst(10)))
    for bit in 0..<(bytes.count * 8) {
      var turned = bytes
      turned[bit / 8] ^= 1 << UInt8(bit % 8)
      expectRefused(
        reader, [UInt8]((SignedCode.prefix + Base32.text(turned)).utf8), Self.until - .seconds(1), UInt64(bit))
    }
  }

  private func expectRefused(_ reader: SetUpReader, _ bytes: [UInt8], _ wall: WallTime, _ seed: UInt64) {
    if case .code = reader.read(Code(bytes: bytes), at: wall, clockIsTrusted: false) {
      Issue.record("a damaged code is taken, seed \(seed)")
    }
  }

  @Test func whatDoesNotFitIsNotWritten() throws {
    let key = try #require(Self.key)
    let server = try NamedServer("v.example")
    let secret = EnrolmentSecret.random()
    for gate in ["", " n", "n ", "nörd", "a\tb", String(repeating: "n", count: 65)] {
      #expect(throws: SignedCode.Fault.self) {
        try SignedCode.text(.enrolment(gate: gate, secret: secret), at: server, expires: Self.until, by: key)
      }
    }
    for code in [
      ActivationCode(code: "abc"), ActivationCode(code: "----"), ActivationCode(code: "ABCD EF"),
      ActivationCode(code: "ABCD", kioskID: ""), ActivationCode(code: "ABCD", kioskID: "a b"),
    ] {
      #expect(throws: SignedCode.Fault.self) {
        try SignedCode.text(.activation(code), at: server, expires: Self.until, by: key)
      }
    }
    for expires in [WallTime(seconds: -1), WallTime(seconds: 59), WallTime(seconds: 6_000_000_060)] {
      #expect(throws: SignedCode.Fault.self) {
        try SignedCode.text(.activation(ActivationCode(code: "ABCD")), at: server, expires: expires, by: key)
      }
    }
  }

  @Test func aSecretShowsNothing() throws {
    let secret = try #require(EnrolmentSecret(text: " AAAQEAYEAUDAOCAJBIFQYDIOB4\n"))
    expect(secret.bytes == [UInt8](0..<16) && secret.text == "AAAQEAYEAUDAOCAJBIFQYDIOB4")
    expectEqual("\(secret) \(String(reflecting: secret))", "(enrolment secret) (enrolment secret)")
    expect(Mirror(reflecting: secret).children.isEmpty)
    expect(EnrolmentSecret.random() != EnrolmentSecret.random())
    for text in ["", "AAAQ", "AAAQEAYEAUDAOCAJBIFQYDIOB5", "AAAQEAYEAUDAOCAJBIFQYDIOB4AA"] {
      expect(EnrolmentSecret(text: text) == nil)
    }
  }
}
