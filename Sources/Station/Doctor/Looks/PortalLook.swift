internal import ScanModel
internal import TicketTransport

/// Finds out whether a guest network's portal answers in a server's place: by asking the server's host for nothing, by plain HTTP and
/// without a key, which is what portals catch. Only where the server itself could not be asked.
enum PortalLook {
  static let cure =
    "Have the station let through by whoever runs the network, or log in: from this machine, in a browser."

  /// Whom an answer is from.
  enum Verdict: Sendable, Equatable {
    /// A portal; where it sends people, if it says so.
    case portal(String?)
    /// The host itself, or nobody.
    case none
  }

  /// Asks `http://HOST/`.
  /// - Parameter address: whom, where it is not the host's port for plain HTTP.
  static func ask(_ server: ServerAddress, at address: String? = nil, within patience: Duration) async -> Verdict {
    guard server.isSecure, !server.isLoopback || address != nil,
      let plain = try? ServerAddress(address ?? "http://\(bracketed(server.host))", allowPlainHTTP: true),
      let transport = try? HTTPTransport(server: plain)
    else { return .none }
    let outcome = await transport.send(
      HTTPCall(.get, path: "/"), deadline: SystemTime().now() + patience, late: { _ in })
    await transport.close()
    guard case .answered(let answer) = outcome.result else { return .none }
    return judge(answer.status, location: answer.headers["location"], of: server.host)
  }

  /// Judges an answer to nothing.
  static func judge(_ status: Int, location: String?, of host: String) -> Verdict {
    // Network Authentication Required (RFC 6585, 6).
    if status == 511 { return .portal(location.flatMap(target)) }
    guard (300...399).contains(status), let location, let other = target(location) else { return .none }
    // To https, to another of its own names: that is the site itself.
    return isRelated(other, host) ? .none : .portal(other)
  }

  /// The host that an absolute address names, in small letters.
  private static func target(_ location: String) -> String? {
    let lower = location.lowercased()
    for scheme in ["https://", "http://"] where lower.hasPrefix(scheme) {
      let host = lower.dropFirst(scheme.count).prefix { !"/?#:".contains($0) }
      return host.isEmpty ? nil : String(host)
    }
    return nil
  }

  private static func isRelated(_ one: String, _ other: String) -> Bool {
    one == other || one.hasSuffix("." + other) || other.hasSuffix("." + one)
  }

  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
