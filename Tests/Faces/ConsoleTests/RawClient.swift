import Foundation
import Glibc

/// A connection over a plain socket, as whoever means it badly has one.
final class RawClient: @unchecked Sendable {
  // One test's at a time: its calls follow one another.
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects.
  /// - Parameters:
  ///   - from: the address that it comes from, one of 127.0.0.0/8.
  ///   - buffer: how many bytes the kernel keeps for it; `nil` for as many as usual.
  init(port: Int, from: String? = nil, buffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if var buffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
    }
    // A guard against a connection that never ends; no test waits for it.
    var limit = timeval(tv_sec: 100, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if let from { guard Self.use(from, 0, { bind(descriptor, $0, $1) }) == 0 else { throw POSIXError(.EADDRNOTAVAIL) } }
    guard Self.use("127.0.0.1", port, { connect(descriptor, $0, $1) }) == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { Glibc.close(descriptor) }

  private static func use(
    _ host: String, _ port: Int, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
    address.sin_addr.s_addr = inet_addr(host)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Sends as much as is taken; false where the connection is over.
  @discardableResult
  func send(_ text: String) -> Bool {
    var rest = [UInt8](text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Ends its half.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What comes until the connection ends, by whichever side's doing.
  func rest() async -> RawAnswer {
    await withCheckedContinuation { continuation in
      Thread { [self] in
        while receive() {}
        continuation.resume(returning: RawAnswer(text: String(decoding: received, as: UTF8.self)))
      }.start()
    }
  }

  /// What comes until `text` is in it, or the connection ends.
  func until(_ text: String) async -> RawAnswer {
    await withCheckedContinuation { continuation in
      Thread { [self] in
        while !String(decoding: received, as: UTF8.self).contains(text), receive() {}
        let answer = RawAnswer(text: String(decoding: received, as: UTF8.self))
        received = []
        continuation.resume(returning: answer)
      }.start()
    }
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }
}

/// What came of a request.
struct RawAnswer {
  let text: String

  /// The status; 0 where there is none.
  var status: Int { Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0 }

  /// The body, as far as it came.
  var body: String { text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }

  /// The value of a field.
  func field(_ name: String) -> String? {
    let head = text.components(separatedBy: "\r\n\r\n").first ?? ""
    return head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }
}

extension ConsoleBench {
  /// Asks over a connection of its own, which ends after the answer.
  func ask(
    _ line: String, host: String? = nil, _ fields: String..., body: String = "", from: String? = nil
  ) async throws -> RawAnswer {
    let client = try RawClient(port: port, from: from)
    var head = ["\(line) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + fields
    if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
    client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return await client.rest()
  }
}
