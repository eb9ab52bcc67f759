import Expectations
import Testing

@testable import LibCrypto

@Suite struct DigestTests {
  /// The examples of FIPS 180 and of NIST's page of example values.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]) func sha256IsThatOfTheStandard(message: String, digest: String) {
    expectEqual(SHA256.hash(data: [UInt8](message.utf8)), hex(digest))
  }

  struct Code: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key, message: [UInt8]
    let code: String
  }

  /// RFC 4231, 4.2 to 4.8; of the fifth only the first half is told there.
  static let codes = [
    Code(
      testDescription: "1", key: [UInt8](repeating: 0x0b, count: 20), message: [UInt8]("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Code(
      testDescription: "2", key: [UInt8]("Jefe".utf8), message: [UInt8]("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Code(
      testDescription: "3", key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Code(
      testDescription: "4", key: [UInt8](1...25), message: [UInt8](repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Code(
      testDescription: "5", key: [UInt8](repeating: 0x0c, count: 20), message: [UInt8]("Test With Truncation".utf8),
      code: "a3b6167473100ee06e0c796c2955552b"),
    Code(
      testDescription: "6", key: [UInt8](repeating: 0xaa, count: 131),
      message: [UInt8]("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Code(
      testDescription: "7", key: [UInt8](repeating: 0xaa, count: 131),
      message: [UInt8](
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test(arguments: codes) func hmacIsThatOfTheStandard(_ vector: Code) {
    let hmac = HMACSHA256(key: SymmetricKey(data: vector.key))
    let code = hmac.authenticationCode(for: vector.message)
    expect(code.count == HMACSHA256.byteCount && code.starts(with: hex(vector.code)))
    expect(hmac.isValidAuthenticationCode(code, authenticating: vector.message))
    // Piece by piece, cut anywhere, and once more with the same key.
    for cut in vector.message.indices {
      var message = hmac.message()
      message.update(data: [UInt8](vector.message[..<cut]))
      message.update(data: [])
      vector.message[cut...].withUnsafeBytes { message.update(data: $0) }
      expectEqual(message.finalize(), code)
    }
  }

  /// A key and a message of no bytes are some, too; and two messages at once do not mix.
  @Test func hmacOfNothing() {
    let hmac = HMACSHA256(key: SymmetricKey(data: []))
    let empty = hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    expectEqual(hmac.authenticationCode(for: []), empty)
    var first = hmac.message()
    let second = hmac.message()
    first.update(data: [1])
    expectEqual(second.finalize(), empty)
    expectEqual(first.finalize(), hmac.authenticationCode(for: [1]))
  }

  @Test func noOtherCodeIsValid() {
    let key = [UInt8](0..<32)
    let message = [UInt8]("message".utf8)
    let hmac = HMACSHA256(key: SymmetricKey(data: key))
    let code = hmac.authenticationCode(for: message)
    for other in withOneBitTurned(code) { expect(!hmac.isValidAuthenticationCode(other, authenticating: message)) }
    for other in withOneBitTurned(message) { expect(!hmac.isValidAuthenticationCode(code, authenticating: other)) }
    for other in withOneBitTurned(key) {
      expect(!HMACSHA256(key: SymmetricKey(data: other)).isValidAuthenticationCode(code, authenticating: message))
    }
    for length in 0..<code.count {
      expect(!hmac.isValidAuthenticationCode([UInt8](code.prefix(length)), authenticating: message))
    }
    expect(!hmac.isValidAuthenticationCode(code + [0], authenticating: message))
    expect(!hmac.isValidAuthenticationCode(code + code, authenticating: message))
  }

  @Test func oneKeyIsUsedByManyAtOnce() async {
    let hmac = HMACSHA256(key: SymmetricKey(data: [UInt8](repeating: 0xaa, count: 20)))
    let message = [UInt8](repeating: 0xdd, count: 50)
    let code = hex("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    let right = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<5_000).count { _ in hmac.authenticationCode(for: message) == code } }
      }
      return await group.reduce(0, +)
    }
    expectEqual(right, 40_000)
  }

  /// Made with swift-crypto 4.5: a key of stations, and the code of a text, as there are from before this room was.
  @Test func isWhatWasMadeBefore() {
    let key = SymmetricKey(data: [UInt8](0..<32))
    let derived = HKDFSHA256.deriveKey(inputKeyMaterial: key, info: [UInt8]("scangate tickets 1".utf8))
    expectEqual(
      derived.withUnsafeBytes { [UInt8]($0) }, hex("021a65b48de5f40af2de99221b755bd4f5531d71a3701d69a1b90ecb7e4943f9"))
    expectEqual(
      HMACSHA256(key: key).authenticationCode(for: [UInt8]("enrolment".utf8)),
      hex("6e6e0cd17eaa53c119b7c5090190eeb4d22acbc12229ea0467276bb2a1feb942"))
  }

  /// RFC 5869, A.1 to A.3: the first 32 bytes of what is derived there, which do not depend on how many follow.
  @Test(arguments: [
    (
      "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
      "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
    ),
    (
      (0x00...0x4f).digits, (0x60...0xaf).digits, (0xb0...0xff).digits,
      "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
    ),
    (
      "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
      "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
    ),
  ]) func hkdfIsThatOfTheStandard(given: String, salt: String, info: String, even: String, derived: String) {
    let given = SymmetricKey(data: hex(given))
    expectEqual(HKDFSHA256.extract(inputKeyMaterial: given, salt: hex(salt)).withUnsafeBytes { [UInt8]($0) }, hex(even))
    let key = HKDFSHA256.deriveKey(inputKeyMaterial: given, salt: hex(salt), info: hex(info))
    expectEqual(key.withUnsafeBytes { [UInt8]($0) }, hex(derived))
    expectEqual(salt.isEmpty, (HKDFSHA256.deriveKey(inputKeyMaterial: given, info: hex(info)) == key))
  }
}

extension ClosedRange<Int> {
  fileprivate var digits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

private func == (one: SymmetricKey, other: SymmetricKey) -> Bool {
  one.withUnsafeBytes { [UInt8]($0) } == other.withUnsafeBytes { [UInt8]($0) }
}
