internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The length of a digest in bytes.
  package static let byteCount = 32

  /// The digest of `data`.
  package static func hash(data: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
      needed(
        data.withUnsafeBytes {
          EVP_Digest($0.baseAddress, $0.count, digest.baseAddress, nil, Library.shared.sha256, nil) == 1
        })
      count = byteCount
    }
  }
}
