import CodeSigning
import Expectations
import Foundation
import LibCrypto
import Reading
import ScanModel
import ScanTesting
import Testing

@testable import Subscriptions

@Suite struct SignedPassTests {
  private static let from = WallTime(seconds: 1_763_800_020)
  private static let until = WallTime(seconds: 1_795_336_020)

  private func pass(
    _ id: String = exampleID, serial: [UInt8] = [UInt8](0..<8), by key: PassKey = passKey
  ) throws -> String {
    try SignedPass.text(
      #require(SubscriptionID(id)), notBefore: Self.from, ends: Self.until, serial: serial, by: key)
  }

  /// A whole pass, built here by hand from the documented bytes.
  @Test func isWrittenAsDocumented() throws {
    let text = try pass()
    let publicBytes = try #require(passKey.publicKey).bytes
    var bytes: [UInt8] = [1]
    bytes += SHA256.hash(data: publicBytes).prefix(4)
    bytes += [0x01, 0xC0, 0x8E, 0xBB, 0x01, 0xC8, 0x93, 0xDB]
    bytes += [UInt8](0..<8) + [UInt8](exampleID.utf8)
    let decoded = try #require(Base32.bytes(text.utf8.dropFirst(10)))
    expect(text.hasPrefix("SCANPASS1:") && decoded.dropLast(64) == bytes[...], "\(decoded)")
    let verifier = try #require(Ed25519.PublicKey(rawRepresentation: publicBytes))
    expect(verifier.isValidSignature([UInt8](decoded.suffix(64)), for: [UInt8]("scangate pass 1\0".utf8) + bytes))
    let longest = try pass("12345678901234567890")
    expect(longest.utf8.count <= 300, "\(longest.utf8.count) characters")
  }

  /// The pass of docs/memberships.md: it must stay readable for ever.
  @Test func theExampleOfTheDocumentationIsRead() throws {
    let text = try pass()
    expect(
      try String(contentsOf: repositoryFile("docs/memberships.md"), encoding: .utf8).contains("\n\(text)\n"), "\(text)")
    let read = try #require(SignedPass(Code(text)))
    expectEqual(read.id.text, exampleID)
    expect(read.notBefore == Self.from && read.ends == Self.until && read.serial == [UInt8](0..<8))
    expect(try read.isSigned(by: #require(passKey.publicKey)))
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 8, release: 64)))) func comesBackAsItWas(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let key = PassKey.make()
    let publicKey = try #require(key.publicKey)
    for _ in 0..<40 {
      let digits = String(
        (0..<Int.random(in: 8...20, using: &random)).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
      let id = try #require(SubscriptionID(digits))
      let minutes = [Int64.random(in: 0...99_999_999, using: &random), .random(in: 0...99_999_999, using: &random)]
      let first = WallTime(seconds: 60 * (minutes.min() ?? 0))
      let last = WallTime(seconds: 60 * (minutes.max() ?? 0) + 60)
      let serial = (0..<8).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let text = try SignedPass.text(id, notBefore: first, ends: last, serial: serial, by: key)
      let read = try #require(SignedPass(Code(text)), "seed \(seed)")
      expect(
        read.id == id && read.notBefore == first && read.ends == last && read.serial == serial
          && read.isSigned(by: publicKey) && read.keyID == publicKey.id, "seed \(seed)")
      // A scanner's caps lock spoils nothing, and there is no other spelling.
      let small = Code(text.lowercased())
      expectEqual(SignedPass.ownForm(of: small), Code(text), "seed \(seed)")
      expectEqual(SignedPass(SignedPass.ownForm(of: small)), read, "seed \(seed)")
      expectEqual(SignedPass.ownForm(of: Code(text)), Code(text))
    }
  }

  /// Each bit of what is signed and of the signature, and each of the text.
  @Test func eachChangedBitIsNotGenuine() throws {
    let reader = PassReader(codes: .signed, files: try passFiles())
    let now = Self.from + .seconds(60)
    let text = try pass()
    expectEqual(reader.examine(Code(text), at: now), .proceed(TicketKey([UInt8](exampleID.utf8))))
    let bytes = try #require(Base32.bytes(text.utf8.dropFirst(10)))
    for bit in 0..<(8 * bytes.count) {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let forged = Code("SCANPASS1:" + Base32.text(changed))
      expectEqual(reader.examine(forged, at: now), .refuse(.notGenuine), "bit \(bit)")
    }
    let letters = [UInt8](text.utf8)
    for bit in 0..<(8 * letters.count) {
      var changed = letters
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      // The sixth bit of a letter is its case.
      let isCase = bit % 8 == 5 && (letters[bit / 8] & ~0x20).isCapital
      let code = SignedPass.ownForm(of: Code(bytes: changed))
      if isCase {
        expectEqual(code, Code(text), "bit \(bit)")
      } else {
        expectEqual(reader.examine(code, at: now), .refuse(.notGenuine), "bit \(bit)")
      }
    }
    for length in 0..<text.count {
      expectEqual(reader.examine(Code(String(text.prefix(length))), at: now), .refuse(.notGenuine), "\(length)")
    }
    for more in ["A", "AA", "AAAAAAAA", "=", " ", "\u{1D}"] {
      expectEqual(reader.examine(Code(text + more), at: now), .refuse(.notGenuine), "\(more)")
    }
  }

  @Test func aPassIsJudgedWithoutARequest() throws {
    let text = try pass()
    let key = TicketKey([UInt8](exampleID.utf8))
    func examine(
      _ code: String, _ codes: PassCodes = .signed, revoked: String? = nil, at now: WallTime? = Self.from
    ) throws -> Examination {
      try PassReader(codes: codes, files: passFiles(revoked: revoked)).examine(Code(code), at: now)
    }
    try expectEqual(examine(text), .proceed(key))
    try expectEqual(examine(pass(by: .make())), .refuse(.notGenuine), "a key that nobody knows")
    try expectEqual(examine(text, at: Self.from - .seconds(1)), .refuse(.tooEarly))
    try expectEqual(examine(text, at: Self.until), .refuse(.expired))
    try expectEqual(examine(text, at: nil), .proceed(key), "a clock that nobody trusts judges nothing")
    try expectEqual(examine(text, revoked: "serial 0001020304050607\n"), .refuse(.cancelled))
    try expectEqual(examine(text, revoked: "serial 0001020304050608\n"), .proceed(key))
    try expectEqual(examine(text, revoked: "id \(exampleID) # lost\n"), .refuse(.cancelled))
    try expectEqual(examine(text, revoked: "id \(exampleID)\n", at: nil), .refuse(.cancelled))
    // Whatever form was shown, the ledger knows it by one key.
    try expectEqual(examine(exampleID), .refuse(.notGenuine))
    try expectEqual(examine(exampleID, .both), .proceed(key))
    try expectEqual(examine(exampleID, .ids), .proceed(key))
    try expectEqual(examine(text, .both), .proceed(key))
    try expectEqual(examine(text, .ids), .refuse(.notGenuine))
    try expectEqual(examine(exampleID, .ids, revoked: "id \(exampleID)\n"), .refuse(.cancelled))
    expectEqual(PassReader.listedCode(Code(text)), Code(exampleID))
    expectEqual(PassReader.listedCode(Code(exampleID)), Code(exampleID))
  }

  @Test(arguments: [
    "", "1", "1234567", "123456789012345678901", "1234567a", "../../1234567", "12345678/", "12345678.0", "١٢٣٤٥٦٧٨",
    "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", "SCANGATE1:AEASD7RR34A4BDV3", "SCANPASS1:", "SCANPASS1:AEAS", "SCANPASS2:AEAS",
    "ed25519.v1.abc",
  ]) func whatIsNoPassIsNotGenuine(code: String) throws {
    for codes in PassCodes.allCases {
      let reader = PassReader(codes: codes, files: try passFiles())
      expectEqual(reader.examine(Code(code), at: Self.from), .refuse(.notGenuine))
    }
    expectEqual(
      PassReader(codes: .both, files: try passFiles()).examine(Code(String(repeating: "1", count: 10_000)), at: nil),
      .refuse(.notGenuine))
  }

  @Test func aGateTakesPassesAndIdsAlone() throws {
    let accept = SubscriptionsSection.accept
    for code in [try pass(), try pass("12345678901234567890"), exampleID, "12345678", "SCANPASS1:AEAS"] {
      expect(accept.accepts(Code(code)), "\(code)")
    }
    for code in ["wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", "SCANGATE1:AEASD7RR34A4BDV3", "1234567", "4006381333931x"] {
      expect(!accept.accepts(Code(code)), "\(code)")
    }
  }

  @Test func whatFitsNoPassIsSaid() throws {
    let id = try #require(SubscriptionID(exampleID))
    for (first, last) in [(60, 60), (120, 60), (-60, 60), (0, 6_000_000_060)] as [(Int64, Int64)] {
      #expect(throws: SignedPass.Fault.self) {
        try SignedPass.text(id, notBefore: WallTime(seconds: first), ends: WallTime(seconds: last), by: passKey)
      }
    }
    expectEqual("\(id)", "…4062")
    expect(SignedPass.newSerial() != SignedPass.newSerial())
  }
}

extension UInt8 {
  fileprivate var isCapital: Bool { (0x41...0x5A).contains(self) }
}
