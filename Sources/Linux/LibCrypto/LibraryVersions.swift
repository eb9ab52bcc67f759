internal import COpenSSL
internal import CSodium

/// The libraries that this process computes by, which are the machine's.
package enum LibraryVersions {
  /// OpenSSL's version, such as `3.0.17`.
  package static var openSSL: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
  /// libsodium's version, such as `1.0.18`.
  package static var sodium: String { String(cString: sodium_version_string()) }
}
