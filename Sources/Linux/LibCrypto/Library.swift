internal import COpenSSL

/// The algorithms that this room computes by, fetched once.
///
/// In a context of their own, for which no openssl.cnf is read: what the machine's owner sets there for other programs can
/// neither take one of them away nor put another in its place.
struct Library: @unchecked Sendable {
  // Each is made once, here, and only read afterwards; libcrypto counts references to them atomically.
  let context: OpaquePointer
  let sha256: OpaquePointer
  let aes256GCM: OpaquePointer

  static let shared = Library()

  private init() {
    // At the end of the process nothing is taken away below threads that still compute.
    let options = OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG
    needed(OPENSSL_init_crypto(UInt64(options), nil) == 1)
    context = needed(OSSL_LIB_CTX_new())
    sha256 = needed(EVP_MD_fetch(context, "SHA2-256", nil))
    aes256GCM = needed(EVP_CIPHER_fetch(context, "AES-256-GCM", nil))
  }
}

/// What libcrypto refuses to no input, only where there is no memory. The process ends then, as it does where Swift's own
/// arrays get none: a digest that is none would make one ticket of two.
func needed<Pointer>(_ made: Pointer?) -> Pointer {
  guard let made else { preconditionFailure("libcrypto has no memory") }
  return made
}

func needed(_ done: Bool) { guard done else { preconditionFailure("libcrypto has no memory") } }

extension UnsafeRawBufferPointer {
  /// For functions that take bytes as such.
  var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
