import NIOSSL

/// The files by which a venue proves who it is.
package struct VenueTLS: Sendable, Equatable {
  /// A certificate and those that lead to its authority, in PEM.
  package var certificate: String
  /// The certificate's private key, in PEM, without a passphrase.
  package var privateKey: String

  /// Names the two files. They are read when the venue starts to serve.
  package init(certificate: String, privateKey: String) {
    self.certificate = certificate
    self.privateKey = privateKey
  }

  /// The first host name that the certificate is for, by which alone stations believe it; `nil` where it has none that means the
  /// same on another machine.
  var hostName: String? {
    guard let leaf = try? NIOSSLCertificate.fromPEMFile(certificate).first else { return nil }
    for name in leaf._subjectAlternativeNames() where name.nameType == .dnsName {
      let text = String(decoding: name.contents, as: UTF8.self)
      let isNumber = text.split(separator: ".").last?.allSatisfy(\.isNumber) ?? true
      if !text.contains("*"), text != "localhost", !isNumber { return text }
    }
    return nil
  }

  /// Reads both.
  func configuration() throws(VenueError) -> TLSConfiguration {
    let chain: [NIOSSLCertificate]
    do {
      chain = try NIOSSLCertificate.fromPEMFile(certificate)
    } catch {
      throw .unusable("\(certificate) cannot be read as a certificate; name a file that you can read, in PEM")
    }
    let key: NIOSSLPrivateKey
    do {
      key = try NIOSSLPrivateKey(file: privateKey, format: .pem)
    } catch {
      throw .unusable(
        "\(privateKey) cannot be read as a private key; name a file that you can read, in PEM and without a passphrase")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    do {
      // Finds out now whether they belong together, and not at the first connection.
      _ = try NIOSSLContext(configuration: configuration)
    } catch {
      throw .unusable("\(certificate) and \(privateKey) do not belong together; name the key of this certificate")
    }
    return configuration
  }
}
