import Foundation
import ScriptedHTTP
import Sealing
import Synchronization

/// A server of the desk, by a script of its own: what it was asked, and what it answers to each call.
final class DeskServer: Sendable {
  /// One request.
  struct Request: Sendable {
    var method: String
    /// With its query.
    var target: String
    var head: String
    var body: String

    /// `GET /api/events?page=1`
    var line: String { "\(method) \(target)" }

    /// A member of the body, which is JSON.
    func member(_ name: String) -> Any? {
      (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?[name]
    }
  }

  /// What is answered; `nil` cuts the connection.
  struct Answer: Sendable {
    var status: Int
    var body: String
    var type = "application/json"

    init(_ status: Int, _ body: String, type: String = "application/json") {
      (self.status, self.body, self.type) = (status, body, type)
    }

    static let noRoute = Answer(404, "<html>Not Found</html>", type: "text/html")

    static func noMethod(_ request: Request) -> Answer {
      Answer(405, #"{"message":"The \#(request.method) method is not supported for route \#(request.target)."}"#)
    }
  }

  static let key = "sesame-open-the-door-7"

  private let server: ScriptedServer
  let port: Int
  let folder: URL

  private init(_ server: ScriptedServer, port: Int, folder: URL) {
    (self.server, self.port, self.folder) = (server, port, folder)
  }

  /// Starts one, with the key in a state folder.
  static func start(_ answer: @escaping @Sendable (Request) -> Answer?) async throws -> DeskServer {
    let server = ScriptedServer { _, text, connection in
      let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let words = parts[0].split(separator: " ", maxSplits: 2)
      let request = Request(
        method: String(words[0]), target: String(words[1]), head: String(parts[0]),
        body: parts.count > 1 ? String(parts[1]) : "")
      guard let answer = answer(request) else { return connection.close() }
      connection.send(
        "HTTP/1.1 \(answer.status) x\r\nContent-Type: \(answer.type)\r\nContent-Length: \(answer.body.utf8.count)\r\n\r\n"
          + answer.body)
    }
    let port = try await server.start()
    let folder = try temporaryFolder()
    let state = folder.path + "/state"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try CredentialStore(keys: SealKeySource(state: state, given: nil)).set("main", PastedSecret(Array(key.utf8)))
    return DeskServer(server, port: port, folder: folder)
  }

  var address: String { "http://127.0.0.1:\(port)" }

