internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import ScanModel
internal import Synchronization

/// When the certificate ends that a server has shown last, of those that were accepted.
final class CertificateEnd: Sendable {
  private let end = Mutex<WallTime?>(nil)

  /// `nil` before the first.
  var at: WallTime? { end.withLock { $0 } }

  func take(_ certificate: NIOSSLCertificate) {
    let until = WallTime(seconds: Int64(certificate.notValidAfter))
    end.withLock { $0 = until }
  }
}

/// The connections to one server. They are made when requests want them, and kept open a while. A request whose connection ends has
/// ended with it: nothing is sent twice.
///
/// Confined to its event loop.
final class HTTPConnections {
  /// The client was closed, here.
  struct Closed: Error {}
  /// The host has an address that is not public, and only public ones may be asked.
  struct NotPublic: Error {}

  /// What exchanges beyond this many wait for is a connection that is free again.
  private static let mostConnections = 32

  /// `TCP_USER_TIMEOUT` of tcp(7).
  private static let unacknowledged = ChannelOptions.tcpOption(.init(rawValue: 18))
  /// For how many milliseconds the kernel sends bytes again that nobody acknowledges. Left alone, it goes on for minutes after we
  /// have closed the connection: a scan that was given up, looked up and told anew would be counted a second time when the network
  /// is back. Less than `AttemptPolicy.lateGrace`, after which a request that was lost is taken never to arrive.
  private static let longestUnacknowledged = 20_000

  private let server: ServerAddress
  private let settings: HTTPTransport.Settings
  private let tls: TLSConfiguration
  private let loop: any EventLoop
  private let certificate: CertificateEnd

  /// Reading all authorities takes a while: once, and not on the loop.
  private var context: EventLoopFuture<NIOSSLContext>?
  private var open: [HTTPConnection] = []
  /// By the time since when they are idle.
  private var idle: [(connection: HTTPConnection, since: NIODeadline)] = []
  private var waiting: [Exchange] = []
  /// How many are being made.
  private var making = 0
  private var sweep: Scheduled<Void>?
  private var isClosed = false

  init(
    server: ServerAddress, settings: HTTPTransport.Settings, tls: TLSConfiguration, certificate: CertificateEnd,
    on loop: any EventLoop
  ) {
    self.certificate = certificate
    self.server = server
    self.settings = settings
    self.tls = tls
    self.loop = loop
  }

  // MARK: Exchanges

  /// Sends the exchange's request on a connection that is open, or on one that is made for it.
  func carry(_ exchange: Exchange) {
    guard !isClosed else { return exchange.fail(Closed()) }
    while let (connection, since) = idle.popLast() {
      guard connection.isIdle, NIODeadline.now() - since < keepAlive else {
        connection.end(Closed())
        continue
      }
      return connection.carry(exchange)
    }
    waiting.append(exchange)
    makeSome()
  }

  /// Ends what an exchange has: its place in the queue, or its connection, whose answer nobody wants any more.
  func abandon(_ exchange: Exchange) {
    waiting.removeAll { $0 === exchange }
    open.first { $0.carries(exchange) }?.end(Closed())
  }

  /// Closes all connections; what they carry is lost.
  func close() {
    isClosed = true
    sweep?.cancel()
    for exchange in waiting { exchange.fail(Closed()) }
    waiting = []
    for connection in open { connection.end(Closed()) }
  }

  // MARK: Connections

  /// Takes back a connection that has nothing to do.
  func release(_ connection: HTTPConnection) {
    guard !isClosed else { return connection.end(Closed()) }
    guard waiting.isEmpty else { return connection.carry(waiting.removeFirst()) }
    idle.append((connection, since: .now()))
    if sweep == nil { sweepLater(keepAlive) }
  }

  /// A connection has ended.
  func forget(_ connection: HTTPConnection) {
    open.removeAll { $0 === connection }
    idle.removeAll { $0.connection === connection }
    makeSome()
  }

  private var keepAlive: TimeAmount { TimeAmount(settings.keepAlive) }

