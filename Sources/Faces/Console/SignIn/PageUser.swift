/// Somebody who may sign in, as the users' file has them.
package struct PageUser: Sendable, Hashable {
  package let name: String
  package let role: PageRole
  package let hash: PasswordHash

  /// The roles that a user may have; a door is a device's.
  package static let roles: [PageRole] = [.attendant, .technician, .organiser]

  package init(name: String, role: PageRole, hash: PasswordHash) {
    (self.name, self.role, self.hash) = (name, role, hash)
  }

  /// Whether `text` can be a name: `[a-z0-9][a-z0-9._-]{0,31}`.
  package static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func isPlain(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return (1...32).contains(bytes.count) && isPlain(bytes[0])
      && bytes.allSatisfy { isPlain($0) || "._-".utf8.contains($0) }
  }

  /// A name as somebody types it: telephones begin it with a capital letter and end it with a blank.
  static func typed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()).lowercased()
  }
}

/// The users' file: a line for each, `NAME:ROLE:HASH`. Lines that are empty or begin with `#` say nothing. Pure.
package struct PageUsers: Sendable, Equatable {
  package static let most = 256
  package static let longest = 65_536

  package private(set) var users: [PageUser] = []

  package init() {}

  /// Reads a file.
  /// - Throws: what is wrong with which line; nothing of it is heeded then.
  package init(_ bytes: [UInt8]) throws(AccessFileFault) {
    for (number, line) in try AccessFile.lines(of: bytes, upTo: Self.longest) {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 3, PageUser.isName(String(parts[0])),
        let role = PageRole(rawValue: String(parts[1])), PageUser.roles.contains(role),
        let hash = PasswordHash(text: parts[2])
      else { throw AccessFileFault(line: number, words: "is not NAME:ROLE:HASH") }
      let name = String(parts[0])
      guard self[name] == nil else { throw AccessFileFault(line: number, words: "names a user who was named before") }
      guard users.count < Self.most else { throw AccessFileFault(line: number, words: "is one user too many") }
      users.append(PageUser(name: name, role: role, hash: hash))
    }
  }

  package subscript(name: String) -> PageUser? { users.first { $0.name == name } }

  /// Puts a user in, in place of whoever has the name.
  /// - Returns: false where there are too many.
  package mutating func set(_ user: PageUser) -> Bool {
    if let index = users.firstIndex(where: { $0.name == user.name }) {
      users[index] = user
    } else {
      guard users.count < Self.most else { return false }
      users.append(user)
    }
    return true
  }

  /// - Returns: whether there was one.
  package mutating func remove(_ name: String) -> Bool {
    let count = users.count
    users.removeAll { $0.name == name }
    return users.count < count
  }

  package var text: String {
    "# Written by: scangate console user\n"
      + users.map { "\($0.name):\($0.role.rawValue):\($0.hash.text)\n" }.joined()
  }
}
