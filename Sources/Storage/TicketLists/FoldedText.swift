/// Names of columns and words of states, made comparable: capitals, accents, umlauts and what stands between words do not matter.
enum FoldedText {
  /// The words: `Gültig bis (Tag)` is `gueltig`, `bis`, `tag`, and so is `GueltigBisTag`, but for its third word.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasSmall = false
    for scalar in text.unicodeScalars {
      let properties = scalar.properties
      if scalar == "\u{308}", let last = word.last, "aou".contains(last) {
        word.append("e")
        continue
      }
      // Other accents that stand behind their letter.
      if (0x300...0x36F).contains(scalar.value) { continue }
      // º and ª are letters to Unicode, and marks in nº.
      let isLetter = properties.isAlphabetic && scalar.value != 0xBA && scalar.value != 0xAA
      guard isLetter || properties.numericType != nil else {
        if !word.isEmpty { words.append(word) }
        (word, wasSmall) = ("", false)
        continue
      }
      if wasSmall, properties.isUppercase {
        words.append(word)
        word = ""
      }
      wasSmall = properties.isLowercase
      for small in properties.lowercaseMapping.unicodeScalars { word += plain(small) }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// The words without anything between them: what two names that mean the same have in common.
  static func key(_ text: String) -> String { words(text).joined() }

  static func key(_ bytes: ArraySlice<UInt8>) -> String { key(String(decoding: bytes, as: UTF8.self)) }

  /// How a known name may be written: with ue or u for ü.
  static func keys(of name: String) -> [String] {
    let key = key(name)
    let bare = self.key(String(name.map { umlauts[$0] ?? $0 }))
    return key == bare ? [key] : [key, bare]
  }

  private static let umlauts: [Character: Character] = ["ä": "a", "ö": "o", "ü": "u"]

  private static func plain(_ letter: Unicode.Scalar) -> String {
    switch letter {
    case "ä", "æ": "ae"
    case "ö", "œ": "oe"
    case "ü": "ue"
    case "ß": "ss"
    case "à", "á", "â", "ã", "å": "a"
    case "ç": "c"
    case "è", "é", "ê", "ë": "e"
    case "ì", "í", "î", "ï": "i"
    case "ñ": "n"
    case "ò", "ó", "ô", "õ", "ø": "o"
    case "ù", "ú", "û": "u"
    case "ý", "ÿ": "y"
    case "\u{307}": ""
    default: String(Character(letter))
    }
  }
}
