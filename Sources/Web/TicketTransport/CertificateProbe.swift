internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
package import ScanModel
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
    await shown(by: server, limit: limit, on: loop) { chain in finding(chain, of: server.host, wall: wall) }
  }

  /// What `judge` makes of the chain that a server shows.
  /// - Returns: `nil` if none was shown before `limit` had passed.
  fileprivate static func shown<Value: Sendable>(
    by server: ServerAddress, limit: TimeAmount, on loop: any EventLoop,
    _ judge: @escaping @Sendable ([NIOSSLCertificate]) -> Value
  ) async -> Value? { await shown(by: server.host, server.port, limit: limit, on: loop, judge) }

  /// - Parameter greets: whether the server says a line before TLS begins, as NATS does.
  fileprivate static func shown<Value: Sendable>(
    by host: String, _ port: Int, greets: Bool = false, limit: TimeAmount, on loop: any EventLoop,
    _ judge: @escaping @Sendable ([NIOSSLCertificate]) -> Value
  ) async -> Value? {
    let seen = loop.makePromise(of: Void.self)
    do {
      let context = try NIOSSLContext(configuration: .makeClientConfiguration())
      let name = CertificateNames.address(host) == nil ? host : nil
      let found = Found<Value>()
      let bootstrap = ClientBootstrap(group: loop)
        .connectTimeout(limit)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: name) { chain, verdict in
              let value = judge(chain)
              found.value.withLock { $0 = value }
              // A server that greets has nothing to hear after that, and would log each look as a fault: it is left once TLS stands.
              verdict.succeed(greets ? NIOSSLVerificationResult.certificateVerified : .failed)
              if !greets { seen.succeed(()) }
            }
            try channel.pipeline.syncOperations.addHandler(greets ? Greeting(handler) { seen.succeed(()) } : handler)
          }
        }
      let timer = loop.scheduleTask(in: limit) { seen.succeed(()) }
      let channel = try await bootstrap.connect(host: host, port: port).get()
      channel.closeFuture.whenComplete { _ in seen.succeed(()) }
      try await seen.futureResult.get()
      timer.cancel()
      channel.close(promise: nil)
      return found.value.withLock { $0 }
    } catch {
      seen.succeed(())
      return nil
    }
  }

  /// Takes the line that comes before TLS, then makes room for it.
  private final class Greeting: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// The longest line in bytes.
    private static let longest = 65_536

    private let next: NIOSSLClientHandler
    private let done: @Sendable () -> Void
    private var count = 0

    /// - Parameter done: called once TLS stands.
    init(_ next: NIOSSLClientHandler, done: @escaping @Sendable () -> Void) { (self.next, self.done) = (next, done) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      count += bytes.readableBytes
      guard count <= Self.longest else { return context.close(promise: nil) }
      guard bytes.readableBytesView.last == UInt8(ascii: "\n") else { return }
      let pipeline = context.pipeline.syncOperations
      do { try pipeline.addHandlers(next, Handshaken(done)) } catch { return context.close(promise: nil) }
      pipeline.removeHandler(context: context, promise: nil)
    }
  }

  private final class Handshaken: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let done: @Sendable () -> Void

    init(_ done: @escaping @Sendable () -> Void) { self.done = done }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .handshakeCompleted? = event as? TLSUserEvent { done() }
      context.fireUserInboundEventTriggered(event)
    }
  }

  private final class Found<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private static func finding(_ chain: [NIOSSLCertificate], of host: String, wall: WallTime) -> Finding {
    guard let own = chain.first, CertificateNames.cover(own, host) else { return .fits }
    for certificate in chain {
      let from = WallTime(seconds: Int64(certificate.notValidBefore))
      let until = WallTime(seconds: Int64(certificate.notValidAfter))
      if wall < from || until < wall { return .contradicts(notBefore: from, notAfter: until) }
    }
    return .fits
  }
}

/// What the certificate of a server says, for whoever looks after a station: by a connection that refuses it and never sends a request.
/// Whether it is trusted is not asked.
package struct ShownCertificate: Sendable, Equatable {
  /// When the first of the server's certificates ends.
  package var ends: WallTime
  /// Whether it is made out for the host that was asked.
  package var isOfHost: Bool

  package init(ends: WallTime, isOfHost: Bool) {
    self.ends = ends
    self.isOfHost = isOfHost
  }

  /// Looks at the certificate of a server.
  /// - Returns: `nil` where it shows none within `limit`.
  package static func look(at server: ServerAddress, within limit: Duration) async -> ShownCertificate? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let found = await CertificateProbe.shown(by: server, limit: TimeAmount(limit), on: loop) { of($0, server.host) }
    return found ?? nil
  }

  /// Looks at the certificate of a server of NATS, which greets before TLS begins.
  /// - Returns: `nil` where it shows none within `limit`.
  package static func look(atNATS host: String, port: UInt16, within limit: Duration) async -> ShownCertificate? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let found = await CertificateProbe.shown(by: host, Int(port), greets: true, limit: TimeAmount(limit), on: loop) {
      of($0, host)
    }
    return found ?? nil
  }

  private static func of(_ chain: [NIOSSLCertificate], _ host: String) -> ShownCertificate? {
    guard let own = chain.first, let ends = chain.map({ Int64($0.notValidAfter) }).min() else { return nil }
    return ShownCertificate(ends: WallTime(seconds: ends), isOfHost: CertificateNames.cover(own, host))
  }
}
