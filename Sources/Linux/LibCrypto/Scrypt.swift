internal import COpenSSL

/// scrypt (RFC 7914): a key of a password, which takes as much memory and time to make as its cost says.
package enum Scrypt {
  /// What making a key costs.
  package struct Cost: Sendable, Hashable {
    /// N as a power of two, 1 to 20.
    package let logN: Int
    /// r, 1 to 32.
    package let blockSize: Int
    /// p, 1 to 32.
    package let parallelism: Int

    /// - Returns: `nil` for what is outside these ranges, or takes more than `mostMemory`.
    package init?(logN: Int, blockSize: Int, parallelism: Int) {
      guard (1...20).contains(logN), (1...32).contains(blockSize), (1...32).contains(parallelism),
        (128 * blockSize) << logN <= Self.mostMemory
      else { return nil }
      (self.logN, self.blockSize, self.parallelism) = (logN, blockSize, parallelism)
    }

    /// The most memory that a key may take, in bytes.
    package static let mostMemory = 1 << 25
    /// How much it takes, in bytes.
    package var memory: Int { (128 * blockSize) << logN }
  }

  /// The key of a password, of `count` bytes.
  /// - Returns: `nil` where there is no memory for it.
  package static func key(of password: [UInt8], salt: [UInt8], cost: Cost, count: Int = 32) -> [UInt8]? {
    // What it needs besides is small.
    let limit = UInt64(cost.memory + 128 * cost.blockSize * (cost.parallelism + 2) + (1 << 20))
    var made = false
    let key = [UInt8](unsafeUninitializedCapacity: count) { key, length in
      made =
        password.withUnsafeBufferPointer { password in
          password.withMemoryRebound(to: CChar.self) { password in
            EVP_PBE_scrypt_ex(
              password.baseAddress, password.count, salt, salt.count, 1 << UInt64(cost.logN), UInt64(cost.blockSize),
              UInt64(cost.parallelism), limit, key.baseAddress, count, Library.shared.context, nil)
          }
        } == 1
      length = made ? count : 0
    }
    // What it says of no memory is for nobody.
    if !made { ERR_clear_error() }
    return made ? key : nil
  }
}
