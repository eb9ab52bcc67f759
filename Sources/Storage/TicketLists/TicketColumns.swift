/// Why a header cannot be used, and what would cure it: a sentence or more for each column.
struct BadHeader: Error, Equatable {
  var lines: [String]
  init(_ words: String...) { lines = words }
  init(lines: [String]) { self.lines = lines }
}

/// Which column of a file means what.
struct TicketColumns {
  /// The columns of each meaning: several only where that means something.
  private var places: [TicketColumn: [Int]] = [:]
  /// The names of the columns that mean nothing here, as the file has them.
  private(set) var ignored: [String] = []
  /// How many columns there are.
  let count: Int
  /// Whether the header is in a language that writes the day before the month.
  private(set) var isDayFirst = false

  /// The column of a meaning.
  subscript(meaning: TicketColumn) -> Int? { places[meaning]?.first }

  /// All columns of a meaning.
  func all(_ meaning: TicketColumn) -> [Int] { places[meaning] ?? [] }

  /// Reads the header.
  /// - Parameters:
  ///   - choices: what somebody says that columns mean.
  ///   - hasHolders: whether names and addresses are looked at.
  ///   - keepsDetails: whether names are.
  init(
    _ header: borrowing CSVRecord, _ choices: [ColumnChoice] = [], hasHolders: Bool = false, keepsDetails: Bool = false
  ) throws(BadHeader) {
    count = header.count
    var names: [String] = []
    for index in 0..<header.count {
      let name = String(decoding: trimmed(header[index]).prefix(64), as: UTF8.self)
      // Each fault has a line of its own, and a quoted name can have several.
      names.append(name.replacing("\r\n", with: " ").replacing("\n", with: " ").replacing("\r", with: " "))
    }
    let keys = names.map { FoldedText.key($0) }
    var problems: [String] = []
    var meanings = try Self.chosen(choices, keys, names)
    let isSettled = Set(meanings.values)
    isDayFirst = keys.contains { key in
      // Names and places are alike in many languages: client, place.
      guard let known = TicketColumn.known[key], Self.telling.contains(known.meaning) else { return false }
      return !known.languages.contains(.english) && key != "tag"
    }
    let tellsTime =
      !isSettled.isDisjoint(with: [.day, .from])
      || keys.contains { TicketColumn.known[$0].map { [.day, .from].contains($0.meaning) } ?? false }
    var ranked: [TicketColumn: [(rank: Int, index: Int)]] = [:]
    for (index, key) in keys.enumerated() where meanings[index] == nil {
      let known: (meaning: TicketColumn, rank: Int)?
      if key == TicketColumn.ambiguous {
        known = try Self.nombre(keys, names[index])
      } else if key == TicketColumn.show, tellsTime {
        known = (.eventID, .max)
      } else {
        known = TicketColumn.known[key].map { ($0.meaning, $0.rank) }
      }
      if let known {
        // What somebody said of one column is said of all: others of that meaning are not looked at.
        if isSettled.contains(known.meaning), !known.meaning.isRepeatable { continue }
        ranked[known.meaning, default: []].append((known.rank, index))
      } else if let guess = LimitingName.guess(names[index]) {
        problems.append(Self.unknown(names[index], guess))
      }
    }
    for (meaning, found) in ranked.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if found.count > 1, !meaning.isRepeatable, !meaning.hasBestName {
        problems.append(Self.several(found.map { names[$0.index] }, meaning))
      }
      let best = found.min { $0.rank < $1.rank }
      for column in found where meaning.isRepeatable || column.index == best?.index {
        meanings[column.index] = meaning
      }
    }
    guard problems.isEmpty else { throw BadHeader(lines: problems) }
    for index in names.indices {
      let meaning = meanings[index]
      if let meaning { places[meaning, default: []].append(index) }
      let isLookedAt =
        switch meaning {
        case nil, .ignored?: false
        case .seat?: !meanings.values.contains(.seats)
        case .row?, .section?: meanings.values.contains(.seats) || meanings.values.contains(.seat)
        case .name?: hasHolders || keepsDetails
        case .email?: hasHolders
        default: true
        }
      if !isLookedAt { ignored.append(names[index]) }
    }
  }

  private static let telling: Set<TicketColumn> = [.code, .status, .day, .from, .until, .quantity]

  /// The columns that somebody named.
  private static func chosen(
    _ choices: [ColumnChoice], _ keys: [String], _ names: [String]
  ) throws(BadHeader) -> [Int: TicketColumn] {
    var meanings: [Int: TicketColumn] = [:]
    for choice in choices {
      let key = FoldedText.key(choice.name)
      guard let index = keys.firstIndex(of: key) else {
        throw BadHeader(
          "no column is called \(choice.name), as --column says; there are \(names.joined(separator: ", ")).")
      }
      if let other = meanings[index], other != choice.meaning {
        throw BadHeader("the column \(names[index]) cannot be \(other.rawValue) and \(choice.meaning.rawValue).")
      }
      if !choice.meaning.isRepeatable, meanings.contains(where: { $0.value == choice.meaning && $0.key != index }) {
        throw BadHeader("--column names two columns for \(choice.meaning.rawValue): a file has one.")
      }
      meanings[index] = choice.meaning
    }
    return meanings
  }

  /// What the column is that is a number in French and a name in Spanish: the other columns tell.
  private static func nombre(
    _ keys: [String], _ name: String
  ) throws(BadHeader) -> (meaning: TicketColumn, rank: Int) {
    let languages = keys.compactMap { TicketColumn.known[$0]?.languages }
    let isFrench = languages.contains([.french])
    if isFrench != languages.contains([.spanish]) { return (isFrench ? .quantity : .name, 0) }
    throw BadHeader(
      "the column \(name) is a number in French and a name in Spanish. Say which: --column quantity=\(name) or --column name=\(name)."
    )
  }

  private static func unknown(_ name: String, _ guesses: [TicketColumn]) -> String {
    let quoted = quoted(name)
    let choices = guesses.map { "--column \($0.rawValue)=\(quoted)" }
    let cure =
      choices.isEmpty
      ? "Leave out the lines of those whom it keeps out"
      : "Say what it means, such as \(choices.joined(separator: " or "))"
    return """
      the column \(name) seems to limit who may come in, and what it says is not understood. \(cure), or that it limits \
      nobody: --column ignored=\(quoted).
      """
  }

  private static func several(_ names: [String], _ meaning: TicketColumn) -> String {
    """
    the columns \(names.joined(separator: ", ")) all say the \(meaning.rawValue). Say which one counts, such as \
    --column \(meaning.rawValue)=\(quoted(names.first ?? "")).
    """
  }

  /// As a shell takes it for one word.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "=_-.0123456789".unicodeScalars.contains($0)
    }
    return isPlain ? text : "'\(text.replacing("'", with: #"'\''"#))'"
  }
}

/// Bytes without blanks, tabs and line ends around them.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
  else { return [] }
  return bytes[first...last]
}
