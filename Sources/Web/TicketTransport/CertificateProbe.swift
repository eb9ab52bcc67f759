internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ScanModel
internal import Synchronization

/// Finds out why a certificate was not trusted: the TLS library says only that it was not. A second connection looks at
/// the dates of the chain, refuses it, and never sends a request. The certificate of another host says nothing of our clock.
enum CertificateProbe {
  /// What the chain says.
  enum Finding: Sendable {
    /// No date contradicts the clock, or the certificate is another host's.
    case fits
    /// The dates of the first certificate that contradict the clock.
    case contradicts(notBefore: WallTime, notAfter: WallTime)
  }

  /// Compares the chain's dates with `wall`.
  /// - Returns: `nil` if nothing could be learned before `limit` had passed.
  static func look(
    at server: ServerAddress, wall: WallTime, limit: TimeAmount, on loop: any EventLoop
  ) async -> Finding? {
    let seen = loop.makePromise(of: Void.self)
    do {
      let context = try NIOSSLContext(configuration: .makeClientConfiguration())
      let name = CertificateNames.address(server.host) == nil ? server.host : nil
      let dates = Dates()
      let bootstrap = ClientBootstrap(group: loop)
        .connectTimeout(limit)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: name) { chain, verdict in
              dates.note(chain, of: server.host, wall: wall)
              verdict.succeed(NIOSSLVerificationResult.failed)
              seen.succeed(())
            }
            try channel.pipeline.syncOperations.addHandler(handler)
          }
        }
      let timer = loop.scheduleTask(in: limit) { seen.succeed(()) }
      let channel = try await bootstrap.connect(host: server.host, port: server.port).get()
      channel.closeFuture.whenComplete { _ in seen.succeed(()) }
      try await seen.futureResult.get()
      timer.cancel()
      channel.close(promise: nil)
      return dates.finding
    } catch {
      seen.succeed(())
      return nil
    }
  }

  private final class Dates: Sendable {
    private let value = Mutex<Finding?>(nil)

    var finding: Finding? { value.withLock { $0 } }

    func note(_ chain: [NIOSSLCertificate], of host: String, wall: WallTime) {
      guard let own = chain.first, CertificateNames.cover(own, host) else { return value.withLock { $0 = .fits } }
      for certificate in chain {
        let from = WallTime(seconds: Int64(certificate.notValidBefore))
        let until = WallTime(seconds: Int64(certificate.notValidAfter))
        guard wall < from || until < wall else { continue }
        value.withLock { $0 = .contradicts(notBefore: from, notAfter: until) }
        return
      }
      value.withLock { $0 = .fits }
    }
  }
}
