import Expectations
import ScanTesting
import Testing

@testable import LibCrypto

@Suite struct Ed25519Tests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let seed, key, message, signature: String
  }

  /// RFC 8032, 7.1.
  static let vectors = [
    Vector(
      testDescription: "1", seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
      signature: """
        e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
        5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
        """),
    Vector(
      testDescription: "2", seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
      signature: """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
        085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
        """),
    Vector(
      testDescription: "3", seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
      signature: """
        6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
        18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
        """),
    Vector(
      testDescription: "SHA(abc)", seed: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
      key: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
      message: """
        ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
        2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
        """,
      signature: """
        dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589
        09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704
        """),
  ]

  @Test(arguments: vectors) func isThatOfTheStandard(_ vector: Vector) throws {
    let half = try #require(Ed25519.PrivateKey(rawRepresentation: hex(vector.seed)))
    let key = try #require(Ed25519.PublicKey(rawRepresentation: hex(vector.key)))
    expect(half.publicKey == key && half.rawRepresentation == hex(vector.seed))
    expectEqual(half.signature(for: hex(vector.message)), hex(vector.signature))
    expect(key.isValidSignature(hex(vector.signature), for: hex(vector.message)))
  }

  /// Made with swift-crypto 4.5: what it has signed, and signs again byte for byte.
  @Test func signsAsBefore() throws {
    let half = try #require(Ed25519.PrivateKey(rawRepresentation: [UInt8](0..<32)))
    let message = [UInt8]("scangate".utf8)
    expectEqual(
      half.publicKey?.rawRepresentation, hex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"))
    let signature = hex(
      """
      da9eeb934e99eb33e689b3cdd52bfcd2c1d39d1f5196620ce2a750021c91d768
      c0bd003d953c6feb790144f8306059106faa5c661d371e9a64f358e937eff506
      """)
    expectEqual(half.signature(for: message), signature)
  }

  @Test func noBitCanBeTurned() throws {
    let half = Ed25519.PrivateKey()
    let key = try #require(half.publicKey)
    let message = [UInt8]("message".utf8)
    let signature = try #require(half.signature(for: message))
    expect(key.isValidSignature(signature, for: message))
    for other in withOneBitTurned(signature) { expect(!key.isValidSignature(other, for: message)) }
    for other in withOneBitTurned(message) { expect(!key.isValidSignature(signature, for: other)) }
    for other in withOneBitTurned(key.rawRepresentation) {
      expectEqual(Ed25519.PublicKey(rawRepresentation: other)?.isValidSignature(signature, for: message), false)
    }
    expect(!key.isValidSignature(signature, for: []) && !key.isValidSignature(signature, for: message + [0]))
  }

  /// The group's order times any number added to the second half of a signature makes another that the formula takes; RFC
  /// 8032, 5.1.7 asks to refuse it, so that there is one signature only.
  @Test(arguments: vectors) func theOtherFormOfASignatureIsRefused(_ vector: Vector) throws {
    let key = try #require(Ed25519.PublicKey(rawRepresentation: hex(vector.key)))
    let order = [UInt8](hex("1000000000000000 0000000000000000 14def9dea2f79cd6 5812631a5cf5d3ed").reversed())
    var signature = hex(vector.signature)
    for _ in 0..<3 {
      var carry: UInt16 = 0
      for place in 0..<32 {
        let sum = UInt16(signature[32 + place]) + UInt16(order[place]) + carry
        signature[32 + place] = UInt8(truncatingIfNeeded: sum)
        carry = sum >> 8
      }
      expectEqual(carry, 0)
      expect(!key.isValidSignature(signature, for: hex(vector.message)))
    }
  }

  /// With a key of a small order the formula holds for every message, and such a signature needs no other half: these points are all of
  /// that kind whose first coordinate is written plainly (RFC 8032, 5.1.3).
  @Test(arguments: [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  ]) func aKeyOfASmallOrderVerifiesNothing(_ point: String) throws {
    let identity = [1] + [UInt8](repeating: 0, count: 31)
    let key = try #require(Ed25519.PublicKey(rawRepresentation: hex(point)))
    for number in 0..<64 {
      for first in [identity, hex(point)] {
        expect(!key.isValidSignature(first + [UInt8](repeating: 0, count: 32), for: [UInt8(number)]), "\(number)")
      }
    }
  }

  @Test func whatIsShorterOrLongerIsRefused() throws {
    for length in [0, 1, 31, 33, 57, 64] {
      expect(Ed25519.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: length)) == nil)
      expect(Ed25519.PublicKey(rawRepresentation: [UInt8](repeating: 1, count: length)) == nil)
    }
    let half = Ed25519.PrivateKey()
    let key = try #require(half.publicKey)
    let signature = try #require(half.signature(for: [1]))
    for length in 0..<signature.count { expect(!key.isValidSignature([UInt8](signature.prefix(length)), for: [1])) }
    expect(!key.isValidSignature(signature + [0], for: [1]) && !key.isValidSignature([0] + signature, for: [1]))
  }

  /// Half of all y are no point's; a key of one verifies nothing, and ends nothing.
  @Test(arguments: [UInt64](1...5)) func anyBytesAreAKeyThatVerifiesNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
    for _ in 0..<50 {
      let key = try #require(Ed25519.PublicKey(rawRepresentation: bytes(32)))
      expect(!key.isValidSignature(bytes(64), for: bytes(5)), "seed \(seed)")
    }
    let all = try #require(Ed25519.PublicKey(rawRepresentation: [UInt8](repeating: 0xFF, count: 32)))
    expect(!all.isValidSignature([UInt8](repeating: 0xFF, count: 64), for: []))
  }

  @Test func aNewKeyIsAnotherAndShowsNothing() {
    let half = Ed25519.PrivateKey()
    expect(half.rawRepresentation != Ed25519.PrivateKey().rawRepresentation && half.rawRepresentation.count == 32)
    expectEqual(
      "\(half) \(String(reflecting: half)) \(Mirror(reflecting: half).children.count)", "(private key) (private key) 0")
  }
}
