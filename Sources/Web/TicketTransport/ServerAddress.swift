/// The address of a server: scheme, host, port and base path, and nothing else.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  /// Why text cannot be a base URL, in words for the person who configured it.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what would be right.
    package let description: String
  }

  /// Whether TLS protects the connection.
  package let isSecure: Bool
  /// The host in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
  package let host: String
  /// The port: the given one, else 443 or 80.
  package let port: Int
  /// The path before the API's own, without a slash at its end; empty or beginning with a slash.
  package let path: String

  /// Reads a base URL, such as `https://tickets.example` or `https://example.org:8443/events`.
  /// - Parameter allowPlainHTTP: whether `http` may leave this machine; to loopback it always may.
  /// - Throws: `Fault` for another scheme, user names, queries, fragments, unusable hosts, ports and paths.
  package init(_ text: String, allowPlainHTTP: Bool = false) throws(Fault) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Fault(description: "A base URL has only printable ASCII characters and no blanks.")
    }
    let lower = text.lowercased()
    isSecure = lower.hasPrefix("https://")
    guard isSecure || lower.hasPrefix("http://") else {
      throw Fault(description: "A base URL begins with https:// (for example https://tickets.example).")
    }
    let rest = text.dropFirst(isSecure ? 8 : 7)
    guard !rest.contains(where: { "?#\\".contains($0) }) else {
      throw Fault(description: "A base URL has no query, fragment or backslash.")
    }
    let authority = rest.prefix { $0 != "/" }
    guard !authority.contains("@") else {
      throw Fault(description: "A base URL has no user name or password; the key goes into its own file.")
    }
    var path = String(rest.dropFirst(authority.count))
    while path.hasSuffix("/") { path.removeLast() }
    guard path.allSatisfy({ $0.isLetter || $0.isNumber || "/-._~!$&'()*+,;=:".contains($0) }),
      !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
    else {
      throw Fault(description: "The path in the base URL has a character that cannot stand there, or a . or .. in it.")
    }
    self.path = path

    let name: Substring
    let portText: Substring?
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else {
        throw Fault(description: "The IPv6 address in the base URL has no closing bracket.")
      }
      name = authority[..<close].dropFirst()
      let tail = authority[close...].dropFirst()
      guard tail.isEmpty || tail.hasPrefix(":"), name.contains(":"),
        name.allSatisfy({ $0.isHexDigit || ":.".contains($0) })
      else {
        throw Fault(description: "The IPv6 address in the base URL cannot be read.")
      }
      portText = tail.isEmpty ? nil : tail.dropFirst()
    } else {
      name = authority.prefix { $0 != ":" }
      portText = name.endIndex == authority.endIndex ? nil : authority[name.endIndex...].dropFirst()
      guard Self.isHostName(name) else { throw Fault(description: "The base URL has no usable host name.") }
    }
    host = name.lowercased()
    if let portText {
      guard let number = Int(portText), (1...65_535).contains(number), portText.allSatisfy(\.isNumber) else {
        throw Fault(description: "The port in the base URL is not a number from 1 to 65535.")
      }
      port = number
    } else {
      port = isSecure ? 443 : 80
    }
    guard isSecure || allowPlainHTTP || isLoopback else {
      throw Fault(
        description:
          "http:// sends the key readable to everyone between here and \(host). Use https://, or allow plain HTTP "
          + "for this server expressly.")
    }
  }

  /// Letters, digits and hyphens between dots (RFC 1123, 2.1); an underscore is tolerated, for local names have them.
  private static func isHostName(_ name: Substring) -> Bool {
    guard (1...253).contains(name.utf8.count) else { return false }
    let trimmed = name.hasSuffix(".") ? name.dropLast() : name
    return trimmed.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
  }

  /// The address as it would be written.
  package var description: String { (isSecure ? "https://" : "http://") + hostHeader + path }

  /// Host and port, for messages.
  package var hostAndPort: String { "\(shownHost):\(port)" }

  /// Host and port as requests name them: without the port that goes without saying.
  package var hostHeader: String { port == (isSecure ? 443 : 80) ? shownHost : hostAndPort }

  private var shownHost: String { host.contains(":") ? "[\(host)]" : host }

  /// Whether the host is this machine by its very name: `localhost`, `127.0.0.0/8`, `::1`.
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// The same of any host, in lower case and without brackets.
  package static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
  }
}
