import Expectations
import Foundation
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import VenueServer

@Suite struct ConnectionTests {
  /// Sends raw bytes, ends its half of the connection, and returns all that comes back until the other half ends.
  private func exchange(_ text: String, with venue: RunningVenue) async throws -> String {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
      .connect(host: venue.address.host, port: venue.address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      outbound.finish()
      var answer = ByteBuffer()
      do {
        for try await part in inbound { answer.writeImmutableBuffer(part) }
      } catch is IOError {
        // A reset ends the answer as well.
      }
      return String(buffer: answer)
    }
  }

  private func head(_ venue: RunningVenue, length: Int) throws -> String {
    """
    POST /api/tickets/scan HTTP/1.1\r
    Host: venue\r
    X-API-Key: \(try venue.key())\r
    Content-Type: application/json\r
    Accept: application/json\r
    Content-Length: \(length)\r
    \r

    """
  }

  @Test func aWholeRequestIsAnsweredOnTheWire() async throws {
    let clock = try ManualClock("2025-12-17T14:30:00Z")
    try await withVenue(VenueConfiguration(now: { clock.now })) { venue in
      let body = #"{"code":"\#(try venue.code(.unpaid))"}"#
      let answer = try await exchange(try head(venue, length: body.utf8.count) + body, with: venue)
      expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      expect(answer.hasSuffix("\r\n\r\n" + #"{"error":"This ticket is not paid"}"#))
      expect(answer.lowercased().contains("\r\ndate: wed, 17 dec 2025 14:30:00 gmt\r\n"))
    }
  }

  @Test func aTruncatedRequestRedeemsNothing() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      let body = #"{"code":"\#(code)"}"#
      // The JSON is whole, but the body is not as long as it said: the rest was lost.
      let answer = try await exchange(try head(venue, length: body.utf8.count + 10) + body, with: venue)
      expect(!answer.contains(" 201 "))
      expect(try await venue.server.book().isEmpty)
      let whole = try await venue.scan(code)
      expectEqual(whole.status, 201)
    }
  }

  @Test(arguments: [
    "\u{0}\u{1}\u{2}\r\n\r\n", "SCAN ME\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST /api", "\r\n\r\n\r\n",
  ])
  func whatIsNoHTTPEndsItsConnectionOnly(text: String) async throws {
    try await withVenue { venue in
      let answer = try await exchange(text, with: venue)
      expect(!answer.contains(" 200 ") && !answer.contains(" 201 "))
      let reply = try await venue.scan(try venue.code(.entry))
      expectEqual(reply.status, 201)
    }
  }

  @Test func aGracefulEndFinishesWhatIsRunning() async throws {
    struct Running: Service {
      let server: VenueServer
      let ready: AsyncStream<VenueAddress>.Continuation
      func run() async throws {
        defer { ready.finish() }
        try await server.run { ready.yield($0) }
      }
    }
    // The venue looks at its clock once a request has come in: that is the moment to end it.
    let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)
    let configuration = VenueConfiguration(
      failureDelay: .milliseconds(200),
      now: {
        arrive.yield()
        return Date()
      })
    let server = try VenueServer(configuration)
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let group = ServiceGroup(
      services: [Running(server: server, ready: tell)], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
    )
    let running = Task { try await group.run() }
    let address = try #require(await ready.first { _ in true })
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let answer = try await channel.executeThenClose { inbound, outbound in
      let request = "GET /api/tickets HTTP/1.1\r\nHost: venue\r\nX-API-Key: not-a-known-key\r\n\r\n"
      try await outbound.write(ByteBuffer(string: request))
      _ = await arrivals.first { _ in true }
      await group.triggerGracefulShutdown()
      var answer = ByteBuffer()
      for try await part in inbound { answer.writeImmutableBuffer(part) }
      return String(buffer: answer)
    }
    try await running.value
    expect(answer.contains("HTTP/1.1 401"))
    expect(answer.hasSuffix(#"{"error":"Invalid API key"}"#))
  }
}
