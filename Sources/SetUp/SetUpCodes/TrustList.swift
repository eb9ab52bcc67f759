/// Whom set-up codes may name at this station: servers by their names, and organisers by the keys with which they sign.
/// Whoever can write the file decides it.
package struct TrustList: Sendable, Equatable {
  /// The largest file, in bytes.
  package static let mostBytes = 65_536
  /// The most lines that a file may have.
  package static let mostLines = 256
  /// Trusts nobody.
  package static let none = TrustList(servers: [], keys: [])

  /// The servers, by host and port.
  package private(set) var servers: Set<String>
  /// The organisers' keys.
  package private(set) var keys: [OrganiserPublicKey]

  private init(servers: Set<String>, keys: [OrganiserPublicKey]) {
    self.servers = servers
    self.keys = keys
  }

  /// Whether this very server is on the list: by host and port, without wildcards.
  package func names(_ server: NamedServer) -> Bool { servers.contains(server.hostAndPort) }

  /// Reads a list: lines `server HOST[:PORT]` and `key NAME BASE64`, and comments from a `#` on. Whatever editors do to the ends of
  /// lines and to the beginning of a file is borne. An empty file trusts nobody.
  /// - Parameter file: its name, for the words of a fault.
  /// - Throws: `TrustFault` with everything that is wrong in it.
  package static func read(_ bytes: [UInt8], file: String) throws(TrustFault) -> TrustList {
    if bytes.count > mostBytes {
      throw TrustFault(file, [(1, 1, "this is longer than \(mostBytes) bytes: the wrong file?")])
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw TrustFault(file, [(1, 1, "the file is in UTF-16: save it as UTF-8 or ANSI")])
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let lines = Self.lines(text)
    if lines.count > mostLines {
      throw TrustFault(file, [(mostLines + 1, 1, "more than \(mostLines) lines: the wrong file?")])
    }
    var reading = Reading()
    for (index, line) in lines.enumerated() { reading.take(line, number: index + 1) }
    guard reading.problems.isEmpty else { throw TrustFault(file, reading.problems) }
    return TrustList(servers: Set(reading.servers.keys), keys: reading.keys.map(\.key))
  }

  /// Reads a list.
  package static func read(_ text: String, file: String) throws(TrustFault) -> TrustList {
    try read([UInt8](text.utf8), file: file)
  }

  /// Lines end with LF, CR LF or CR; the last one need not.
  private static func lines(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      lines.append(rest[..<end])
      rest = rest[(end + 1)...]
      if text[end] == 0x0D, rest.first == 0x0A { rest.removeFirst() }
    }
    if !rest.isEmpty { lines.append(rest) }
    return lines
  }
}

/// What is wrong with a trust list, all at once: each line `FILE:LINE:COLUMN: what, and what to do`.
package struct TrustFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The messages, in the order of the file.
  package let problems: [String]

  init(_ file: String, _ problems: [(line: Int, column: Int, what: String)]) {
    self.problems = problems.map { "\(file):\($0.line):\($0.column): \($0.what)" }
  }

  package var description: String { problems.joined(separator: "\n") }
}

/// A list that is being read.
private struct Reading {
  var servers: [String: Int] = [:]
  var keys: [(name: String, key: OrganiserPublicKey, line: Int)] = []
  var problems: [(line: Int, column: Int, what: String)] = []

  mutating func take(_ line: ArraySlice<UInt8>, number: Int) {
    let text = line.prefix { $0 != UInt8(ascii: "#") }
    let words = text.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 || $0 == 0 })
    guard let first = words.first else { return }
    func complain(_ what: String, at word: Int = 0) {
      let place = words.indices.contains(word) ? words[word].startIndex : text.endIndex
      problems.append((number, place - line.startIndex + 1, what))
    }
    switch String(decoding: first.map(\.lowercased), as: UTF8.self) {
    case "server":
      guard words.count == 2 else {
        return complain("a server is written as: server tickets.example:443", at: words.count > 2 ? 2 : 1)
      }
      do throws(NamedServer.Fault) {
        let server = try NamedServer(String(decoding: words[1], as: UTF8.self))
        guard server.path.isEmpty else {
          return complain("a server is trusted by its name and port: leave out what follows them", at: 1)
        }
        if let before = servers[server.hostAndPort] {
          return complain("\(server) is in line \(before) already", at: 1)
        }
        servers[server.hostAndPort] = number
      } catch {
        complain(error.description, at: 1)
      }
    case "key":
      guard words.count == 3 else {
        return complain(
          "a key is written as: key NAME BASE64, as scangate enrol-code --make-key prints it",
          at: words.count > 3 ? 3 : words.count)
      }
      guard (1...32).contains(words[1].count), words[1].allSatisfy({ $0.isName }) else {
        return complain("a key's name has 1 to 32 letters, digits and - . _", at: 1)
      }
      let name = String(decoding: words[1], as: UTF8.self)
      guard let key = OrganiserPublicKey(text: String(decoding: words[2], as: UTF8.self)) else {
        return complain("this is no public key: 44 characters as scangate enrol-code --make-key prints them", at: 2)
      }
      if let before = keys.first(where: { $0.key == key }) {
        return complain("this key is in line \(before.line) already", at: 2)
      }
      if let before = keys.first(where: { $0.name == name }) {
        return complain("the name \(name) is in line \(before.line) already", at: 1)
      }
      keys.append((name, key, number))
    default:
      // What stands there may be a secret that was pasted into the wrong file.
      complain("a line begins with server, key or #")
    }
  }
}

extension UInt8 {
  fileprivate var isName: Bool { lowercased.isSmallLetter || isDigit || "-._".utf8.contains(self) }
}
