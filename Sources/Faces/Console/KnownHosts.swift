import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration

/// Refuses requests for another host than this: a page of a stranger, whose name was made to lead here, reads nothing (DNS rebinding).
///
/// A host is known by the address that the request came to, by the names in the file, on loopback as `localhost`, and beyond it by the
/// machine's own name. The port is no part of it: who forwards ports may choose another.
struct KnownHosts: RouterMiddleware {
  typealias Context = ConsoleContext

  private let names: Set<String>

  init(_ setting: ConsoleSetting) {
    var names = Set(setting.configuration.hosts.map { canonicalAddress($0) ?? $0.lowercased() })
    if !setting.configuration.listen.isLoopback, let machine = setting.machine?.lowercased() {
      names.formUnion([machine, "\(machine).local"])
    }
    self.names = names
  }

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    // A second Host stands among the fields.
    guard let authority = request.head.authority, !request.headers.contains(Self.field) else {
      throw ConsoleAnswer.badRequest("The request names no host, or more than one.")
    }
    guard let host = Self.host(of: authority), isKnown(host, context) else {
      throw ConsoleAnswer(
        .misdirectedRequest, "unknownHost",
        "The console is not known by this host. Ask it by its address, or name the host in the file: console: { hosts: […] }."
      )
    }
    try checkOrigin(request, host)
    return try await next(request, context)
  }

  // Constants of the library would be optional.
  private static let field = HTTPField.Name(parsed: "host") ?? .accept

  private func isKnown(_ host: String, _ context: ConsoleContext) -> Bool {
    if names.contains(host) { return true }
    guard let local = context.local, let address = local.plainAddress else { return false }
    if host == address { return true }
    return local.isLoopback && (host == "localhost" || host == "127.0.0.1" || host == "::1")
  }

  /// The host of `host`, `host:port`, `[address]` or `[address]:port`, in one spelling; `nil` where it is none.
  static func host(of authority: String) -> String? {
    guard authority.utf8.count <= 300 else { return nil }
    var host = authority[...]
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
      return canonicalAddress(String(host[host.index(after: host.startIndex)..<end]))
    }
    if let colon = host.firstIndex(of: ":") {
      guard isPort(host[colon...]) else { return nil }
      host = host[..<colon]
    }
    // The root of all names may be written.
    if host.last == "." { host.removeLast() }
    let name = host.lowercased()
    guard !name.isEmpty, !name.hasSuffix("."), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    return canonicalAddress(name) ?? name
  }

  /// Whether it is nothing, or a colon and a port.
  private static func isPort(_ text: Substring) -> Bool {
    guard text.first == ":" else { return text.isEmpty }
    let digits = text.dropFirst()
    return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && (digits.isEmpty || UInt16(digits) != nil)
  }

  /// What changes something comes from no page but one of this console.
  private func checkOrigin(_ request: Request, _ host: String) throws(ConsoleAnswer) {
    guard request.method != .get, request.method != .head else { return }
    let origins = request.headers[values: .origin]
    let isOwn = origins.allSatisfy { origin in
      guard let scheme = ["https://", "http://"].first(where: origin.hasPrefix) else { return false }
      return Self.host(of: String(origin.dropFirst(scheme.count))) == host
    }
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] } ?? "none"
    guard isOwn, origins.count <= 1, ["none", "same-origin"].contains(site) else {
      throw ConsoleAnswer(.forbidden, "foreignOrigin", "A page of another host may change nothing here.")
    }
  }
}

extension SocketAddress {
  /// The address without a port; an IPv4 address as such, also where it came by an IPv6 socket.
  var plainAddress: String? {
    guard let address = ipAddress else { return nil }
    let mapped = "::ffff:"
    return address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address
  }
}
