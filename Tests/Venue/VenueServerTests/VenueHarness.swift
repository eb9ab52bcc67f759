import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import VenueServer

/// A clock that moves only when told to.
final class ManualClock: Sendable {
  private let time: Mutex<Date>

  init(_ iso8601: String) throws {
    time = Mutex(try Date(iso8601, strategy: .iso8601))
  }

  var now: Date { time.withLock { $0 } }

  func advance(seconds: Double) {
    time.withLock { $0 += seconds }
  }
}

/// JSON as any client would read it, independent of how the venue writes it.
enum JSON: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  /// The member at a path of keys and indices, such as `data.sale.tickets.0.id`.
  subscript(path: String) -> JSON? {
    path.split(separator: ".").reduce(JSON?.some(self)) { value, step in
      switch value {
      case .object(let members): return members[String(step)]
      case .array(let elements):
        guard let index = Int(step), elements.indices.contains(index) else { return nil }
        return elements[index]
      default: return nil
      }
    }
  }

  func string(_ path: String) -> String? {
    if case .string(let text) = self[path] { text } else { nil }
  }

  func integer(_ path: String) -> Int? {
    if case .number(let number) = self[path] { Int(exactly: number) } else { nil }
  }
}

/// What came back over the socket.
struct Reply {
  var status: Int
  var headers: HTTPHeaders
  var text: String

  var json: JSON {
    get throws { try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }
  }

  func string(_ path: String) throws -> String? { try json.string(path) }
  func integer(_ path: String) throws -> Int? { try json.integer(path) }
}

/// A running venue, asked over a real socket.
struct RunningVenue {
  let server: VenueServer
  let address: VenueAddress
  let seeded: SeededVenue

  func code(_ kind: SeededTicket.Kind) throws -> String {
    try #require(seeded.tickets.first { $0.kind == kind }).code
  }

  func key() throws -> String { try #require(seeded.apiKey) }

  /// Asks on a connection of its own; a body of several parts is sent in chunks.
  func request(
    _ method: HTTPMethod, _ path: String, headers: [(String, String)], body: [ByteBuffer] = [],
    trusting tls: NIOSSLContext? = nil
  ) async throws -> Reply {
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
    head.headers = ["Host": "\(address.host):\(address.port)", "Connection": "close"]
    head.headers.add(contentsOf: headers)
    if let whole = body.first, body.count == 1 {
      head.headers.add(name: "Content-Length", value: "\(whole.readableBytes)")
    } else if body.isEmpty, method != .GET {
      head.headers.add(name: "Content-Length", value: "0")
    }
    let answer = try await VenueExchange.ask(head, body, tls: tls, limit: .seconds(60)) {
      $0.connect(host: address.host, port: address.port)
    }
    return Reply(
      status: Int(answer.head.status.code), headers: answer.head.headers, text: String(buffer: answer.body))
  }

  /// Posts JSON as a careful client does.
  func post(_ body: String, to path: String = "/api/tickets/scan", key: String? = nil) async throws -> Reply {
    try await request(
      .POST, path,
      headers: [
        ("X-API-Key", try key ?? self.key()), ("Content-Type", "application/json"), ("Accept", "application/json"),
      ],
      body: [ByteBuffer(string: body)])
  }

  func scan(_ code: String, key: String? = nil) async throws -> Reply {
    try await post(#"{"code":"\#(code)","ticket_code":"\#(code)"}"#, key: key)
  }

  func get(_ path: String, key: String? = nil) async throws -> Reply {
    try await request(.GET, path, headers: [("X-API-Key", try key ?? self.key()), ("Accept", "application/json")])
  }
}

/// Runs a seeded venue on a free port for as long as `body` takes.
func withVenue(
  _ configuration: VenueConfiguration = VenueConfiguration(failureDelay: .zero), seed: Seed = Seed(zone: "UTC"),
  _ body: (RunningVenue) async throws -> Void
) async throws {
  let server = try VenueServer(configuration)
  let seeded = try await server.seed(seed)
  let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
  let running = Task {
    defer { tell.finish() }
    try await server.run { tell.yield($0) }
  }
  guard let address = await ready.first(where: { _ in true }) else {
    try await running.value
    Issue.record("the venue ended before it was ready")
    return
  }
  var outcome = Result<Void, any Error>.success(())
  do {
    try await body(RunningVenue(server: server, address: address, seeded: seeded))
  } catch {
    outcome = .failure(error)
  }
  running.cancel()
  // A cancelled venue ends by itself; how it says so does not matter.
  _ = await running.result
  try outcome.get()
}

/// A directory of its own for a test's files.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "venue-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  try await body(url.path)
}
