package import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A raw TCP or TLS server that does what a test says, byte by byte, and counts what reaches it.
package final class ScriptedServer: Sendable {
  /// One connection, for the script.
  package struct Connection: Sendable {
    package let channel: any Channel

    /// Sends bytes and keeps the connection.
    package func send(_ text: String) { send([UInt8](text.utf8)) }
    /// Sends bytes and keeps the connection.
    package func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
    /// Ends the connection in order.
    package func close() { channel.close(promise: nil) }

    /// Ends the connection below TLS, without TLS' own end; on the channel's thread.
    package func cut() {
      try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
    }
    /// Sends each byte alone, then calls `then`.
    package func trickle(_ text: String, then: @escaping @Sendable (Connection) -> Void = { _ in }) {
      let bytes = [UInt8](text.utf8)
      guard let first = bytes.first else { return then(self) }
      let rest = String(decoding: bytes.dropFirst(), as: UTF8.self)
      channel.writeAndFlush(ByteBuffer(bytes: [first])).whenComplete { _ in trickle(rest, then: then) }
    }
  }

  package typealias Script = @Sendable (_ number: Int, _ request: String, _ connection: Connection) -> Void

  private struct Seen {
    var requests: [String] = []
    var connections = 0
    var bytes = 0
    var reads = 0
  }

  private let seen = Mutex(Seen())
  private let channel: Mutex<(any Channel)?> = Mutex(nil)
  private let script: Script
  /// An element for each connection that ended.
  package let ended = AsyncStream<Void>.makeStream()

  /// - Parameter script: called for each whole request, with its number from 1.
  package init(_ script: @escaping Script) { self.script = script }

  /// Answers each request with the same bytes.
  package convenience init(answer: String) { self.init { _, _, connection in connection.send(answer) } }

  package var requests: [String] { seen.withLock { $0.requests } }
  package var connections: Int { seen.withLock { $0.connections } }
  /// All bytes that came after TLS.
  package var bytes: Int { seen.withLock { $0.bytes } }
  /// In how many pieces they came.
  package var reads: Int { seen.withLock { $0.reads } }

  /// Listens on a free port of 127.0.0.1; with `certificate` (PEM, of the test key) by TLS.
  package func start(certificate: String? = nil) async throws -> Int {
    var context: NIOSSLContext?
    if let certificate {
      let chain = try NIOSSLCertificate.fromPEMBytes([UInt8](certificate.utf8)).map {
        NIOSSLCertificateSource.certificate($0)
      }
      let key = try NIOSSLPrivateKey(bytes: [UInt8](TestCertificates.key.utf8), format: .pem)
      context = try NIOSSLContext(
        configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }
    let tls = context
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          self.seen.withLock { $0.connections += 1 }
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          try channel.pipeline.syncOperations.addHandler(Handler(server: self))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    channel.withLock { $0 = listener }
    return listener.localAddress?.port ?? 0
  }

  package func stop() async {
    let listener = channel.withLock { $0.take() }
    try? await listener?.close().get()
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let server: ScriptedServer
    private var received: [UInt8] = []

    init(server: ScriptedServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = unwrapInboundIn(data)
      received += buffer.readableBytesView
      server.seen.withLock {
        $0.bytes += buffer.readableBytes
        $0.reads += 1
      }
      while let request = nextRequest() {
        let number = server.seen.withLock {
          $0.requests.append(request)
          return $0.requests.count
        }
        server.script(number, request, Connection(channel: context.channel))
      }
    }

    func channelInactive(context: ChannelHandlerContext) { server.ended.continuation.yield() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func nextRequest() -> String? {
      let text = String(decoding: received, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { return nil }
      let head = text[..<end.upperBound]
      var length = 0
      for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
        length = Int(line.dropFirst(15).filter(\.isNumber)) ?? 0
      }
      let whole = head.utf8.count + length
      guard received.count >= whole else { return nil }
      let request = String(decoding: received.prefix(whole), as: UTF8.self)
      received.removeFirst(whole)
      return request
    }
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<String.Index>? {
    // Without Foundation: the first place where the bytes agree.
    let bytes = Array(utf8)
    let wanted = Array(part.utf8)
    guard bytes.count >= wanted.count else { return nil }
    for start in 0...(bytes.count - wanted.count) where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      let from = utf8.index(utf8.startIndex, offsetBy: start)
      return from..<utf8.index(from, offsetBy: wanted.count)
    }
    return nil
  }
}
