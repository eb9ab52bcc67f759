import HTTPTypes
import Hummingbird
import WireText

/// Refuses what no client should send: a token in a URL, which is logged on its way, and a body that is too long.
struct RequestForm: RouterMiddleware {
  typealias Context = ConsoleContext

  private let tokens: TokenBook

  init(_ tokens: TokenBook) { self.tokens = tokens }

  /// What people call a token in a URL.
  private static let secrets: Set<String> = [
    "token", "access_token", "auth", "authorization", "bearer", "apikey", "api_key", "key", "password", "secret",
  ]

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    for value in Self.values(in: request.head.path ?? "") {
      if let caller = tokens.caller(of: value) { throw Self.known(caller) }
    }
    if Self.names(in: request.uri.query ?? "").contains(where: Self.secrets.contains) {
      throw ConsoleAnswer(
        .badRequest, "tokenInURL",
        "A token does not belong into a URL, which others log: send Authorization: Bearer TOKEN, and make a new token.")
    }
    if let length = request.headers[.contentLength] {
      guard let bytes = Int(length), bytes <= ConsoleLimits.maximumBody else { throw ConsoleAnswer.tooLong }
    }
    return try await next(request, context)
  }

  /// Whoever sends it has it; so has now whoever reads the logs of what it passed.
  private static func known(_ caller: ConsoleCaller) -> ConsoleAnswer {
    let file = "\(ConsoleSecrets.usual)/\(caller.name)"
    return ConsoleAnswer(
      .badRequest, "tokenInURL",
      "The token \(caller.name) stands in this URL, and so in the logs of whatever it passed. It has to be changed: sudo rm \(file), sudo scangate console token \(caller.name), sudo systemctl restart scangate-console. Send the new one as Authorization: Bearer TOKEN."
    )
  }

  /// Whatever in a URL could be a token: each step of the path, and of each part of the query all of it, its name and its value.
  static func values(in target: String) -> [[UInt8]] {
    var values: [[UInt8]] = []
    func add(_ text: Substring.UTF8View) {
      guard text.count >= ConsoleSecrets.shortestToken else { return }
      var value = PercentCoding.decode(text) ?? Array(text)
      let scheme = [UInt8]("bearer".utf8)
      if value.count > scheme.count, value.prefix(scheme.count).map({ $0 | 0x20 }) == scheme,
        [0x20, UInt8(ascii: "+")].contains(value[scheme.count])
      {
        value.removeFirst(scheme.count + 1)
      }
      if (ConsoleSecrets.shortestToken...ConsoleSecrets.longestToken).contains(value.count) { values.append(value) }
    }
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    for step in path.split(separator: UInt8(ascii: "/")) { add(step) }
    let query = target.utf8.dropFirst(path.count)
    for part in query.split(whereSeparator: { "?#&;,".utf8.contains($0) }) {
      add(part)
      guard let end = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
      add(part[..<end])
      add(part[part.index(after: end)...])
    }
    return values
  }

  /// What a query names, in one spelling.
  private static func names(in query: String) -> [String] {
    query.split { $0 == "&" || $0 == ";" }.map { part in
      let name = part.utf8.prefix { $0 != UInt8(ascii: "=") }
      return String(decoding: PercentCoding.decode(name) ?? Array(name), as: UTF8.self).lowercased()
    }
  }
}
