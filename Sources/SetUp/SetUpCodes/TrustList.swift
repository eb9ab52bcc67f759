internal import CodeSigning
internal import WireText

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
    let list: EditedList
    do throws(EditedList.Problem) {
      list = try EditedList(bytes, mostBytes: mostBytes, mostLines: mostLines)
    } catch {
      throw TrustFault(file, [error])
    }
    var reading = Reading()
    for line in list.lines { reading.take(line) }
    guard reading.problems.isEmpty else { throw TrustFault(file, reading.problems) }
    return TrustList(servers: Set(reading.servers.keys), keys: reading.keys.keys)
  }

  /// Reads a list.
  package static func read(_ text: String, file: String) throws(TrustFault) -> TrustList {
    try read([UInt8](text.utf8), file: file)
  }
}

/// What is wrong with a trust list, all at once: each line `FILE:LINE:COLUMN: what, and what to do`.
package struct TrustFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The messages, in the order of the file.
  package let problems: [String]

  init(_ file: String, _ problems: [EditedList.Problem]) {
    self.problems = problems.map { "\(file):\($0.line):\($0.column): \($0.what)" }
  }

  package var description: String { problems.joined(separator: "\n") }
}

/// A list that is being read.
private struct Reading {
  var servers: [String: Int] = [:]
  var keys = NamedKeys()
  var problems: [EditedList.Problem] = []

  mutating func take(_ line: EditedList.Line) {
    let words = line.words
    func complain(_ what: String, at word: Int = 0) {
      problems.append(EditedList.Problem(line: line.number, column: line.column(of: word), what: what))
    }
    switch line.keyword {
    case "server":
      guard words.count == 2 else {
        return complain("a server is written as: server tickets.example:443", at: words.count > 2 ? 2 : 1)
      }
      do throws(NamedServer.Fault) {
        let server = try NamedServer(line.text(1))
        guard server.path.isEmpty else {
          return complain("a server is trusted by its name and port: leave out what follows them", at: 1)
        }
        if let before = servers[server.hostAndPort] {
          return complain("\(server) is in line \(before) already", at: 1)
        }
        servers[server.hostAndPort] = line.number
      } catch {
        complain(error.description, at: 1)
      }
    case "key":
      if let problem = keys.take(line, printedBy: OrganiserPurpose.maker) { problems.append(problem) }
    default:
      // What stands there may be a secret that was pasted into the wrong file.
      complain("a line begins with server, key or #")
    }
  }
}
