import Expectations
import Foundation
import NIOCore
import ScanConfiguration
import StationProtocol
import StationTesting
import TicketSystemKit

@testable import Console

/// A console before a scripted service; sockets, processes' protocol and threads are real.
final class APIBench: Sendable {
  /// A token for everything but metrics, and one for each scope.
  static let token = "token-for-the-whole-interface-0"
  static let watching = "token-that-may-see-what-happens"
  static let ordering = "token-that-may-order-something-"

  let folder: URL
  let mirror: StationMirror
  let port: Int
  private let server: Task<Void, any Error>

  /// Where the service listens.
  static func place() throws -> (folder: URL, socket: String) {
    let folder = URL(filePath: temporaryRoot).appending(path: "console-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return (folder, folder.appending(path: "s").path)
  }

  /// - Parameters:
  ///   - place: where the service listens, if it runs.
  ///   - heartbeat: how often streams are written to.
  init(
    _ place: (folder: URL, socket: String), names: Bool = false, heartbeat: Duration = .seconds(15),
    linger: Duration = .seconds(60)
  ) async throws {
    folder = place.folder
    mirror = try StationMirror(path: place.socket, names: names, heartbeat: heartbeat, linger: linger)
    await mirror.start()
    var configuration = ConsoleConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
    configuration.orders = Set(OrderKind.allCases)
    let tokens = [
      ("desk", Self.token, [ConsoleScope.events, .orders]), ("screen", Self.watching, [.events]),
      ("button", Self.ordering, [.orders]),
    ].map { name, text, scopes in
      let position = SourcePosition(file: "scangate.yaml", line: 1, column: 1)
      return (ConsoleToken(credential: ConsoleCredential(name: name, position: position), scopes: Set(scopes)), text)
    }
    configuration.tokens = tokens.map(\.0)
    var setting = ConsoleSetting(
      configuration, version: "0.1.0", tokens: TokenBook(tokens.map { (token: $0.0, text: $0.1) }),
      logger: silentLogger)
    // So that who reads nothing is cut within a test.
    setting.limits.write = .seconds(2)
    let console = ConsoleServer(setting, mirror: mirror)
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    server = Task {
      defer { port.finish() }
      try await console.run { port.yield($0.port) }
    }
    var found = ports.makeAsyncIterator()
    guard let begun = await found.next() else { throw ConsoleFault("it did not begin") }
    self.port = begun
  }

  func end() async {
    await mirror.stop()
    server.cancel()
    _ = try? await server.value
    try? FileManager.default.removeItem(at: folder)
  }

  func ask(
    _ method: String, _ path: String, token: String? = APIBench.token, fields: [String: String] = [:],
    body: String? = nil
  ) async throws -> APIClient.Answer {
    try await APIClient.ask(port: port, method, path, token: token, fields: fields, body: body)
  }

  func order(
    _ body: String, token: String? = APIBench.token, type: String? = "application/json"
  ) async throws -> APIClient.Answer {
    try await ask(
      "POST", "/api/v1/orders", token: token, fields: type.map { ["Content-Type": $0] } ?? [:], body: body)
  }

  /// Begins to follow events.
  func follow(
    _ query: String = "", token: String = APIBench.token, after id: String? = nil, reads: Bool = true
  ) async throws -> APIClient {
    let client = try await APIClient(port: port, reads: reads)
    var head = "GET /api/v1/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n"
    if let id { head += "Last-Event-ID: \(id)\r\n" }
    try await client.send(head + "\r\n")
    return client
  }
}
