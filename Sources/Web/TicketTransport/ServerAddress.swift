/// The base of a ticket system's URLs: scheme, host, port and a path without a slash at its end.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  /// Why text cannot be a base URL, in words for the person who configured it.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what would be right.
    package let description: String
  }

  /// Whether TLS protects the connection.
  package let isSecure: Bool
  /// The host name or address; an IPv6 address without brackets.
  package let host: String
  /// The port.
  package let port: Int
  /// The path before the API's own; empty or beginning with a slash.
  package let path: String

  /// Reads a base URL, such as `https://tickets.example` or `https://example.org:8443/events`.
  /// - Parameter allowPlainHTTP: whether `http` may leave this machine; to loopback it always may.
  /// - Throws: `Fault` for another scheme, user names, queries, fragments, unusable hosts and ports.
  package init(_ text: String, allowPlainHTTP: Bool = false) throws(Fault) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Fault(description: "A base URL has only printable ASCII characters and no blanks.")
    }
    let lower = text.lowercased()
    let rest: Substring
    if lower.hasPrefix("https://") {
      isSecure = true
      rest = text.dropFirst(8)
    } else if lower.hasPrefix("http://") {
      isSecure = false
      rest = text.dropFirst(7)
    } else {
      throw Fault(description: "A base URL begins with https:// (for example https://tickets.example).")
    }
    guard !rest.contains(where: { "?#\\".contains($0) }) else {
      throw Fault(description: "A base URL has no query, fragment or backslash.")
    }
    let authority = rest.prefix { $0 != "/" }
    guard !authority.contains("@") else {
      throw Fault(description: "A base URL has no user name or password; the key goes into its own file.")
    }
    var path = String(rest.dropFirst(authority.count))
    while path.hasSuffix("/") { path.removeLast() }
    guard path.allSatisfy({ $0.isLetter || $0.isNumber || "/-._~%!$&'()*+,;=:@".contains($0) }) else {
      throw Fault(description: "The path in the base URL has a character that must be percent-encoded.")
    }
    self.path = path

    let name: Substring
    let portText: Substring?
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else {
        throw Fault(description: "The IPv6 address in the base URL has no closing bracket.")
      }
      name = authority[authority.index(after: authority.startIndex)..<close]
      let tail = authority[authority.index(after: close)...]
      guard tail.isEmpty || tail.hasPrefix(":"), name.contains(":"),
        name.allSatisfy({ $0.isHexDigit || ":.".contains($0) })
      else {
        throw Fault(description: "The IPv6 address in the base URL cannot be read.")
      }
      portText = tail.isEmpty ? nil : tail.dropFirst()
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      name = parts.first ?? ""
      portText = parts.count > 1 ? parts[1] : nil
      guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else {
        throw Fault(description: "The base URL has no usable host name.")
      }
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
    guard isSecure || allowPlainHTTP || Self.isLoopback(host) else {
      throw Fault(
        description:
          "http:// sends the key readable to everyone between here and \(host). Use https://, or allow plain HTTP "
          + "for this server expressly.")
    }
  }

  /// Host and port, for messages.
  package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Host and port as requests name them: without the port that goes without saying.
  var hostHeader: String {
    port == (isSecure ? 443 : 80) ? (host.contains(":") ? "[\(host)]" : host) : description
  }

  /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
  }
}
