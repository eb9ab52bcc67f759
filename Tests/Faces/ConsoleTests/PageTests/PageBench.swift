import Expectations
import Foundation
import LibCrypto
import NIOCore
import ScanConfiguration
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// A console with pages before a scripted station; sockets and threads are real.
struct PageBench {
  let port: Int
  let station: ScriptedStation
  let place: (folder: URL, socket: String)
  let access: PageAccess

  /// Whoever has signed in here.
  struct Visitor {
    /// What their browser shows.
    var cookie: String?
    static let loopback = Visitor()
  }

  /// Somebody signs in.
  func signIn(_ name: String) async throws -> Visitor {
    let outcome = await access.signIn(
      name, password: "correct horse", client: .address("127.0.0.1"), address: "127.0.0.1")
    guard case .done(let secret) = outcome else { throw ConsoleFault("\(outcome)") }
    return Visitor(cookie: "\(PageCookie.session.rawValue)=\(secret)")
  }

  func get(
    _ path: String, as visitor: Visitor = .loopback, _ fields: [String: String] = [:]
  ) async throws -> APIClient.Answer {
    var fields = fields
    fields["Cookie"] = visitor.cookie
    return try await APIClient.ask(port: port, "GET", path, fields: fields)
  }

  func post(
    _ path: String, as visitor: Visitor, _ form: [String: String], origin: String? = nil
  ) async throws -> APIClient.Answer {
    var fields = ["Content-Type": "application/x-www-form-urlencoded", "Origin": origin ?? "http://127.0.0.1:\(port)"]
    fields["Cookie"] = visitor.cookie
    let body = form.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
    return try await APIClient.ask(port: port, "POST", path, fields: fields, body: body.joined(separator: "&"))
  }

  /// Follows what stands on a gate's page.
  func follow(
    _ gate: String, as visitor: Visitor = .loopback, language: String = "en", reads: Bool = true
  ) async throws -> APIClient {
    try await follow(path: "/pages/door/\(gate)/events", as: visitor, language: language, reads: reads)
  }

  /// Follows a stream.
  func follow(
    path: String, as visitor: Visitor, language: String = "en", reads: Bool = true
  ) async throws -> APIClient {
    let client = try await APIClient(port: port, reads: reads)
    let cookie = visitor.cookie.map { "Cookie: \($0)\r\n" } ?? ""
    try await client.send(
      "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept-Language: \(language)\r\n\(cookie)\r\n"
    )
    return client
  }

  /// The hidden fields of a form on a page: the one that gives this order.
  static func fields(of order: String, in page: String) throws -> [String: String] {
    let form = try #require(
      page.components(separatedBy: "<form").first { $0.contains("name=\"order\" value=\"\(order)\"") }, "\(order)")
    var fields: [String: String] = [:]
    for input in form.components(separatedBy: "<input type=\"hidden\" name=\"").dropFirst() {
      let parts = input.components(separatedBy: "\"")
      fields[parts[0]] = parts[2]
    }
    return fields
  }
}

func withPages(
  names: Bool = false, orders: Set<OrderKind> = Set(OrderKind.allCases), language: PageLanguage? = nil,
  _ snapshot: StationSnapshot = SampleStation.snapshot(),
  react: @escaping @Sendable (StationOrder) -> ScriptedStation.Reaction = { _ in .answer(.done("done as scripted")) },
  _ body: (PageBench) async throws -> Void
) async throws {
  let place = try APIBench.place()
  var users = PageUsers()
  for role in PageUser.roles {
    let hash = try #require(
      PasswordHash(of: "correct horse", cost: Scrypt.Cost(logN: 1, blockSize: 1, parallelism: 1)))
    expect(users.set(PageUser(name: role.rawValue, role: role, hash: hash)))
  }
  try users.text.write(
    to: URL(filePath: AccessFile.users(in: place.folder.path)), atomically: true, encoding: .utf8)
  let access = PageAccess(folder: place.folder.path, stateFolder: nil, logger: silentLogger)
  let station = try ScriptedStation(at: place.socket, snapshot, react: react)
  let mirror = try StationMirror(path: place.socket, names: names)
  await mirror.start()
  var configuration = ConsoleConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
  (configuration.hasPages, configuration.orders, configuration.language) = (true, orders, language)
  var setting = ConsoleSetting(configuration, version: "0.1.0", tokens: TokenBook([]), logger: silentLogger)
  setting.access = access
  setting.limits.write = .seconds(2)
  let server = ConsoleServer(setting, mirror: mirror)
  let (ports, port) = AsyncStream.makeStream(of: Int.self)
  let running = Task {
    defer { port.finish() }
    try await server.run { port.yield($0.port) }
  }
  var found = ports.makeAsyncIterator()
  let result: Result<Void, any Error>
  if let port = await found.next() {
    do {
      result = .success(
        try await body(PageBench(port: port, station: station, place: place, access: access)))
    } catch {
      result = .failure(error)
    }
  } else {
    result = .failure(ConsoleFault("it did not begin"))
  }
  await mirror.stop()
  running.cancel()
  _ = await running.result
  station.end()
  try? FileManager.default.removeItem(at: place.folder)
  try result.get()
}
