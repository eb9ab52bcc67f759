import Foundation
import Glibc

@testable import VenueServer

/// One request over a socket of its own, down to how the connection ended.
struct RawExchange {
  enum End: Equatable {
    /// The peer ended the connection in order.
    case closed
    /// The peer reset it.
    case reset
    case failed(Int32)
  }

  var bytes: [UInt8]
  var end: End

  var text: String { String(decoding: bytes, as: UTF8.self) }
  /// Status line and headers.
  var head: String { parts.0 }
  /// What came of the body.
  var body: String { parts.1 }

  private var parts: (String, String) {
    let end = text.range(of: "\r\n\r\n")
    return end.map { (String(text[..<$0.lowerBound]), String(text[$0.upperBound...])) } ?? (text, "")
  }

  /// The value of a header.
  func header(_ name: String) -> String? {
    head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }

  /// Connects, sends `request`, and takes what comes until the connection ends.
  static func run(_ request: String, port: Int) async -> RawExchange {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: blocking([UInt8](request.utf8), port: port)) }.start()
    }
  }

  private static func blocking(_ request: [UInt8], port: Int) -> RawExchange {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    // A guard against a connection that never ends; no test waits for it.
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return RawExchange(bytes: [], end: .failed(errno))
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return RawExchange(bytes: bytes, end: .closed) }
      if count < 0 {
        return RawExchange(bytes: bytes, end: errno == ECONNRESET ? .reset : .failed(errno))
      }
      bytes += buffer[..<count]
    }
  }
}

extension RunningVenue {
  /// Presents a code as a careful client does, over a connection of its own.
  func present(_ code: String) async throws -> RawExchange {
    let body = #"{"code":"\#(code)"}"#
    return await RawExchange.run(
      """
      POST /api/tickets/scan HTTP/1.1\r
      Host: venue\r
      X-API-Key: \(try key())\r
      Content-Type: application/json\r
      Accept: application/json\r
      Connection: close\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """, port: address.port)
  }

  /// Lists tickets, which redeems nothing.
  func look() async throws -> RawExchange {
    await RawExchange.run(
      "GET /api/tickets HTTP/1.1\r\nHost: venue\r\nX-API-Key: \(try key())\r\nConnection: close\r\n\r\n",
      port: address.port)
  }

  func isRedeemed(_ code: String) async throws -> Bool {
    try await server.book().contains { $0.code == code }
  }
}

/// Runs a venue that misbehaves from its start.
func withBadVenue(
  _ misbehaviours: String..., body: (RunningVenue) async throws -> Void
) async throws {
  try await withVenue(
    VenueConfiguration(failureDelay: .zero, misbehaviours: try misbehaviours.map { try Misbehaviour($0) }), body)
}
