internal import COpenSSL

/// A certificate (RFC 5280) that its own key has signed: nobody vouches for it, so whoever connects compares its fingerprint once.
package struct SelfSignedCertificate: Sendable {
  /// The certificate in PEM.
  package let certificate: [UInt8]
  /// Its key in PEM (PKCS #8, without a passphrase): ECDSA on P-256.
  package let privateKey: [UInt8]

  /// Makes one for a server.
  /// - Parameters:
  ///   - names: names of hosts, of ASCII letters, digits, dots and hyphens; the first is the subject. IP addresses as they are written.
  ///   - key: the key in PEM that it is to have, as an earlier one had it; without it a new one is made.
  ///   - span: from when until when it holds, in seconds since 1970.
  /// - Returns: `nil` where a name cannot be one, the key is none, or libcrypto has no memory.
  package init?(for names: [String], key: [UInt8]? = nil, holds span: Range<Int64>) {
    guard let subject = names.first, names.allSatisfy(Self.isPlain), let pair = KeyPair(key),
      let made = X509_new_ex(Library.shared.context, nil)
    else { return nil }
    defer { X509_free(made) }
    guard X509_set_version(made, 2) == 1, Self.setSerial(of: made),
      ASN1_TIME_set(X509_getm_notBefore(made), time_t(span.lowerBound)) != nil,
      ASN1_TIME_set(X509_getm_notAfter(made), time_t(span.upperBound)) != nil,
      X509_set_pubkey(made, pair.key) == 1, Self.setNames(of: made, subject), Self.extend(made, names),
      X509_sign(made, pair.key, EVP_sha256()) > 0,
      let certificate = Self.written({ PEM_write_bio_X509($0, made) }),
      let privateKey = Self.written({ PEM_write_bio_PKCS8PrivateKey($0, pair.key, nil, nil, 0, nil, nil) })
    else { return nil }
    (self.certificate, self.privateKey) = (certificate, privateKey)
  }

  /// What could mean something in an extension's text is no name.
  private static func isPlain(_ name: String) -> Bool {
    (1...253).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }

  private static func isAddress(_ name: String) -> Bool {
    name.contains(":") || name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }

  /// 127 random bits: two certificates of one name are told apart.
  private static func setSerial(of certificate: OpaquePointer) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    bytes.withUnsafeMutableBytes { fillWithRandom($0) }
    bytes[0] = bytes[0] & 0x7F | 0x40
    guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
    defer { BN_free(number) }
    return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
  }

  private static func setNames(of certificate: OpaquePointer, _ subject: String) -> Bool {
    // A common name has 64 characters at most; who looks for the host looks among the alternative names.
    let bytes = [UInt8](subject.utf8.prefix(64))
    guard let name = X509_get_subject_name(certificate),
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
    else { return false }
    return X509_set_issuer_name(certificate, name) == 1
  }

  private static func extend(_ certificate: OpaquePointer, _ names: [String]) -> Bool {
    let alternatives = names.map { (isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
    // No key usage: without the right to sign certificates, which a server has not, BoringSSL does not see that it is signed by itself.
    return copenssl_add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") == 1
      && copenssl_add_extension(certificate, NID_ext_key_usage, "serverAuth") == 1
      && copenssl_add_extension(certificate, NID_subject_key_identifier, "hash") == 1
      && copenssl_add_extension(certificate, NID_subject_alt_name, alternatives) == 1
  }

  /// What is written into memory; `nil` where it cannot be.
  private static func written(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let memory = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
    let count = BIO_read(memory, &bytes, Int32(bytes.count))
    return count == bytes.count && count > 0 ? bytes : nil
  }

  /// A key of an elliptic curve.
  private struct KeyPair: ~Copyable {
    let key: OpaquePointer

    /// That of the text, or a new one where there is none.
    init?(_ pem: [UInt8]?) {
      guard let key = pem.map(Self.read) ?? Self.made() else { return nil }
      self.key = key
    }

    private static func made() -> OpaquePointer? {
      guard let context = EVP_PKEY_CTX_new_from_name(Library.shared.context, "EC", nil) else { return nil }
      defer { EVP_PKEY_CTX_free(context) }
      var made: OpaquePointer?
      guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
        EVP_PKEY_generate(context, &made) == 1
      else { return nil }
      return made
    }

    private static func read(_ pem: [UInt8]) -> OpaquePointer? {
      // The text is not copied: it is read where it lies.
      pem.withUnsafeBytes { bytes in
        guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer { BIO_free(memory) }
        // A passphrase is asked of nobody.
        return PEM_read_bio_PrivateKey_ex(memory, nil, { _, _, _, _ in -1 }, nil, Library.shared.context, nil)
      }
    }

    deinit { EVP_PKEY_free(key) }
  }
}
