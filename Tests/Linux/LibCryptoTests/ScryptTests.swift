import Expectations
import Testing

@testable import LibCrypto

@Suite struct ScryptTests {
  /// RFC 7914, section 12.
  @Test func theStandardsExamplesHold() throws {
    let examples: [(password: String, salt: String, cost: (Int, Int, Int), key: String)] = [
      (
        "password", "NaCl", (10, 8, 16),
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
      ),
      (
        "pleaseletmein", "SodiumChloride", (14, 8, 1),
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
      ),
    ]
    for example in examples {
      let (logN, r, p) = example.cost
      let cost = try #require(Scrypt.Cost(logN: logN, blockSize: r, parallelism: p))
      let key = Scrypt.key(of: [UInt8](example.password.utf8), salt: [UInt8](example.salt.utf8), cost: cost, count: 64)
      expectEqual(key, hex(example.key))
    }
  }

  @Test func anEmptyPasswordHasAKey() throws {
    let cost = try #require(Scrypt.Cost(logN: 4, blockSize: 1, parallelism: 1))
    expectEqual(Scrypt.key(of: [], salt: [], cost: cost)?.count, 32)
  }

  @Test func costsHaveBounds() {
    expect(Scrypt.Cost(logN: 0, blockSize: 8, parallelism: 1) == nil)
    expect(Scrypt.Cost(logN: 14, blockSize: 0, parallelism: 1) == nil)
    expect(Scrypt.Cost(logN: 14, blockSize: 8, parallelism: 0) == nil)
    expect(Scrypt.Cost(logN: 20, blockSize: 32, parallelism: 1) == nil)
    expect(Scrypt.Cost(logN: .max, blockSize: .max, parallelism: .max) == nil)
    expectEqual(Scrypt.Cost(logN: 14, blockSize: 8, parallelism: 5)?.memory, 16 << 20)
  }
}
