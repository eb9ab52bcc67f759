package import ScanModel
internal import TicketSystemKit
package import TicketTransport

/// An address that a server's document names: a server, and what is asked of it. Pure.
package struct LinkedAddress: Sendable, Equatable, CustomStringConvertible {
  /// The server, without a path.
  package let server: ServerAddress
  /// Path and query, as a request has them; begins with a slash.
  package let target: String

  /// Reads an address; `nil` where it is none that may be asked: neither a path of `own` nor https, a user's name in it.
  /// - Parameter own: the server whose document it stands in; plain HTTP is for the same server alone, where it is spoken to so.
  package init?(_ text: String, of own: ServerAddress) {
    guard text.utf8.count <= Discovery.longestAddress, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !text.contains("\\")
    else { return nil }
    let whole = text.hasPrefix("/") && !text.hasPrefix("//") ? own.origin + text : text
    let lower = whole.lowercased()
    guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else { return nil }
    let rest = whole.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let server = try? ServerAddress(scheme + authority, allowPlainHTTP: true) else { return nil }
    guard server.isSecure || server.isSameServer(as: own) else { return nil }
    self.server = server
    let path = rest.dropFirst(authority.count).prefix { $0 != "#" }
    target = path.hasPrefix("/") ? String(path) : "/" + path
  }

  /// The address as it would be written.
  package var description: String { server.origin + target }
}

extension ServerAddress {
  /// Whether it is the same server: scheme, host and port.
  package func isSameServer(as other: ServerAddress) -> Bool {
    isSecure == other.isSecure && host == other.host && port == other.port
  }

  /// Scheme, host and port.
  var origin: String { String(description.dropLast(path.utf8.count)) }
}

/// Where a server's API is, and so where the key goes.
package enum APIPlace {
  /// The address that the API's paths (`/api/…`) are below.
  /// - Parameters:
  ///   - typed: what a person has typed: the key goes to this host, by https, or not at all.
  ///   - allowed: another host, perhaps with its port, that this person has named besides.
  /// - Throws: why there is none that a key may go to, and what to do.
  package static func find(
    _ told: Discovery.Address, typed: ServerAddress, allowed: String? = nil
  ) throws(SetupError) -> ServerAddress {
    switch told {
    case .absent: return typed.withoutAPI ?? typed
    case .unusable:
      throw SetupError(
        "The address of its API, as \(typed.hostAndPort) tells it, is none. Ask whoever runs the server.")
    case .told(let text):
      let whole = text.hasPrefix("/") && !text.hasPrefix("//") ? typed.origin + text : text
      let address: ServerAddress
      do {
        address = try ServerAddress(whole)
      } catch {
        throw SetupError(
          "The address of its API, as \(typed.hostAndPort) tells it, cannot be used: \(error.description) Ask whoever runs the "
            + "server.")
      }
      if !address.isSameServer(as: typed) {
        guard address.isSecure || (!typed.isSecure && typed.isLoopback) else {
          throw SetupError(
            "\(typed.hostAndPort) says that its API is at \(address), without TLS: the key does not go there.")
        }
        guard address.isNamed(by: allowed) else {
          throw SetupError(
            "\(typed.hostAndPort) says that its API is at \(address.hostAndPort). The key goes to the host that was typed, and "
              + "nowhere else. Where that address is right: --api-host \(address.hostHeader)")
        }
      }
      return address.withoutAPI ?? address
    }
  }
}

extension ServerAddress {
  /// Whether a person who named this host, perhaps with its port, meant this server.
  fileprivate func isNamed(by text: String?) -> Bool {
    guard let text, let named = try? ServerAddress((isSecure ? "https://" : "http://") + text) else { return false }
    return named.path.isEmpty && named.host == host && named.port == port
  }
}
