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
    guard let subject = names.first, names.allSatisfy(CertificateParts.isPlain),
      let pair = CertificateParts.KeyPair(key), let draft = CertificateParts.Draft(pair, holds: span),
      // No key usage: without the right to sign certificates, which a server has not, BoringSSL does not see that it is signed by itself.
      draft.names(subject),
      draft.extends([
        (NID_basic_constraints, "critical,CA:FALSE"), (NID_ext_key_usage, "serverAuth"),
        (NID_subject_key_identifier, "hash"), (NID_subject_alt_name, CertificateParts.alternatives(names)),
      ]), let certificate = draft.signed(as: draft.certificate, by: pair), let privateKey = pair.pem
    else { return nil }
    (self.certificate, self.privateKey) = (certificate, privateKey)
  }
}
