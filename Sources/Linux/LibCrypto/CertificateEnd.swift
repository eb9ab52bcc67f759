internal import COpenSSL
internal import Glibc

/// When certificates end. Whether they are believed is not asked.
package enum CertificateEnd {
  /// So many are read of one text.
  private static let most = 64

  /// When each certificate of a text in PEM ends, in seconds since 1970, in their order; what is none is left out.
  package static func all(in pem: [UInt8]) -> [Int64] {
    pem.withUnsafeBytes { bytes in
      guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return [] }
      defer { BIO_free(memory) }
      var ends: [Int64] = []
      while ends.count < most {
        var made = X509_new_ex(Library.shared.context, nil)
        defer { X509_free(made) }
        // A passphrase is asked of nobody.
        guard made != nil, PEM_read_bio_X509(memory, &made, { _, _, _, _ in -1 }, nil) != nil, let made else { break }
        var time = tm()
        if let end = X509_get0_notAfter(made), ASN1_TIME_to_tm(end, &time) == 1 { ends.append(Int64(timegm(&time))) }
      }
      return ends
    }
  }
}
