internal import NIOCore
internal import NIOPosix
internal import NIOSSL
package import ScanModel
internal import Calls
internal import Synchronization

/// The HTTP client as ticket systems need it: one server, a deadline over everything, no request sent twice, and for each
/// call exact knowledge of whether the server can have seen it.
///
/// No redirects, proxies or cookies, and compression only where it is wanted. Connections stay open between calls and are closed here before the
/// server would: a request on a connection that the server is just closing is a lost one.
package final class HTTPTransport: HTTPCalling {
  /// How the server is spoken to.
  package struct Settings: Sendable {
    /// Whose signature on the server's certificate is trusted.
    package enum Trust: Sendable, Equatable {
      /// The system's authorities.
      case system
      /// Only the authorities in this PEM file.
      case onlyFile(path: String)
    }

    /// Whose certificates are trusted.
    package var trust = Trust.system
    /// How long an unused connection is kept; many servers close theirs after 5 s.
    package var keepAlive = Duration.seconds(4)
    /// How long after sending an answer is still read, for the record.
    package var lateLimit = Duration.seconds(10)
    /// How long one connection may take to be made, TLS included; the deadline of a call ends it earlier.
    package var connectLimit = Duration.seconds(5)
    /// The largest body that is read, in bytes.
    package var mostBytes = 256 * 1_024
    /// Whether an answer may come packed (gzip, deflate). What comes out of it is held to `mostBytes`, too.
    package var decompresses = false
    /// How messages speak of the server.
    package var words = ServerWords()
    /// Whether only public addresses are connected to, each the very one that was judged: for servers that a stranger names.
    package var isPublicOnly = false
    /// Looks a name up, where addresses are judged; blocks.
    var lookUp: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = NameLookUp.addresses
    /// Judges one.
    var isPublic: @Sendable (SocketAddress) -> Bool = NameLookUp.isPublic

    /// The usual settings.
    package init() {}
  }

  /// Why the client cannot be set up, in words for the person who configured it.
  package struct SetupFault: Error, Equatable, CustomStringConvertible {
    /// What is wrong, with which file, and what to do.
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  /// The server.
  package let server: ServerAddress

  /// How messages speak of it.
  package var words: ServerWords { settings.words }

  /// When the server's certificate ends that it showed last; `nil` without TLS, and before the first handshake. From any thread.
  package var certificateEnds: WallTime? { certificate.at }

  private let settings: Settings
  private let time: any TimeSource
  private let connections: NIOLoopBoundBox<HTTPConnections>
  private let loop: any EventLoop
  private let certificate = CertificateEnd()

  /// How long what was learned of the certificate's dates is believed.
  private static let findingLife = Duration.seconds(30)
  private let finding = Mutex<(CertificateProbe.Finding, at: MonotonicTime)?>(nil)

  /// Sets the client up; connects nowhere.
  /// - Throws: `SetupFault` when the CA file cannot be used.
  package init(server: ServerAddress, settings: Settings = Settings(), time: any TimeSource = SystemTime())
    throws(SetupFault)
  {
    self.server = server
    self.settings = settings
    self.time = time
    // One event loop for the client and its connections: everything about one call happens in order.
    loop = MultiThreadedEventLoopGroup.singleton.next()
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if case .onlyFile(let path) = settings.trust {
      guard let authorities = try? NIOSSLCertificate.fromPEMFile(path), !authorities.isEmpty else {
        throw SetupFault(
          "The CA file \(path) cannot be read as PEM certificates. Check the path, its permissions and its format.")
      }
      tls.trustRoots = .certificates(authorities)
    }
    tls.applicationProtocols = ["http/1.1"]
    connections = .makeBoxSendingValue(
      HTTPConnections(server: server, settings: settings, tls: tls, certificate: certificate, on: loop),
      eventLoop: loop)
  }

  deinit { loop.execute { [connections] in connections.value.close() } }

  /// Closes all connections; calls on their way end as lost.
  package func close() async { try? await loop.submit { [connections] in connections.value.close() }.get() }

  /// Sends `call`; what may have been sent is never sent again. Connections that fail are retried with jitter inside the
  /// deadline.
  /// - Parameters:
  ///   - deadline: when this returns at the latest; covers DNS, connect, TLS, request and answer. The call's own limit can be
  ///     earlier.
  ///   - late: called exactly once if the result is `pending`, and never otherwise; on the network's thread: keep it short.
  package func send(
    _ call: HTTPCall, deadline: MonotonicTime, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    let deadline = call.limits.longest.map { min(deadline, time.now() + $0) } ?? deadline
    var random = SystemRandomNumberGenerator()
    var tries = 0
    var before: HTTPOutcome?
    while true {
      guard let outcome = await sendOnce(call, deadline: deadline, late: late) else {
        // A machine that stood still: that says nothing of the network, and what an earlier try found out stays true.
        return before
          ?? HTTPOutcome(.notSent(FaultWords.noTime(host: server.hostAndPort)), sentAt: nil, endedAt: time.now())
      }
      before = outcome
      tries += 1
      guard case .notSent(let fault) = outcome.result else { return outcome }
      // To look again is to connect again, by the name.
      if fault.reason == .tlsFault {
        return settings.isPublicOnly ? outcome : await explained(outcome, deadline: deadline)
      }
      guard fault.isTransient,
        let wait = RetryPolicy.connect.wait(afterTries: tries, at: time.now(), deadline: deadline, using: &random),
        (try? await Task.sleep(for: wait)) != nil
      else { return outcome }
    }
  }

  /// Tries once; `nil` where the deadline has passed before anything could be tried.
  private func sendOnce(
    _ call: HTTPCall, deadline: MonotonicTime, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome? {
    let remaining = deadline - time.now()
    guard remaining > .zero else { return nil }
    let end = NIODeadline.now() + TimeAmount(remaining)
    guard let request = HTTPRequest(call, to: server) else {
      let words = "The address of \(server.hostAndPort) cannot be used. \(settings.words.addressCure)"
      return HTTPOutcome(.notSent(TransportFault(.badAnswer, words)), sentAt: nil, endedAt: time.now())
    }
    let mostBytes = call.limits.mostBytes ?? settings.mostBytes
    var words = settings.words
    if let whenLost = call.whenLost { words.whenLost = whenLost }
    return await withCheckedContinuation { continuation in
      loop.execute { [self, words] in
        let exchange = Exchange(
          request, host: server.hostAndPort, words: words, mostBytes: mostBytes, time: time,
          report: { continuation.resume(returning: $0) }, late: late)
        let timers = loop.assumeIsolated()
        exchange.timer = timers.scheduleTask(deadline: end) { [self, weak exchange] in
          guard let exchange else { return }
          guard let sentAt = exchange.deadlineCame() else { return connections.value.abandon(exchange) }
          exchange.timer = timers.scheduleTask(in: TimeAmount(sentAt + settings.lateLimit - time.now())) {
            [connections, weak exchange] in
            if let exchange { connections.value.abandon(exchange) }
          }
        }
        connections.value.carry(exchange)
      }
    }
  }

  /// Tells a certificate whose dates do not fit from one that is not trusted.
  private func explained(_ outcome: HTTPOutcome, deadline: MonotonicTime) async -> HTTPOutcome {
    let wall = time.wall()
    guard case .contradicts(let notBefore, let notAfter)? = await certificateDates(wall: wall, deadline: deadline),
      // The clock may have been set since.
      wall < notBefore || notAfter < wall
    else { return outcome }
    let fault = TransportFault(
      .clockWrong,
      "This machine's clock says \(wall.iso8601Seconds), but the certificate of \(server.hostAndPort) is valid from "
        + "\(notBefore.iso8601Seconds) to \(notAfter.iso8601Seconds). Check this machine's clock first, then "
        + "the certificate.")
    return HTTPOutcome(.notSent(fault), sentAt: nil, endedAt: time.now())
  }

  /// Looks at the certificate's dates, once in a while: each look is a connection, and people scan again and again.
  private func certificateDates(wall: WallTime, deadline: MonotonicTime) async -> CertificateProbe.Finding? {
    let now = time.now()
    if let (known, at) = finding.withLock({ $0 }), now - at < Self.findingLife { return known }
    let limit = min(deadline - now, .seconds(2))
    guard limit > .zero,
      let found = await CertificateProbe.look(at: server, wall: wall, limit: TimeAmount(limit), on: loop)
    else { return nil }
    finding.withLock { $0 = (found, at: now) }
    return found
  }
}

extension TimeAmount { init(_ duration: Duration) { self = .nanoseconds(max(duration.saturatedNanoseconds, 0)) } }