  /// The requests, in order.
  var lines: [String] {
    server.requests.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  /// The whole requests.
  var requests: [String] { server.requests }

  /// Runs a command against it.
  func run(_ arguments: [String], input: String = "", zone: String = "UTC") async throws -> Program.Result {
    try await Program.run(
      ["eventschedule"] + arguments + ["--server", address, "--key", "main", "--state", folder.path + "/state"],
      input: [UInt8](input.utf8), environment: ["TZ": zone])
  }

  func end() async {
    await server.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// The real servers' habits with events: no call for one, `PATCH` alone, every ticket type that is not sent goes, the link goes unless
/// it is sent, and times that are told in UTC are read by the clocks of the event's zone.
final class RealEvents: Sendable {
  typealias Event = [String: any Sendable]

  private let events: Mutex<[Event]>
  /// What it loses besides, with each change.
  let loses: String?

  private let renamed = Mutex<String?>(nil)

  /// - Parameter isPlain: whether no name is hostile.
  init(loses: String? = nil, isPlain: Bool = false) {
    self.loses = loses
    events = Mutex([Self.concert, isPlain ? Self.gala.merging(["name": "Gala"]) { $1 } : Self.gala])
  }

  /// A venue by the name that it was given last.
  func profile(_ text: String) -> String {
    renamed.withLock { $0 }.map { text.replacing("Hall A", with: $0) } ?? text
  }

  /// Gives it another.
  func rename(_ name: String?) { renamed.withLock { $0 = name } }

  private static let concert: Event = [
    "id": "Mzg5NzM0", "name": "Concert", "description": "Two halls", "starts_at": "2026-12-01 19:00:00", "duration": 3,
    "timezone": "Europe/Berlin", "venue_id": "Mzg5Mjg2",
    "venue": ["id": "Mzg5Mjg2", "name": "Hall A", "subdomain": "hall-a"] as [String: any Sendable],
    "tickets_enabled": true, "event_url": NSNull(), "members": [Int](), "notification_settings": [Int](),
    "schedules": [["subdomain": "hall-a"] as [String: any Sendable]],
    "tickets": [
      ["id": "Mzg5Mzc5", "type": "Standard", "price": "10.000", "quantity": 100, "sold": [Int]()],
      ["id": "Mzg5Mzgw", "type": "VIP", "price": "25.000", "quantity": 10, "sold": ["2026-12-01": 2]],
    ] as [Event],
  ]

  private static let gala: Event = [
    "id": "Mzg5NzM1", "name": "Gala \u{1B}[2J", "starts_at": NSNull(), "timezone": NSNull(), "tickets": [Event](),
  ]

  func answer(_ request: DeskServer.Request) -> DeskServer.Answer {
    let path = request.target.split(separator: "?")[0].split(separator: "/").dropFirst().map(String.init)
    switch (request.method, path.count) {
    case ("GET", 1):
      return .init(200, Self.text(["data": events.withLock { $0 }, "meta": ["current_page": 1, "last_page": 1]]))
    case ("PATCH", 2): return change(path[1].removingPercentEncoding ?? "", request)
    case ("DELETE", 2):
      events.withLock { $0.removeAll { $0["id"] as? String == path[1] } }
      return .init(200, #"{"meta":{"message":"Event deleted successfully"}}"#)
    case ("POST", 2):
      guard let name = request.member("name") as? String, let zone = request.member("timezone") as? String,
        let utc = Self.utc(request.member("starts_at"), zone)
      else { return .init(422, #"{"message":"The name field is required.","errors":{"name":["required"]}}"#) }
      return .init(
        201, Self.text(["data": ["id": "Mzg5NzM2", "name": name, "starts_at": utc, "timezone": zone] as [String: Any]]))
    default: return .noMethod(request)
    }
  }

  private func change(_ id: String, _ request: DeskServer.Request) -> DeskServer.Answer {
    let sent = (try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any]) ?? [:]
    return events.withLock { events in
      guard let index = events.firstIndex(where: { $0["id"] as? String == id }) else {
        return .init(404, #"{"message":"No query results for model [App\\Models\\Event]"}"#)
      }
      for name in ["name", "description", "duration", "timezone", "venue_id", "tickets_enabled"] {
        if let text = sent[name] as? String { events[index][name] = text }
        if let number = sent[name] as? Int { events[index][name] = number }
      }
      events[index]["event_url"] = sent["event_url"] as? String ?? NSNull()
      if let utc = Self.utc(
        sent["starts_at"] ?? events[index]["starts_at"], events[index]["timezone"] as? String ?? "UTC")
      {
        events[index]["starts_at"] = utc
      }
      let types = sent["tickets"] as? [[String: Any]] ?? []
      guard types.allSatisfy({ $0["id"] is Int? }) else { return .init(500, #"{"message":"Server Error"}"#) }
      let former = events[index]["tickets"] as? [Event] ?? []
      events[index]["tickets"] = types.compactMap { type -> Event? in
        let id = (type["id"] as? Int).map { Data("\($0 + 389_278)".utf8).base64EncodedString() }
        guard var kept = id == nil ? ["id": "Mzg5Mzgx"] : former.first(where: { $0["id"] as? String == id }) else {
          return nil
        }
        for name in ["type", "price"] { if let text = type[name] as? String { kept[name] = text } }
        if let number = type["quantity"] as? Int { kept["quantity"] = number }
        return kept
      }
      if let loses { events[index][loses] = NSNull() }
      return .init(200, Self.text(["data": events[index]]))
    }
  }

  /// What clocks of a zone show, in UTC.
  private static func utc(_ clocks: Any?, _ zone: String) -> String? {
    guard let clocks = clocks as? String, let zone = TimeZone(identifier: zone) else { return nil }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyy-MM-dd HH:mm:ss"
    format.timeZone = zone
    guard let date = format.date(from: clocks) else { return nil }
    format.timeZone = TimeZone(secondsFromGMT: 0)
    return format.string(from: date)
  }

  private static func text(_ value: Any) -> String {
    guard let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys]) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}
