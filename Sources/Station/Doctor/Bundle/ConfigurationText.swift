/// The configuration as a bundle has it: without comments, and without what somebody may have written into it that belongs elsewhere. Pure.
enum ConfigurationText {
  /// What a key is called whose value may be a secret; the names of credentials are none.
  private static let suspicious = ["key", "token", "secret", "password", "passwd", "pin", "credential", "auth"]
  private static let harmless: Set<String> = ["keymap"]

  /// - Parameter credentials: the names of credentials, which may be shown.
  static func shown(_ text: String, credentials: Set<String>) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      shown(line: withoutComment(line), credentials)
    }.filter { !$0.allSatisfy { $0 == " " } }.joined(separator: "\n") + "\n"
  }

  /// A line without what follows `#`; a text in quotation marks that holds one is cut as well.
  private static func withoutComment(_ line: Substring) -> Substring {
    var previous: Character = " "
    for index in line.indices {
      if line[index] == "#", previous == " " || previous == "\t" { return line[..<index] }
      previous = line[index]
    }
    return line
  }

  private static func shown(line: Substring, _ credentials: Set<String>) -> String {
    var result = ""
    var rest = line
    // Keys and values of one line: `a: b`, and `{ a: b, c: d }`.
    while let colon = rest.firstIndex(of: ":") {
      let end = rest.index(after: colon)
      let name = rest[..<colon].reversed().prefix { $0.isLetter || $0.isNumber || "_-\"'".contains($0) }
      let key = String(name.reversed()).filter { $0.isLetter || $0.isNumber }.lowercased()
      result += rest[..<end]
      rest = rest[end...]
      guard !harmless.contains(key), suspicious.contains(where: { key.contains($0) }) else { continue }
      let value = rest.prefix { !",}]".contains($0) }
      rest = rest[value.endIndex...]
      result += isShown(value, credentials) ? String(value) : " " + SecretSearch.mark
    }
    return withoutAccounts(result + rest).split(separator: " ", omittingEmptySubsequences: false)
      .map { looksRandom($0) && !credentials.contains(String($0)) ? SecretSearch.mark : String($0) }.joined(
        separator: " ")
  }

  private static func isShown(_ value: Substring, _ credentials: Set<String>) -> Bool {
    let plain = value.filter { !" \"'\t\r".contains($0) }
    return plain.isEmpty || plain.hasPrefix("{") || plain.hasPrefix("[") || plain.hasPrefix("/") || plain == "true"
      || plain == "false" || credentials.contains(String(plain))
  }

  /// `https://name:password@host` without the account.
  private static func withoutAccounts(_ line: String) -> String {
    guard let scheme = line.firstRange(of: "://") else { return line }
    let rest = line[scheme.upperBound...]
    let authority = rest.prefix { !"/ \"',".contains($0) }
    let begin = line[..<scheme.upperBound] + (authority.contains("@") ? SecretSearch.mark : "")
    let host = authority.lastIndex(of: "@").map { authority[$0...] } ?? authority
    return begin + host + withoutAccounts(String(rest[authority.endIndex...]))
  }

  /// Whether a word has nothing of a name, a path or an address: letters and digits mixed, and many of them.
  private static func looksRandom(_ word: Substring) -> Bool {
    let plain = word.filter { !"\"',{}[]".contains($0) }
    guard plain.utf8.count >= 20,
      plain.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+=_-".contains($0)) })
    else { return false }
    return plain.contains(where: \.isNumber) && plain.contains(where: \.isLetter)
  }
}
