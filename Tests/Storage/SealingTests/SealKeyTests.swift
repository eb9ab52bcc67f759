import Expectations
import Sealing
import Testing

@Suite struct SealKeyTests {
  private let bytes = [UInt8](0..<32)

  private func key() throws -> SealKey { try #require(SealKey(bytes: bytes)) }

  @Test(arguments: [[], [UInt8](0..<31), [UInt8](0..<33)]) func anotherLengthIsNoKey(bytes: [UInt8]) {
    expect(SealKey(bytes: bytes) == nil)
  }

  @Test(arguments: [[], [0], [UInt8]("wk8wfyzjrbrdv5rx".utf8), [UInt8](repeating: 7, count: 5_000)])
  func whatIsSealedOpensAgain(plain: [UInt8]) throws {
    let sealer = try key().sealer(for: .codes)
    let sealed = sealer.seal(plain, binding: [1, 2])
    expectEqual(sealed.count, plain.count + Sealer.overhead)
    expectEqual(sealer.open(sealed, binding: [1, 2]), plain)
    expect(sealer.seal(plain, binding: [1, 2]) != sealed)
  }

  @Test func nothingElseOpensIt() throws {
    let sealed = try key().sealer(for: .codes).seal([1, 2, 3], binding: [9])
    expect(try key().sealer(for: .codes).open(sealed, binding: [8]) == nil)
    expect(try key().sealer(for: .names).open(sealed, binding: [9]) == nil)
    expect(SealKey.random().key.sealer(for: .codes).open(sealed, binding: [9]) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      expect(try key().sealer(for: .codes).open(changed, binding: [9]) == nil)
      expect(try key().sealer(for: .codes).open(sealed.prefix(index), binding: [9]) == nil)
    }
  }

  /// The derivation, the digest and the sealed form by another hand, swift-crypto 4.5, with which stations have sealed: a changed
  /// one, which would open no journal, is noticed.
  @Test(arguments: SealKey.Purpose.allCases) func isWhatStationsHave(_ purpose: SealKey.Purpose) throws {
    let (digest, sealed) = try #require(Self.made[purpose])
    let digester = try key().digester(for: purpose)
    expectEqual(digester.digest([65, 66], [67]), bytes(of: digest))
    expect(digester.digest([65], [66, 67]) != bytes(of: digest))
    expect(SealKey.random().key.digester(for: purpose).digest([65, 66], [67]) != bytes(of: digest))
    let sealer = try key().sealer(for: purpose)
    expectEqual(sealer.open(bytes(of: sealed), binding: [1, 2]), [UInt8]("wk8wfyzjrbrdv5rx".utf8))
    expect(sealer.open(bytes(of: sealed), binding: [1, 3]) == nil)
  }

  private static let made: [SealKey.Purpose: (digest: String, sealed: String)] = [
    .codes: (
      "7748233632e33c041147676d752a9c83",
      "f576fd84fb61a14afb8c7d4218ffef9a979d75d0836e4bcb750c5659ff49322a5adf9eeffc5c1b175ad26f3b"
    ),
    .names: (
      "088c57ebc8198d2403323f80a50cc4d7",
      "ecd27ba476111e979679684c6b0ecc2f99071b5e862deac7d19e9df063273883937b09d5f3ea9a02cc735570"
    ),
    .ledger: (
      "b962e0b9d53bfbfc8bd1acabf4d6790c",
      "68269a4f1e23c9d7cd3ac9d935c119b623f9ea2e7b2cb8027035643f2b89c228364f8b9bd5d5e2e7c45e95c9"
    ),
    .tickets: (
      "a3f885b0a381a266a78f6288c5296cc8",
      "48c9af4d7aa2891128810e97fcd93e19f29003f973089f60913c3bfff235a8aad83ec32905273d408908b3fd"
    ),
    .list: (
      "c9171247ff71a8cb71da38766bf609dc",
      "a58479e6caf8217b757107ae9f04f789e83888cbc58839b08989447af319c6976675d10e3507e00538a8f42d"
    ),
    .credentials: (
      "e534d41c471514e495eb432dc3c2d67c",
      "fe211f6b9f9861a274416a18375b8da101c78e7b6e4c253f4f93c2ea132c283eb3a76efaed41d5d2522431b5"
    ),
    .records: (
      "ac237bd519db384f4c1f52a5746dad20",
      "4b0b59439ab9c7fc2ec597f643bfa8e50756ebca79bb99fe404dad1235b9767e6f0dea85706b9a6950332fbb"
    ),
    .key: (
      "4d1b69ed15bedc062a3fde7ffd926f2e",
      "c3f53951c2953b83d412f86e035411bb00736f6d8c8a3d9f8f52110f9404e3e686e827b2b9e70de6e5454757"
    ),
  ]

  private func bytes(of digits: String) -> [UInt8] {
    let digits = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  @Test func aNewKeyIsAnother() {
    let (key, bytes) = SealKey.random()
    expect(SealKey.random().bytes != bytes)
    let sealed = key.sealer(for: .ledger).seal([4], binding: [])
    expectEqual(SealKey(bytes: bytes)?.sealer(for: .ledger).open(sealed, binding: []), [4])
  }
}
