/// The words of a command line, before they are taken apart.
enum CommandLineWords {
  /// An option's value that begins with a dash and a digit is written behind an equals sign: `--from -2h` becomes
  /// `--from=-2h`. For the parser `-2h` would be an option, and a cry for help where anything else is wrong.
  static func joined(_ words: [String]) -> [String] {
    var joined: [String] = []
    for (index, word) in words.enumerated() {
      if word == "--" { return joined + words[index...] }
      if word.first == "-", word.dropFirst().first?.isASCIIDigit == true, let option = joined.last, isLong(option) {
        joined[joined.count - 1] = "\(option)=\(word)"
      } else {
        joined.append(word)
      }
    }
    return joined
  }

  private static func isLong(_ word: String) -> Bool { word.hasPrefix("--") && !word.contains("=") }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
