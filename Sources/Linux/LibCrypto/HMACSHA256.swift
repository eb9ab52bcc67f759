internal import COpenSSL

/// HMAC-SHA-256 (RFC 2104) with one key. To make it takes longer than a code of a short message, so it is kept where there are
/// many.
package struct HMACSHA256: Sendable {
  /// The length of a code in bytes.
  package static let byteCount = 32

  private let start: Start

  /// Takes a key of any length.
  package init(key: SymmetricKey) { start = Start(key: key) }

  /// The code of `data`.
  package func authenticationCode(for data: [UInt8]) -> [UInt8] {
    var read = message()
    read.update(data: data)
    return read.finalize()
  }

  /// Whether `code` is the code of `data`. How long it takes tells nothing of where they differ.
  package func isValidAuthenticationCode(_ code: [UInt8], authenticating data: [UInt8]) -> Bool {
    areEqualInConstantTime(code, authenticationCode(for: data))
  }

  /// Begins a message that comes in pieces.
  package func message() -> Message { Message(start) }

  /// A message that is read piece by piece.
  package struct Message: ~Copyable {
    private let hmac: UnsafeMutablePointer<copenssl_hmac>

    fileprivate init(_ start: Start) { hmac = start.copy() }

    deinit { copenssl_hmac_free(hmac) }

    /// Reads on.
    package mutating func update(data: [UInt8]) { data.withUnsafeBytes { update(data: $0) } }

    /// Reads on.
    package mutating func update(data: UnsafeRawBufferPointer) {
      copenssl_hmac_update(hmac, data.baseAddress, data.count)
    }

    /// The code of all that was read.
    package consuming func finalize() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: HMACSHA256.byteCount) { code, count in
        finalize(into: UnsafeMutableRawBufferPointer(code))
        count = HMACSHA256.byteCount
      }
    }

    fileprivate borrowing func finalize(into code: UnsafeMutableRawBufferPointer) {
      needed(code.count >= HMACSHA256.byteCount)
      copenssl_hmac_final(hmac, needed(code.baseAddress?.assumingMemoryBound(to: UInt8.self)))
    }
  }

  /// A key made of the code of `data`.
  func key(for data: UnsafeRawBufferPointer) -> SymmetricKey {
    var read = message()
    read.update(data: data)
    return SymmetricKey(count: Self.byteCount) { read.finalize(into: $0) }
  }

  /// What every message with that key begins with.
  fileprivate final class Start: @unchecked Sendable {
    // Nothing is written to it once it is made.
    private let hmac: UnsafeMutablePointer<copenssl_hmac>

    init(key: SymmetricKey) { hmac = needed(key.withUnsafeBytes { copenssl_hmac_new($0.baseAddress, $0.count) }) }

    deinit { copenssl_hmac_free(hmac) }

    func copy() -> UnsafeMutablePointer<copenssl_hmac> { needed(copenssl_hmac_copy(hmac)) }
  }
}

/// Whether both are the same bytes. How long it takes tells nothing of where they differ; of their lengths it does.
package func areEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, right.count) == 0
}
