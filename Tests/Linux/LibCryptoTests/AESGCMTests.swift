import Expectations
import ScanTesting
import Testing

@testable import LibCrypto

@Suite struct AESGCMTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key, nonce, plain, binding, text, tag: String
  }

  private static let longKey = "feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308"
  private static let longPlain = """
    d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72
    1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39
    """
  private static let longText = """
    522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa
    8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662
    """

  /// Cases 13 to 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega), which are those with keys of 256 bits.
  static let vectors = [
    Vector(
      testDescription: "case 13", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      plain: "", binding: "", text: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      testDescription: "case 14", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      plain: String(repeating: "00", count: 16), binding: "", text: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      testDescription: "case 15", key: longKey, nonce: "cafebabefacedbaddecaf888", plain: longPlain + "1aafd255",
      binding: "", text: longText + "898015ad", tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
      testDescription: "case 16", key: longKey, nonce: "cafebabefacedbaddecaf888", plain: longPlain,
      binding: "feedfacedeadbeef feedfacedeadbeef abaddad2", text: longText, tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors) func isThatOfTheStandard(_ vector: Vector) {
    let key = SymmetricKey(data: hex(vector.key))
    let sealed = hex(vector.nonce) + hex(vector.text) + hex(vector.tag)
    expectEqual(
      AES.GCM.seal(hex(vector.plain), using: key, nonce: hex(vector.nonce), authenticating: hex(vector.binding)), sealed
    )
    expectEqual(AES.GCM.open(sealed, using: key, authenticating: hex(vector.binding)), hex(vector.plain))
  }

  /// Made with swift-crypto 4.5, by which values were sealed before this room was.
  @Test func opensWhatWasSealedBefore() {
    let key = SymmetricKey(data: hex("f48d2e596130fccf3697bc839c3a5e71c54c09557ecaa9292245f80d96ebafc6"))
    let sealed = hex(
      "f576fd84fb61a14afb8c7d4218ffef9a979d75d0836e4bcb750c5659ff49322a5adf9eeffc5c1b175ad26f3b")
    expectEqual(AES.GCM.open(sealed, using: key, authenticating: [1, 2]), [UInt8]("wk8wfyzjrbrdv5rx".utf8))
  }

  @Test(arguments: [0, 1, 15, 16, 17, 4_096, 100_000]) func whatIsSealedOpensAgain(length: Int) throws {
    let key = SymmetricKey(size: .bits256)
    let plain = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    for binding in [[], [7], [UInt8](repeating: 9, count: 1_000)] as [[UInt8]] {
      let sealed = try #require(AES.GCM.seal(plain, using: key, authenticating: binding))
      expectEqual(sealed.count, length + AES.GCM.overhead)
      expectEqual(AES.GCM.open(sealed, using: key, authenticating: binding), plain)
    }
  }

  @Test func aNonceIsNotUsedTwice() throws {
    let key = SymmetricKey(size: .bits256)
    let nonces = try (0..<1_000).map { _ in
      try #require(AES.GCM.seal([], using: key, authenticating: [])).prefix(AES.GCM.nonceLength)
    }
    expectEqual(Set(nonces).count, nonces.count)
    // Each of its bytes is random.
    for place in 0..<AES.GCM.nonceLength { expect(Set(nonces.map { $0[place] }).count > 200) }
  }

  @Test(arguments: [UInt64](1...10)) func noBitCanBeTurned(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
    let (key, plain, binding) = (bytes(32), bytes(Int(seed) * 7 % 40), bytes(Int(seed) % 4 + 1))
    let sealed = try #require(AES.GCM.seal(plain, using: SymmetricKey(data: key), authenticating: binding))
    expectEqual(AES.GCM.open(sealed, using: SymmetricKey(data: key), authenticating: binding), plain)
    for other in withOneBitTurned(sealed) {
      expect(AES.GCM.open(other, using: SymmetricKey(data: key), authenticating: binding) == nil, "seed \(seed)")
    }
    for other in withOneBitTurned(binding) {
      expect(AES.GCM.open(sealed, using: SymmetricKey(data: key), authenticating: other) == nil, "seed \(seed)")
    }
    for other in withOneBitTurned(key) {
      expect(AES.GCM.open(sealed, using: SymmetricKey(data: other), authenticating: binding) == nil, "seed \(seed)")
    }
  }

  @Test func whatIsShorterOrLongerIsRefused() throws {
    let key = SymmetricKey(size: .bits256)
    let sealed = try #require(AES.GCM.seal([1, 2, 3], using: key, authenticating: [4]))
    for length in 0..<sealed.count {
      expect(AES.GCM.open([UInt8](sealed.prefix(length)), using: key, authenticating: [4]) == nil)
    }
    expect(AES.GCM.open(sealed + [0], using: key, authenticating: [4]) == nil)
    expect(AES.GCM.open([0] + sealed, using: key, authenticating: [4]) == nil)
    expect(AES.GCM.open(sealed, using: key, authenticating: []) == nil)
    expect(AES.GCM.open(sealed, using: key, authenticating: [4, 0]) == nil)
  }

  /// Neither read beyond its end nor filled up to AES-256, nor taken as a key of AES-128.
  @Test(arguments: [0, 1, 16, 24, 31, 33, 64]) func aKeyOfAnotherLengthIsRefused(length: Int) throws {
    let other = SymmetricKey(data: [UInt8](repeating: 0, count: length))
    expect(AES.GCM.seal([1], using: other, authenticating: []) == nil)
    let key = SymmetricKey(data: [UInt8](repeating: 0, count: 32))
    let sealed = try #require(AES.GCM.seal([1], using: key, authenticating: []))
    expect(AES.GCM.open(sealed, using: other, authenticating: []) == nil)
    expectEqual(AES.GCM.open(sealed, using: key, authenticating: []), [1])
  }

  @Test(arguments: [0, 11, 13, 16]) func aNonceOfAnotherLengthIsRefused(length: Int) {
    let nonce = [UInt8](repeating: 0, count: length)
    expect(AES.GCM.seal([1], using: SymmetricKey(size: .bits256), nonce: nonce, authenticating: []) == nil)
  }
}
