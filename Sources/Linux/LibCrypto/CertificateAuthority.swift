internal import COpenSSL

/// An authority of our own (RFC 5280): what it has signed is believed by whoever has its certificate, and by nobody else.
///
/// Printing, reflecting and interpolating it show no part of its key.
package struct CertificateAuthority: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// What it has signed: a certificate, and the key that goes with it.
  package struct Issued: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The certificate in PEM.
    package let certificate: [UInt8]
    /// Its key in PEM (PKCS #8, without a passphrase): ECDSA on P-256.
    package let privateKey: [UInt8]

    package var description: String { "(certificate and key)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  }

  /// Its certificate in PEM.
  package let certificate: [UInt8]
  /// Its key in PEM (PKCS #8, without a passphrase): ECDSA on P-256.
  package let privateKey: [UInt8]

  /// Makes one.
  /// - Parameters:
  ///   - name: its subject, of at most 64 bytes; two authorities that are believed at one time have two names.
  ///   - span: from when until when it holds, in seconds since 1970.
  /// - Returns: `nil` where it has no name, or libcrypto no memory.
  package init?(named name: String, holds span: Range<Int64>) {
    guard (1...64).contains(name.utf8.count), let pair = CertificateParts.KeyPair(nil),
      let draft = CertificateParts.Draft(pair, holds: span), draft.names(name),
      draft.extends([
        // It signs servers, and no further authority.
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
      ]), let certificate = draft.signed(as: draft.certificate, by: pair), let privateKey = pair.pem
    else { return nil }
    (self.certificate, self.privateKey) = (certificate, privateKey)
  }

  /// Takes one that was made before.
  /// - Returns: `nil` where these are no certificate and the key that goes with it.
  package init?(certificate: [UInt8], privateKey: [UInt8]) {
    guard let issuer = Issuer(certificate), let pair = CertificateParts.KeyPair(privateKey), issuer.has(pair) else {
      return nil
    }
    (self.certificate, self.privateKey) = (certificate, privateKey)
  }

  /// Signs a certificate with a new key, for a host that is a server to some and a client to others.
  /// - Parameters:
  ///   - names: names of the host, of ASCII letters, digits, dots and hyphens; the first is the subject. IP addresses as they are written.
  ///   - span: from when until when it holds, in seconds since 1970.
  /// - Returns: `nil` where a name cannot be one, or libcrypto has no memory.
  package func issue(for names: [String], holds span: Range<Int64>) -> Issued? {
    guard let subject = names.first, names.allSatisfy(CertificateParts.isPlain), let issuer = Issuer(certificate),
      let own = CertificateParts.KeyPair(privateKey), let pair = CertificateParts.KeyPair(nil),
      let draft = CertificateParts.Draft(pair, holds: span), draft.names(subject),
      draft.extends([
        (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "serverAuth,clientAuth"), (NID_subject_key_identifier, "hash"),
        (NID_subject_alt_name, CertificateParts.alternatives(names)),
      ]), draft.isIssued(by: issuer.certificate), let signed = draft.signed(as: issuer.certificate, by: own),
      let privateKey = pair.pem
    else { return nil }
    return Issued(certificate: signed, privateKey: privateKey)
  }

  package var description: String { "(certificate authority)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// A certificate that was read.
  private struct Issuer: ~Copyable {
    let certificate: OpaquePointer

    init?(_ pem: [UInt8]) {
      let read = pem.withUnsafeBytes { bytes -> OpaquePointer? in
        guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer { BIO_free(memory) }
        var made = X509_new_ex(Library.shared.context, nil)
        // A passphrase is asked of nobody.
        if made != nil, PEM_read_bio_X509(memory, &made, { _, _, _, _ in -1 }, nil) != nil { return made }
        X509_free(made)
        return nil
      }
      guard let read else { return nil }
      certificate = read
    }

    deinit { X509_free(certificate) }

    func has(_ pair: borrowing CertificateParts.KeyPair) -> Bool {
      X509_check_private_key(certificate, pair.key) == 1
    }
  }
}
