internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import ScanModel

/// What the errors of the network libraries mean, in words that lead to a cure.
enum FaultWords {
  /// The deadline came while a connection was being made.
  static func noConnectionInTime(host: String) -> TransportFault {
    TransportFault(
      .unreachable, "No connection to \(host) in time. Check the network and whether the server is up.",
      isTransient: true, offline: .noConnection)
  }

  /// The deadline had passed before anything was tried.
  static func noTime(host: String) -> TransportFault {
    TransportFault(.unreachable, "There was no time left to ask \(host): this machine is too busy, or stood still.")
  }

  /// An error before any byte was handed over.
  static func beforeSending(_ error: any Error, host: String, words: ServerWords) -> TransportFault {
    if error is CertificateNames.WrongHost {
      return TransportFault(
        .tlsFault,
        "The certificate of \(host) is for another host. A name needs a certificate with that DNS name, an address one with that "
          + "IP address. \(words.addressCure) Then this machine's DNS, and the certificate.")
    }
    if isTLS(error) {
      return TransportFault(
        .tlsFault,
        "The certificate of \(host) is not trusted, is for another host, or TLS could not be agreed on. "
          + words.trustCure)
    }
    if error is HTTPConnections.NotPublic {
      return TransportFault(
        .badAnswer, "\(host) is no public address: it is not asked, for a document of another server names it.")
    }
    if error is NameLookUp.NoAddress { return unresolved(host) }
    // An address without a name to look up fails with the bare error of the system.
    if let tries = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? (error as? IOError).map({ [$0] }) {
      if tries.isEmpty { return unresolved(host) }
      return TransportFault(
        .unreachable,
        tries.contains { ($0 as? IOError)?.errnoCode == ECONNREFUSED }
          ? "\(host) refused the connection. Is the server running, and is the port right?"
          : "No connection to \(host). Check the network and whether the server is up.", isTransient: true,
        offline: .noConnection)
    }
    switch error {
    case ChannelError.connectTimeout: return noConnectionInTime(host: host)
    case is HTTPConnections.Closed:
      return TransportFault(.unreachable, "The connection to \(host) is being shut down here.")
    default: break
    }
    // What is not known to be the network is not taken for it: a gate may open offline.
    return TransportFault(
      .unreachable, "No connection to \(host) (\(kind(of: error))).", isTransient: true,
      offline: isOfNetwork(error) ? .noConnection : nil)
  }

  private static func unresolved(_ host: String) -> TransportFault {
    TransportFault(
      .unreachable, "The name in \(host) cannot be resolved. Check the name and this machine's DNS.",
      isTransient: true, offline: .noAddress)
  }

  /// Whether the connection below TLS and HTTP failed.
  private static func isOfNetwork(_ error: any Error) -> Bool {
    switch error as? NIOSSLError {
    case .handshakeFailed?, .uncleanShutdown?: true
    default: error is ChannelError
    }
  }

  /// An error after some byte may have been handed over.
  static func afterSending(
    _ error: any Error, host: String, words: ServerWords, sawHead: Bool
  ) -> TransportFault {
    if error is NIOHTTPDecompression.DecompressionError || error is NIOHTTPDecompression.ExtraDecompressionError {
      return TransportFault(
        .badAnswer,
        "\(host) sent a packed answer that cannot be unpacked, or is too large. Is this the \(words.role)'s address? \(words.addressCure)"
      )
    }
    let isBrokenOff =
      switch error as? HTTPParserError {
      case .invalidEOFState?, .closedConnection?: true
      default: false
      }
    if error is HTTPConnection.Disorder || (error is HTTPParserError && !isBrokenOff) {
      return TransportFault(
        .badAnswer,
        "\(host) answered something that is not HTTP. Is this the \(words.role)'s address? \(words.addressCure)")
    }
    let doubt = words.whenLost.isEmpty ? "" : "; \(words.whenLost)"
    return TransportFault(
      .unreachable,
      sawHead
        ? "\(host) broke off in the middle of its answer\(doubt)."
        : "\(host) took the request and gave no answer\(doubt).",
      offline: sawHead ? nil : .noConnection)
  }

  /// Whether TLS itself failed, rather than the connection below it.
  static func isTLS(_ error: any Error) -> Bool {
    if error is NIOSSLExtraError || error is BoringSSLError { return true }
    switch error as? NIOSSLError {
    case .handshakeFailed(let inner)?:
      // A connection that ends during the handshake is a network fault; only BoringSSL's own verdict is one of TLS.
      if case .sslError = inner { return true }
      return false
    case .noCertificateToValidate?, .unableToValidateCertificate?, .cannotFindPeerIP?: return true
    default: return false
    }
  }

  /// Only the error's type: its text may quote what was sent.
  private static func kind(of error: any Error) -> String { "\(type(of: error))" }
}
