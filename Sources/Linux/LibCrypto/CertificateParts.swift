internal import COpenSSL

/// What certificates of every kind are made of.
enum CertificateParts {
  /// Whether a name can stand in an extension's text: what could mean something there is none.
  static func isPlain(_ name: String) -> Bool {
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

  static func isAddress(_ name: String) -> Bool {
    name.contains(":") || name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }

  /// 127 random bits: two certificates of one name are told apart.
  static func setSerial(of certificate: OpaquePointer) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    bytes.withUnsafeMutableBytes { fillWithRandom($0) }
    bytes[0] = bytes[0] & 0x7F | 0x40
    guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
    defer { BN_free(number) }
    return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
  }

  /// What is written into memory; `nil` where it cannot be.
  static func written(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let memory = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
    let count = BIO_read(memory, &bytes, Int32(bytes.count))
    return count == bytes.count && count > 0 ? bytes : nil
  }

  /// A key of an elliptic curve.
  struct KeyPair: ~Copyable {
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

extension CertificateParts {
  /// A certificate of version 3 that holds so long, without names, extensions and signature; `nil` where libcrypto has no memory.
  struct Draft: ~Copyable {
    let certificate: OpaquePointer

    init?(_ pair: borrowing KeyPair, holds span: Range<Int64>) {
      guard let made = X509_new_ex(Library.shared.context, nil) else { return nil }
      guard X509_set_version(made, 2) == 1, setSerial(of: made),
        ASN1_TIME_set(X509_getm_notBefore(made), time_t(span.lowerBound)) != nil,
        ASN1_TIME_set(X509_getm_notAfter(made), time_t(span.upperBound)) != nil,
        X509_set_pubkey(made, pair.key) == 1
      else {
        X509_free(made)
        return nil
      }
      certificate = made
    }

    deinit { X509_free(certificate) }

    /// Names whom it is of. Who looks for a host looks among the alternative names.
    func names(_ subject: String) -> Bool {
      // A common name has 64 characters at most.
      let bytes = [UInt8](subject.utf8.prefix(64))
      guard let name = X509_get_subject_name(certificate) else { return false }
      return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
    }

    /// Adds extensions, as openssl's own configuration writes them.
    func extends(_ extensions: [(Int32, String)]) -> Bool {
      extensions.allSatisfy { copenssl_add_extension(certificate, $0.0, $0.1) == 1 }
    }

    /// Names the key that its issuer's certificate has, by which whoever verifies tells issuers of one name apart.
    func isIssued(by issuer: OpaquePointer) -> Bool {
      guard let name = X509_get0_subject_key_id(issuer), let identifier = AUTHORITY_KEYID_new() else { return false }
      defer { AUTHORITY_KEYID_free(identifier) }
      identifier.pointee.keyid = ASN1_OCTET_STRING_dup(name)
      return identifier.pointee.keyid != nil
        && X509_add1_ext_i2d(certificate, NID_authority_key_identifier, identifier, 0, 0) == 1
    }

    /// Has it signed.
    /// - Parameters:
    ///   - issuer: the certificate of whoever signs.
    ///   - key: the key of that.
    /// - Returns: the certificate in PEM; `nil` where libcrypto has no memory.
    func signed(as issuer: OpaquePointer, by key: borrowing KeyPair) -> [UInt8]? {
      guard X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1,
        X509_sign(certificate, key.key, EVP_sha256()) > 0
      else { return nil }
      return written { PEM_write_bio_X509($0, certificate) }
    }
  }

  /// The names of a server's certificate as an extension has them.
  static func alternatives(_ names: [String]) -> String {
    names.map { (isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
  }
}

extension CertificateParts.KeyPair {
  /// The key in PEM (PKCS #8, without a passphrase); `nil` where libcrypto has no memory.
  var pem: [UInt8]? { CertificateParts.written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) } }
}
