package import TicketTransport

extension ServerAddress {
  /// The address without the API's own path, where it was written with one: `https://host` of `https://host/api/tickets/scan`.
  /// - Parameter api: what such paths begin with after `/api/`.
  fileprivate func base(above api: [String]) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard
      let index = parts.indices.dropLast().last(where: { parts[$0] == "api" && api.contains(String(parts[$0 + 1])) })
    else { return nil }
    return description.dropLast(path.count) + parts[..<index].joined(separator: "/")
  }

  /// The address without an `/api` at its end; `nil` where it has none.
  package var withoutAPI: ServerAddress? {
    path.hasSuffix("/api") ? try? ServerAddress(String(description.dropLast(4)), allowPlainHTTP: true) : nil
  }
}

extension ValueKind where Value == ServerAddress {
  /// The address of a server.
  /// - Parameter api: what its API's paths begin with after `/api/`: an address is not one of those.
  package static func server(example: String, api: [String] = []) -> Self {
    Self(summary: "`https://` address", example: example, show: { $0.description }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      if let url = try? ServerAddress(text, allowPlainHTTP: true) {
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
package func checkPlainHTTP(_ url: ServerAddress, isAllowed: Bool, shows shown: String, _ reader: SectionReader) {
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
