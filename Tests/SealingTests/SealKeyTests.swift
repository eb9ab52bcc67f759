import Crypto
import Foundation
import Sealing
import Testing

@Suite struct SealKeyTests {
  private let bytes = [UInt8](0..<32)

  private func key() throws -> SealKey { try #require(SealKey(bytes: bytes)) }

  @Test(arguments: [[], [UInt8](0..<31), [UInt8](0..<33)]) func anotherLengthIsNoKey(bytes: [UInt8]) {
    #expect(SealKey(bytes: bytes) == nil)
  }

  @Test(arguments: [[], [0], [UInt8]("wk8wfyzjrbrdv5rx".utf8), [UInt8](repeating: 7, count: 5_000)])
  func whatIsSealedOpensAgain(plain: [UInt8]) throws {
    let sealer = try key().sealer(for: .codes)
    let sealed = sealer.seal(plain, binding: [1, 2])
    #expect(sealed.count == plain.count + Sealer.overhead)
    #expect(sealer.open(sealed, binding: [1, 2]) == plain)
    #expect(sealer.seal(plain, binding: [1, 2]) != sealed)
  }

  @Test func nothingElseOpensIt() throws {
    let sealed = try key().sealer(for: .codes).seal([1, 2, 3], binding: [9])
    #expect(try key().sealer(for: .codes).open(sealed, binding: [8]) == nil)
    #expect(try key().sealer(for: .names).open(sealed, binding: [9]) == nil)
    #expect(SealKey.random().key.sealer(for: .codes).open(sealed, binding: [9]) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(try key().sealer(for: .codes).open(changed, binding: [9]) == nil)
      #expect(try key().sealer(for: .codes).open(sealed.prefix(index), binding: [9]) == nil)
    }
  }

  /// The derivation and the digest by another hand, so that a changed one, which would open no journal, is noticed.
  @Test func digestsAreHMACOfLengthsAndParts() throws {
    let derived = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), info: Data("scangate tickets 1".utf8), outputByteCount: 32)
    let message = [0, 0, 0, 0, 0, 0, 0, 2, 65, 66, 0, 0, 0, 0, 0, 0, 0, 1, 67] as [UInt8]
    let expected = [UInt8](HMAC<SHA256>.authenticationCode(for: message, using: derived).prefix(16))
    let digester = try key().digester(for: .tickets)
    #expect(digester.digest([65, 66], [67]) == expected)
    #expect(digester.digest([65], [66, 67]) != expected)
    #expect(SealKey.random().key.digester(for: .tickets).digest([65, 66], [67]) != expected)
  }

  @Test func aNewKeyIsAnother() {
    let (key, bytes) = SealKey.random()
    #expect(SealKey.random().bytes != bytes)
    let sealed = key.sealer(for: .ledger).seal([4], binding: [])
    #expect(SealKey(bytes: bytes)?.sealer(for: .ledger).open(sealed, binding: []) == [4])
  }
}
