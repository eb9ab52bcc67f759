import Glibc
import StationProtocol
internal import TicketSystemKit

extension ValueKind where Value == ListenAddress {
  /// An IP address and a port to listen at.
  static var listenAddress: Self {
    let example = "127.0.0.1:8088"
    return Self(summary: "IP address and port", example: example, show: { $0.description }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      func refused(_ remedy: String) -> ListenAddress? {
        node.refuse(text, remedy, findings)
        return nil
      }
      let remedy = "write an IP address of this machine and a port, such as \(example), 0.0.0.0:8088 or \"[::]:8088\""
      guard let colon = text.lastIndex(of: ":"), let port = number(text[text.index(after: colon)...]) else {
        return refused(remedy)
      }
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") {
        host = String(host.dropFirst().dropLast())
        guard host.contains(":") else { return refused(remedy) }
      } else if host == "localhost" {
        host = "127.0.0.1"
      } else if host.contains(":") {
        return refused(remedy)
      }
      guard let address = canonicalAddress(host) else { return refused(remedy) }
      guard (1_024...65_535).contains(port) else {
        return refused("write a port of 1024 to 65535: those below are root's")
      }
      return ListenAddress(host: address, port: port)
    }
  }

  private static func number(_ text: Substring) -> Int? {
    (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// An IP address as the machine writes it; `nil` where it is none.
package func canonicalAddress(_ text: String) -> String? {
  for (family, length) in [(AF_INET, INET_ADDRSTRLEN), (AF_INET6, INET6_ADDRSTRLEN)] {
    var address = in6_addr()
    guard inet_pton(family, text, &address) == 1 else { continue }
    var written = [CChar](repeating: 0, count: Int(length))
    guard inet_ntop(family, &address, &written, socklen_t(length)) != nil else { continue }
    return String(decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  return nil
}

extension ValueKind where Value == String {
  /// The name of a host, or its address.
  static var hostName: Self {
    text(
      "host", example: "north-door.local",
      expected: "write a host's name without a port, such as north-door.local; no * and no scheme",
      where: { isHostName($0) || canonicalAddress($0) != nil })
  }
}

/// Whether `text` can be the name of a host (RFC 1123).
private func isHostName(_ text: String) -> Bool {
  let labels = text.split(separator: ".", omittingEmptySubsequences: false)
  return text.utf8.count <= 253
    && labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}

extension ValueKind where Value == OrderKind {
  /// An order by its name.
  static var order: Self { choice(OrderKind.self) }
}

extension ValueKind where Value == ConsoleCredential {
  /// A file in the folder of the console's secrets.
  static func consoleCredential(example: String) -> Self {
    Self(
      summary: "name of a file in `/etc/scangate/console`", example: example, show: { $0.name }
    ) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      guard isConsoleCredential(text) else {
        // Somebody may have put the secret itself here: it is not repeated.
        findings.error(
          at: node.position, "\(quoted(node.path)) is no name of a file in /etc/scangate/console",
          "write a name such as \(example), and put the file there")
        return nil
      }
      return ConsoleCredential(name: text, position: node.position)
    }
  }
}

/// Whether `text` can be the name of a file of secrets: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`, and does not look like a token itself.
package func isConsoleCredential(_ text: String) -> Bool {
  let marks = "._-".utf8
  guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= 64 else { return false }
  guard text.utf8.allSatisfy({ isLetterOrDigit($0) || marks.contains($0) }) else { return false }
  // A long name has its words apart, a token has none.
  return text.utf8.count < 20 || text.utf8.contains { marks.contains($0) }
}

extension ValueKind where Value == [ConsoleToken] {
  /// Tokens by the names of their files, each with a list of scopes.
  static var tokens: Self {
    let example = "{ wall-screen: [events] }"
    let scopes = ValueKind<[ConsoleScope]>.list(
      of: .choice(ConsoleScope.self), count: 1...ConsoleScope.allCases.count, noun: "scopes")
    return Self(
      summary: "for each file in `/etc/scangate/console` a list of scopes", example: example,
      show: { $0.isEmpty ? "{}" : "see below" }
    ) { node, findings in
      guard case .mapping(let entries) = node.content else {
        let what = node.isAbsentValue ? "has no value" : "is no mapping"
        findings.error(
          at: node.position, "\(quoted(node.path)) \(what)", "write names of files with their scopes: \(example)")
        return nil
      }
      var tokens: [ConsoleToken] = []
      for entry in entries {
        if !isConsoleCredential(entry.key) {
          findings.error(
            at: entry.position, "a key of \(quoted(node.path)) is no name of a file in /etc/scangate/console",
            "write a name such as wall-screen, and put the file there")
        }
        guard let read = scopes.parse(entry.value, findings) else { continue }
        tokens.append(
          ConsoleToken(
            credential: ConsoleCredential(name: entry.key, position: entry.position), scopes: Set(read)))
      }
      return tokens
    }
  }
}
