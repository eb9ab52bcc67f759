internal import NIOCore
internal import NIOSSL

/// Whether a certificate is made out for the host that is spoken to: a name by its DNS names alone, an address by its IP addresses
/// alone (RFC 9525, 6).
///
/// The TLS library is more generous. It also takes the address to which a name was resolved, so that whoever answers for the DNS and has
/// any trusted certificate of an address would be every server; and it takes common names and parts of labels.
enum CertificateNames {
  /// The certificate is trusted, and another host's.
  struct WrongHost: Error {}

  /// Looks at the certificate of a connection after its handshake and before its first request.
  ///
  /// Where it fails, the connection is closed once the client knows that it never had it: it has none any more by then.
  /// - Parameter accepted: is given the certificate that is the host's.
  /// - Returns: fails with `WrongHost`, or with the connection's end.
  static func check(
    _ channel: any Channel, for host: String, accepted: (NIOSSLCertificate) -> Void
  ) -> EventLoopFuture<Void> {
    let loop = channel.eventLoop
    let fault: any Error
    if let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate() {
      if cover(certificate, host) {
        accepted(certificate)
        return loop.makeSucceededVoidFuture()
      }
      fault = WrongHost()
    } else {
      // A connection that has ended has no TLS any more; one that goes on without is nobody's.
      fault = channel.isActive ? WrongHost() : ChannelError.ioOnClosedChannel
    }
    loop.execute { channel.close(promise: nil) }
    return loop.makeFailedFuture(fault)
  }

  /// Whether `certificate` names `host`: a host name, or an address without brackets.
  static func cover(_ certificate: NIOSSLCertificate, _ host: String) -> Bool {
    let names = certificate._subjectAlternativeNames()
    guard let address = Self.address(host) else {
      let wanted = [UInt8](host.utf8)
      return names.contains { $0.nameType == .dnsName && matches([UInt8]($0.contents), wanted) }
    }
    return names.contains { name in
      guard name.nameType == .ipAddress else { return false }
      return (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: name.contents), port: 0)) == address
    }
  }

  /// `host` as an address; `nil` where it is a name. Read as the HTTP client reads it.
  static func address(_ host: String) -> SocketAddress? { try? SocketAddress(ipAddress: host, port: 0) }

  /// Whether a certificate's DNS name stands for a host name. Capital and small letters are the same; `*` stands for one whole
  /// label, the first.
  static func matches(_ pattern: [UInt8], _ host: [UInt8]) -> Bool {
    let (pattern, host) = (plain(pattern), plain(host))
    guard !host.isEmpty else { return false }
    guard pattern.first == UInt8(ascii: "*") else { return pattern == host }
    let rest = pattern.dropFirst()
    guard rest.count > 1, rest.first == UInt8(ascii: "."), let end = host.firstIndex(of: UInt8(ascii: ".")), end > 0
    else { return false }
    return rest.elementsEqual(host[end...])
  }

  /// In small letters, without the dot that may end a whole name.
  private static func plain(_ name: [UInt8]) -> [UInt8] {
    (name.last == UInt8(ascii: ".") ? name.dropLast() : name[...]).map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }
}