  private func sweepLater(_ wait: TimeAmount) {
    sweep = loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in
      guard let self else { return }
      sweep = nil
      let now = NIODeadline.now()
      for (connection, since) in idle where now - since >= keepAlive { connection.end(Closed()) }
      if let oldest = idle.first(where: { now - $0.since < self.keepAlive }) {
        sweepLater(oldest.since + keepAlive - now)
      }
    }
  }

  private func makeSome() {
    while making < waiting.count, making + open.count < Self.mostConnections { make(for: waiting[making]) }
  }

  /// Makes a connection; what it is made for fails with it, unless another connection has carried that meanwhile.
  private func make(for exchange: Exchange) {
    making += 1
    let own = NIOLoopBound(self, eventLoop: loop)
    secured().flatMap { own.value.connect($0) }.assumeIsolated().whenComplete { [self] result in
      making -= 1
      switch result.flatMap({ channel in
        Result { try channel.pipeline.syncOperations.handler(type: HTTPConnection.self) }
      }) {
      case .success(let connection):
        // One that has ended already is forgotten by nobody.
        if connection.isIdle { open.append(connection) }
        release(connection)
      case .failure(let error):
        if let place = waiting.firstIndex(where: { $0 === exchange }) {
          waiting.remove(at: place)
          exchange.fail(error)
        }
        makeSome()
      }
    }
  }

  private func secured() -> EventLoopFuture<NIOSSLContext?> {
    guard server.isSecure else { return loop.makeSucceededFuture(nil) }
    if let context { return context.map { $0 } }
    let made = NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: loop) { [tls] in
      try NIOSSLContext(configuration: tls)
    }
    context = made
    made.assumeIsolated().whenFailure { [self] _ in context = nil }
    return made.map { $0 }
  }

  /// A channel whose connection can carry its first request.
  private func connect(_ context: NIOSSLContext?) -> EventLoopFuture<any Channel> {
    let end = NIODeadline.now() + TimeAmount(settings.connectLimit)
    let own = NIOLoopBound(self, eventLoop: loop)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(TimeAmount(settings.connectLimit))
      .channelOption(Self.unacknowledged, value: Self.longestUnacknowledged)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try own.value.equip(channel, context) }
      }
    let channel: EventLoopFuture<any Channel>
    if settings.isPublicOnly {
      channel = judgedAddress().assumeIsolated().flatMap { bootstrap.connect(to: $0) }.nonisolated()
    } else if var address = CertificateNames.address(server.host) {
      address.port = server.port
      channel = bootstrap.connect(to: address)
    } else {
      channel = bootstrap.connect(host: server.host, port: server.port)
    }
    return channel.flatMap { channel in own.value.agree(on: channel, until: end) }
  }

  /// The address to connect to, looked up once. One that is not public spoils all: whoever answers for the name has more in mind.
  private func judgedAddress() -> EventLoopFuture<SocketAddress> {
    NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: loop) { [server, settings] in
      let addresses = try settings.lookUp(server.host, server.port)
      guard let first = addresses.first, addresses.allSatisfy(settings.isPublic) else { throw NotPublic() }
      return first
    }
  }

  private func equip(_ channel: any Channel, _ context: NIOSSLContext?) throws {
    let pipeline = channel.pipeline.syncOperations
    if let context {
      let name = CertificateNames.address(server.host) == nil ? server.host : nil
      try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
    }
    let connection = HTTPConnection(self, isSecure: server.isSecure, on: loop)
    try pipeline.addHandlers([HTTPConnection.Guard(connection), HTTPRequestEncoder()])
    let decoder = HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)
    try pipeline.addHandlers([ByteToMessageHandler(decoder), NIOHTTPRequestHeadersValidator()])
    if settings.decompresses {
      // Packed, a megabyte of nothing is a kilobyte: what comes out of it is counted before it is kept.
      try pipeline.addHandler(NIOHTTPResponseDecompressor(limit: .size(max(settings.mostBytes, 0))))
    }
    try pipeline.addHandler(connection)
  }

  /// After TLS' handshake, before the first request: whose certificate it is.
  private func agree(on channel: any Channel, until end: NIODeadline) -> EventLoopFuture<any Channel> {
    do {
      let connection = try channel.pipeline.syncOperations.handler(type: HTTPConnection.self)
      let timer = loop.assumeIsolated().scheduleTask(deadline: end) {
        connection.end(ChannelError.connectTimeout(.zero))
      }
      return connection.ready.always { _ in timer.cancel() }.flatMap { [server, certificate] in
        server.isSecure
          ? CertificateNames.check(channel, for: server.host) { certificate.take($0) }
          : channel.eventLoop.makeSucceededVoidFuture()
      }.map { channel }
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }
}
