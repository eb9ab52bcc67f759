package import WireText

/// The public keys of a list that people edit: a line `key NAME BASE64` each.
package struct NamedKeys: Sendable {
  private var found: [(name: String, key: VerifyingKey, line: Int)] = []

  /// Has none.
  package init() {}

  /// The keys, in the list's order.
  package var keys: [VerifyingKey] { found.map(\.key) }

  /// Takes a line that begins with `key`.
  /// - Parameter maker: the command that prints such lines.
  /// - Returns: what is wrong with it; `nil` where nothing is.
  package mutating func take(_ line: EditedList.Line, printedBy maker: String) -> EditedList.Problem? {
    let words = line.words
    func problem(_ what: String, at word: Int) -> EditedList.Problem {
      EditedList.Problem(line: line.number, column: line.column(of: word), what: what)
    }
    guard words.count == 3 else {
      return problem(
        "a key is written as: key NAME BASE64, as \(maker) prints it", at: words.count > 3 ? 3 : words.count)
    }
    guard Self.isName(words[1]) else {
      return problem("a key's name has \(Self.nameRule)", at: 1)
    }
    let name = line.text(1)
    guard let key = VerifyingKey(text: line.text(2)) else {
      return problem("this is no public key: 44 characters as \(maker) prints them", at: 2)
    }
    if let before = found.first(where: { $0.key == key }) {
      return problem("this key is in line \(before.line) already", at: 2)
    }
    if let before = found.first(where: { $0.name == name }) {
      return problem("the name \(name) is in line \(before.line) already", at: 1)
    }
    found.append((name, key, line.number))
    return nil
  }

  /// What a key's name has.
  package static let nameRule = "1 to 32 letters, digits and - . _"

  /// Whether a key can be called so.
  package static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...32).contains(name.count)
      && name.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._".utf8.contains(byte)
        }
      }
  }
}
