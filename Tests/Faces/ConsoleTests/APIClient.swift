import Expectations
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// A client that sends what a test wants, byte by byte, and keeps what comes.
final class APIClient: Sendable {
  /// An answer.
  struct Answer: Sendable {
    var status = 0
    /// By their names in lower case.
    var fields: [String: String] = [:]
    var body = ""

    /// The object that the body is.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:] }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let state: SharedState
    init(_ state: SharedState) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      state.state.withLock { state in
        state.bytes.removeLast()
        // In one go: byte by byte, megabytes of events take seconds where nothing is optimised.
        bytes.withUnsafeReadableBytes { state.bytes += $0.bindMemory(to: CChar.self) }
        state.bytes.append(0)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { state.state.withLock { $0.isClosed = true } }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  private final class SharedState: Sendable {
    struct Values {
      /// As C has it: one 0 at the end.
      var bytes: [CChar] = [0]
      var isClosed = false
    }
    let state = Mutex(Values())
  }

  private let channel: any Channel
  private let shared: SharedState

  /// Connects.
  /// - Parameter reads: whether anything is read.
  init(port: Int, reads: Bool = true) async throws {
    let shared = SharedState()
    self.shared = shared
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(shared)) }
      }
    // As little as the kernel takes, so that a reader that hangs is soon full.
    if !reads {
      bootstrap = bootstrap.channelOption(.autoRead, value: false).channelOption(
        .socketOption(.so_rcvbuf), value: 4_096)
    }
    channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
  }

  /// What has come.
  var text: String {
    String(decoding: shared.state.withLock { $0.bytes.dropLast() }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  /// Whether the other end has closed the connection, or we have.
  var isClosed: Bool { shared.state.withLock { $0.isClosed } }

  /// Sends something.
  func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

  /// Closes the connection.
  func close() { channel.close(promise: nil) }

  /// Returns once that has come, or the connection is closed.
  func await(_ text: String) async {
    await until { has(text) || isClosed }
    expect(has(text), "“\(text)” never came: \(self.text.suffix(400))")
  }

  /// Whether that has come.
  private func has(_ text: String) -> Bool {
    shared.state.withLock { state in
      state.bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return false }
        return strstr(start, text) != nil
      }
    }
  }

  /// Asks, and waits for the whole answer; the connection is closed by it.
  static func ask(
    port: Int, _ method: String, _ path: String, token: String? = nil, fields: [String: String] = [:],
    body: String? = nil
  ) async throws -> Answer {
    let client = try await APIClient(port: port)
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
    try await client.send(head + "\r\n" + (body ?? ""))
    await until { client.isClosed }
    return try answer(client.text)
  }

  private static func answer(_ text: String) throws -> Answer {
    let end = try #require(text.range(of: "\r\n\r\n"), "no answer came: \(text)")
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    var answer = Answer()
    answer.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      answer.fields[parts[0].lowercased()] = parts.dropFirst().first?.trimmingCharacters(in: .whitespaces)
    }
    answer.body = String(text[end.upperBound...])
    return answer
  }
}
