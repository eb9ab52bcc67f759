internal import TicketSystemKit
internal import TicketTransport

/// A broker's address.
package struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
  /// Whether TLS protects the connection.
  package var isSecure: Bool
  /// A name or an address, without brackets.
  package var host: String
  /// The port: the given one, else 8883 or 1883.
  package var port: UInt16

  package init(isSecure: Bool, host: String, port: UInt16) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// Whether the host is this machine by its very name.
  package var isLoopback: Bool { ServerAddress.isLoopback(host) }

  package var description: String {
    "\(isSecure ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Reads `mqtts://HOST[:PORT]`, `mqtt://HOST[:PORT]`, or `HOST[:PORT]`, which is the first.
  package init?(_ text: String) {
    var rest = Substring(text)
    isSecure = true
    if rest.hasPrefix("mqtts://") {
      rest = rest.dropFirst(8)
    } else if rest.hasPrefix("mqtt://") {
      (isSecure, rest) = (false, rest.dropFirst(7))
    }
    guard let address = HostAndPort(rest) else { return nil }
    host = address.host
    port = address.port ?? (isSecure ? 8_883 : 1_883)
  }
}

/// `HOST[:PORT]`, where the host is a name, an IPv4 address, or an IPv6 address in brackets.
struct HostAndPort {
  /// Without brackets.
  let host: String
  /// `nil` where none is given.
  let port: UInt16?

  init?(_ text: Substring) {
    var port: Substring?
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { return nil }
      host = String(text[..<close].dropFirst())
      let tail = text[close...].dropFirst()
      guard tail.isEmpty || tail.hasPrefix(":"), host.contains(":"),
        host.allSatisfy({ $0.isHexDigit || ":.".contains($0) })
      else { return nil }
      port = tail.isEmpty ? nil : tail.dropFirst()
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count), Self.isHost(parts[0]) else { return nil }
      host = parts[0].lowercased()
      port = parts.count == 2 ? parts[1] : nil
    }
    guard let port else {
      self.port = nil
      return
    }
    guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt16(port), number > 0
    else { return nil }
    self.port = number
  }

  /// A name (RFC 1123; an underscore is tolerated, for local names have them) or an IPv4 address.
  private static func isHost(_ text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
      }
  }
}
