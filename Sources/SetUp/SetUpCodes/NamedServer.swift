/// A server as a set-up code or a trust list names it: `https`, a host name, a port, a path.
///
/// Never an address: what a station may speak to is decided by names that somebody has written down, and a certificate is
/// for a name.
package struct NamedServer: Sendable, Hashable, CustomStringConvertible {
  /// Why text does not name a server, in words for whoever wrote it.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what would be right; without the text itself.
    package let description: String

    init(_ description: String) { self.description = description }
  }

  /// The longest name with port and path, in bytes, written as short as can be.
  package static let longest = 255

  /// The host name in lower case; never an address literal.
  package let host: String
  /// The port.
  package let port: Int
  /// The path before the API's own; empty or beginning with a slash.
  package let path: String

  /// Reads `https://host[:port][/path]` or `host[:port][/path]`, which means the same. Capital and small letters are the
  /// same but in the path.
  /// - Throws: `Fault` for everything else: another scheme, an address in any spelling, `localhost`, user names, queries,
  ///   fragments, what is not ASCII.
  package init(_ text: String) throws(Fault) {
    var bytes = [UInt8](text.utf8)[...]
    guard !bytes.isEmpty else {
      throw Fault("There is no server: write one as tickets.example or tickets.example:8443.")
    }
    guard bytes.count <= 2 * Self.longest else { throw Self.tooLong }
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Fault("A server is written in ASCII without blanks; an international name in its xn-- form.")
    }
    if let end = Self.schemeEnd(of: bytes) {
      guard bytes.prefix(upTo: end).map(\.lowercased) == [UInt8]("https".utf8) else {
        throw Fault("Servers are spoken to by https only: write https://tickets.example.")
      }
      bytes = bytes[(end + 3)...]
    }
    guard !bytes.contains(where: { "?#\\".utf8.contains($0) }) else {
      throw Fault("A server is written without query, fragment and backslash.")
    }
    let authority = bytes.prefix { $0 != UInt8(ascii: "/") }
    guard !authority.contains(UInt8(ascii: "@")) else { throw Fault("A server is written without a user name.") }
    guard !authority.contains(where: { "[]".utf8.contains($0) }) else { throw Self.literal }
    let parts = authority.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !(parts.count > 1 && parts[1].contains(UInt8(ascii: ":"))) else { throw Self.literal }
    host = try Self.host(name.map(\.lowercased))
    port = try parts.count > 1 ? Self.port(parts[1]) : 443
    path = try Self.path(bytes.dropFirst(authority.count))
    guard shortest.utf8.count <= Self.longest else { throw Self.tooLong }
  }

  /// Host and port, by which servers are compared: `tickets.example:443`.
  package var hostAndPort: String { "\(host):\(port)" }

  /// The one way in which codes write it: as short as can be, without the scheme.
  package var shortest: String { (port == 443 ? host : hostAndPort) + path }

  /// The whole base URL.
  package var url: String { "https://" + shortest }

  /// Host and port, for messages.
  package var description: String { hostAndPort }

  /// Where `://` begins.
  static func schemeEnd(of bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }
  }

  private static let tooLong = Fault("A server is written with at most \(longest) characters.")
  private static let literal = Fault(
    "A server is named by its host name (tickets.example), never by an address: a certificate is for a name.")

  private static func host(_ name: [UInt8]) throws(Fault) -> String {
    guard !name.isEmpty else { throw Fault("There is no host name: write one as tickets.example.") }
    guard name.count <= 253 else { throw Fault("A host name has at most 253 characters.") }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for label in labels {
      guard !label.isEmpty else { throw Fault("A host name has no empty part, and no dot at its end.") }
      guard label.count <= 63, label.allSatisfy({ $0.isSmallLetter || $0.isDigit || $0 == UInt8(ascii: "-") }),
        label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-")
      else { throw Fault("A host name has only letters, digits, dots, and dashes inside of its parts.") }
    }
    guard let last = labels.last, !isNumber(last) else { throw literal }
    // Debian's hosts file has more names of that kind.
    guard !labels.contains(where: { $0.elementsEqual("localhost".utf8) || $0.starts(with: "ip6-".utf8) }) else {
      throw Fault("This machine itself (localhost) cannot be named: a code is for other stations, too.")
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Whether resolvers take a last part for one of an IPv4 address, in whatever base: then the whole name may be one. No real
  /// top-level domain is a number. Source: inet_aton(3); URL Standard, "ends in a number checker".
  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    if label.allSatisfy(\.isDigit) { return true }
    guard label.starts(with: "0x".utf8) else { return false }
    return label.dropFirst(2).allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
  }

  private static func port(_ text: ArraySlice<UInt8>) throws(Fault) -> Int {
    guard (1...5).contains(text.count), text.allSatisfy(\.isDigit), text.first != UInt8(ascii: "0") else {
      throw Fault("A port is a number from 1 to 65535.")
    }
    let number = text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard number <= 65_535 else { throw Fault("A port is a number from 1 to 65535.") }
    return number
  }

  private static func path(_ text: ArraySlice<UInt8>) throws(Fault) -> String {
    var text = text
    while text.last == UInt8(ascii: "/") { text.removeLast() }
    for part in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      guard !part.isEmpty, part != [UInt8](".".utf8)[...], part != [UInt8]("..".utf8)[...],
        part.allSatisfy({ $0.lowercased.isSmallLetter || $0.isDigit || "-._~".utf8.contains($0) })
      else { throw Fault("A path has only letters, digits and - . _ ~ between its slashes, and no . or .. alone.") }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UInt8 {
  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
  /// The small letter of an ASCII capital one.
  var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
  /// The capital letter of an ASCII small one.
  var uppercased: UInt8 { isSmallLetter ? self - 0x20 : self }
}
