/// The address of a server: scheme, host, port and base path, and nothing else.
package struct ServerURL: Sendable, Hashable, CustomStringConvertible {
  /// Whether it is `https`.
  package let isSecure: Bool
  /// The host in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
  package let host: String
  /// The port: the given one, else 443 or 80.
  package let port: Int
  /// The base path without a slash at its end; empty where there is none.
  package let path: String

  /// Reads `https://host`, `https://host:port/base`; `nil` for anything with a user, a query, a fragment, or odd bytes.
  package init?(_ text: String) {
    let lower = text.lowercased()
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    guard !text.utf8.contains(where: { "@?#\\\"<>`{}|^%".utf8.contains($0) }) else { return nil }
    let scheme = lower.hasPrefix("https://") ? "https://" : "http://"
    guard lower.hasPrefix(scheme) else { return nil }
    isSecure = scheme == "https://"
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(authority.count)
    while path.last == "/" { path = path.dropLast() }
    guard !path.split(separator: "/", omittingEmptySubsequences: true).contains(where: { $0 == "." || $0 == ".." })
    else { return nil }
    // Brackets belong to an IPv6 host; in a path the client would refuse them.
    guard !path.contains(where: { $0 == "[" || $0 == "]" }) else { return nil }
    self.path = String(path)

    let portText: Substring?
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let address = authority[authority.index(after: authority.startIndex)..<end]
      guard address.utf8.contains(UInt8(ascii: ":")), address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
      else { return nil }
      host = address.lowercased()
      let after = authority[authority.index(after: end)...]
      guard after.isEmpty || after.first == ":" else { return nil }
      portText = after.isEmpty ? nil : after.dropFirst()
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first, Self.isHostName(name) else { return nil }
      host = name.lowercased()
      portText = parts.count > 1 ? parts[1] : nil
    }
    if let portText {
      guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(portText),
        (1...65535).contains(port)
      else { return nil }
      self.port = port
    } else {
      port = isSecure ? 443 : 80
    }
  }

  /// Letters, digits and hyphens between dots (RFC 1123, 2.1); an underscore is tolerated, for local names have them.
  private static func isHostName(_ name: Substring) -> Bool {
    guard (1...253).contains(name.utf8.count) else { return false }
    let trimmed = name.hasSuffix(".") ? name.dropLast() : name
    return trimmed.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
  }

  /// Whether the host is this machine by its very name: `localhost`, `127.0.0.0/8`, `::1`.
  package var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The address without the API's own path, where it was written with one: `https://host` of `https://host/api/tickets/scan`.
  /// - Parameter api: what such paths begin with after `/api/`.
  func base(above api: [String]) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard
      let index = parts.indices.dropLast().last(where: { parts[$0] == "api" && api.contains(String(parts[$0 + 1])) })
    else { return nil }
    return origin + parts[..<index].joined(separator: "/")
  }

  /// The address without an `/api` at its end; `nil` where it has none.
  var withoutAPI: String? { path.hasSuffix("/api") ? origin + path.dropLast(4) : nil }

  /// The address as it would be written.
  package var description: String { origin + path }

  private var origin: String {
    let shownHost = host.contains(":") ? "[\(host)]" : host
    let shownPort = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
    return (isSecure ? "https://" : "http://") + shownHost + shownPort
  }
}

extension ValueKind where Value == ServerURL {
  /// The address of a server.
  /// - Parameter api: what its API's paths begin with after `/api/`: an address is not one of those.
  package static func server(example: String, api: [String] = []) -> Self {
    Self(summary: "`https://` address", example: example, show: { $0.description }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      if let url = ServerURL(text) {
        guard let base = url.base(above: api) else {
          if !api.isEmpty, let base = url.withoutAPI {
            // No error: it works, and what a station remembers belongs to the address as it is written.
            findings.warning(
              at: node.position, "\(quoted(node.path)) ends in /api, which belongs to the API's own paths",
              "write \(base), unless this station has already served with this spelling: what it remembers belongs to it"
            )
          }
          return url
        }
        findings.error(
          at: node.position, "\(quoted(node.path)) has a path of the API in it",
          "write the address that the API is below, without that path: \(base)")
        return nil
      }
      // A password may be part of what was written: it is not repeated.
      findings.error(
        at: node.position, "\(quoted(node.path)) is no address of a server",
        "write scheme, host and perhaps a port and a path, without user, query or fragment: \(example)")
      return nil
    }
  }
}

/// What a section with `url`, `allowPlainHTTP` and `caFile` says of plain HTTP: elsewhere than to loopback it is an error
/// unless allowed, and a doubt all the same.
/// - Parameter shown: what the network would see.
package func checkPlainHTTP(_ url: ServerURL, isAllowed: Bool, shows shown: String, _ reader: SectionReader) {
  if url.isSecure { return }
  let place = reader.position(of: "url")
  if !url.isLoopback && !isAllowed {
    reader.findings.error(
      at: place, "plain HTTP to \(url.host) shows \(shown) to the network",
      "write https://, or set allowPlainHTTP: true where the network is your own")
  } else if !url.isLoopback {
    reader.findings.warning(
      at: place, "plain HTTP to \(url.host) shows \(shown) to the network", "write https:// when you can")
  }
  if let caFile = reader.keyPosition(of: "caFile") {
    reader.findings.warning(at: caFile, "caFile has no effect with plain HTTP", "write https://, or remove caFile")
  }
}
