import ScanModel

/// What names of the journal are called on paper.
enum PageWords {
  static func decider(_ name: String) -> String {
    switch Decider(rawValue: name) {
    case .server: "the ticket system"
    case .ledger: "the station, by what it knew of the ticket"
    case .list: "the list on board"
    case .policy: "the gate's rule for when nobody can be asked"
    case .station: "the station itself (unreadable, too late, out of service)"
    case .staff: "staff"
    case nil: name
    }
  }

  /// `alreadyUsed` as `already used`.
  static func spaced(_ name: String) -> String {
    var result = ""
    for character in name {
      if character.isUppercase, character.isASCII, result.last?.isLowercase == true {
        result += " " + character.lowercased()
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// `12,345`, in groups.
  static func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    return (number < 0 ? "-" : "") + grouped
  }

  /// `42 %`; what is not nothing is never none.
  static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "" }
    let percent = Double(part) * 100 / Double(whole)
    if part > 0, percent < 1 { return "under 1 %" }
    return "\(Int(percent.rounded())) %"
  }
}
