import NIOSSL
import Synchronization

/// By what the console proves who it is: a certificate, and its key. What is renewed holds for connections that come after.
package final class ConsoleIdentity: Sendable {
  private struct Held {
    let context: NIOSSLContext
    let end: Int64
  }

  private let held: Mutex<Held>

  /// - Parameters:
  ///   - certificate: a certificate and those that lead to its authority, in PEM.
  ///   - key: its private key, in PEM, without a passphrase.
  ///   - names: what the two are called, for whoever has to mend them.
  package init(
    certificate: [UInt8], key: [UInt8], called names: (certificate: String, key: String)
  ) throws(ConsoleFault) {
    held = Mutex(try Self.read(certificate, key, names))
  }

  /// For the next connection.
  var context: NIOSSLContext { held.withLock { $0.context } }

  /// When the certificate ends, in seconds since 1970.
  package var end: Int64 { held.withLock { $0.end } }

  /// Takes another certificate and key from now on.
  package func renew(
    certificate: [UInt8], key: [UInt8], called names: (certificate: String, key: String)
  ) throws(ConsoleFault) {
    let new = try Self.read(certificate, key, names)
    held.withLock { $0 = new }
  }

  private static func read(
    _ certificate: [UInt8], _ key: [UInt8], _ names: (certificate: String, key: String)
  ) throws(ConsoleFault) -> Held {
    let chain: [NIOSSLCertificate]
    do {
      chain = try NIOSSLCertificate.fromPEMBytes(certificate)
    } catch {
      throw ConsoleFault("\(names.certificate) cannot be read as a certificate. Put one there in PEM.")
    }
    guard let leaf = chain.first else {
      throw ConsoleFault("\(names.certificate) holds no certificate. Put one there in PEM.")
    }
    let privateKey: NIOSSLPrivateKey
    do {
      privateKey = try NIOSSLPrivateKey(bytes: key, format: .pem)
    } catch {
      throw ConsoleFault("\(names.key) cannot be read as a private key. Put it there in PEM, without a passphrase.")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    // Of TLS 1.2 what is forward-secret and authenticated alone.
    configuration.cipherSuiteValues = [
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
      .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
    do {
      // Finds out now whether they belong together, and not at the first connection.
      return Held(context: try NIOSSLContext(configuration: configuration), end: Int64(leaf.notValidAfter))
    } catch {
      throw ConsoleFault(
        "\(names.certificate) and \(names.key) do not belong together. Put the key of this certificate there.")
    }
  }
}

/// Why the console cannot begin: what happened, and what to do. Holds no secret.
package struct ConsoleFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened.
  package let what: String
  /// What to do, where `what` does not say it.
  package let remedy: String

  package init(_ what: String, remedy: String = "") { (self.what, self.remedy) = (what, remedy) }

  package var description: String { remedy.isEmpty ? what : "\(what) \(remedy)" }
}
