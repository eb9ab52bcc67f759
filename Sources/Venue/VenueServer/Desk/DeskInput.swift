import Hummingbird

/// The members of a request's JSON object. A body that is none, or does not say that it is JSON, has none.
struct DeskInput: Sendable {
  private let members: [String: SentJSON]

  init(_ members: [String: SentJSON]) { self.members = members }

  init(of request: Request) async throws { self.init(try await SentJSON.members(of: request) ?? [:]) }

  /// A member, trimmed; null where it is missing.
  subscript(name: String) -> SentJSON { members[name]?.trimmed ?? .null }

  /// Whether it was sent, be it as null.
  func has(_ name: String) -> Bool { members[name] != nil }
}

/// Reads the fields of a request and gathers what is wrong with them, in the real server's words.
struct FieldReading {
  let input: DeskInput
  private(set) var errors: [(field: String, message: String)] = []

  init(_ input: DeskInput) { self.input = input }

  mutating func note(_ field: String, _ words: String) {
    errors.append((field, "The \(field.replacing("_", with: " ")) field \(words)"))
  }

  mutating func noteSelected(_ field: String) {
    errors.append((field, "The selected \(field.replacing("_", with: " ")) is invalid."))
  }

  /// Ends the reading where something was wrong.
  func finish() throws(InvalidFields) {
    guard errors.isEmpty else { throw InvalidFields(errors: errors) }
  }

  /// A member that has to be there.
  mutating func required(_ name: String) -> SentJSON {
    let value = input[name]
    if value == .null || value == .array([]) || value == .object([:]) { note(name, "is required.") }
    return value
  }

  mutating func text(_ name: String, isRequired: Bool = false, upTo most: Int = 255) -> String? {
    let value = isRequired ? required(name) : input[name]
    switch value {
    case .null: return nil
    case .string(let text):
      guard text.unicodeScalars.count <= most else {
        note(name, "must not be greater than \(most) characters.")
        return nil
      }
      return text
    default:
      if errors.last?.field != name { note(name, "must be a string.") }
      return nil
    }
  }

  mutating func email(_ name: String, isRequired: Bool = false) -> String? {
    guard let text = text(name, isRequired: isRequired) else { return nil }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !text.contains(where: \.isWhitespace) else {
      note(name, "must be a valid email address.")
      return nil
    }
    return text
  }

  mutating func whole(_ name: String, isRequired: Bool = false) -> Int64? {
    let value = isRequired ? required(name) : input[name]
    guard value != .null, errors.last?.field != name else { return nil }
    if value.whole == nil { note(name, "must be an integer.") }
    return value.whole
  }

  mutating func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
    guard input[name] != .null else { return nil }
    guard let number = input[name].number, range.contains(number) else {
      note(name, "must be a number between \(Int(range.lowerBound)) and \(Int(range.upperBound)).")
      return nil
    }
    return number
  }

  mutating func day(_ name: String, isRequired: Bool = false) -> CalendarDay? {
    guard let text = text(name, isRequired: isRequired) else { return nil }
    guard let day = CalendarDay(text) else {
      note(name, "must match the format Y-m-d.")
      return nil
    }
    return day
  }

  /// A wall time; nil as well where it is missing.
  mutating func wallTime(_ name: String, isRequired: Bool = false) -> WallTime? {
    guard let text = text(name, isRequired: isRequired) else { return nil }
    guard let time = WallTime(text) else {
      note(name, "must match the format Y-m-d H:i:s.")
      return nil
    }
    return time
  }
}
