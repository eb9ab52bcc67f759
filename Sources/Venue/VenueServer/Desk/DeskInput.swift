import Foundation
import Hummingbird

/// Any JSON that came, of whatever type.
indirect enum DeskValue: Decodable, Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case decimal(Double)
  case string(String)
  case array([DeskValue])
  case object([String: DeskValue])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? value.decode(Double.self) {
      self = .decimal(number)
    } else if let elements = try? value.decode([DeskValue].self) {
      self = .array(elements)
    } else {
      self = .object(try value.decode([String: DeskValue].self))
    }
  }

  /// What is left when white space is trimmed and an empty text is none, as the real server's middleware has it.
  fileprivate var trimmed: DeskValue {
    guard case .string(let text) = self else { return self }
    guard case .string(let kept) = InputValue(string: text) else { return .null }
    return .string(kept)
  }

  var json: JSONText {
    switch self {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .integer(let number): .integer(number)
    case .decimal(let number): .decimal(number)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// A whole number, or a text of one.
  var whole: Int64? {
    switch self {
    case .integer(let number): number
    case .string(let text): Int64(text)
    default: nil
    }
  }

  /// A number, or a text of one; finite.
  var number: Double? {
    let number: Double? =
      switch self {
      case .integer(let number): Double(number)
      case .decimal(let number): number
      case .string(let text): Double(text)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// As PHP takes it for a yes.
  var isTrue: Bool {
    switch self {
    case .null: false
    case .bool(let flag): flag
    case .integer(let number): number != 0
    case .decimal(let number): number != 0
    case .string(let text): text != "" && text != "0"
    case .array(let elements): !elements.isEmpty
    case .object(let members): !members.isEmpty
    }
  }

  /// The members of an object; a list's by their numbers, as PHP has it; none of anything else.
  var members: [(key: String, value: DeskValue)] {
    switch self {
    case .object(let members): members.sorted { $0.key < $1.key }
    case .array(let elements): elements.enumerated().map { ("\($0.offset)", $0.element) }
    default: []
    }
  }

  var isList: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }
}

/// The members of a request's JSON object. A body that is none, or does not say that it is JSON, has none.
struct DeskInput: Sendable {
  private let members: [String: DeskValue]

  init(_ members: [String: DeskValue]) { self.members = members }

  init(of request: Request) async throws {
    let body = try await request.body.collect(upTo: Routes.bodyLimit)
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard type.contains("/json") || type.contains("+json") else {
      self.init([:])
      return
    }
    self.init((try? JSONDecoder().decode([String: DeskValue].self, from: Data(body.readableBytesView))) ?? [:])
  }

  /// A member, trimmed; null where it is missing.
  subscript(name: String) -> DeskValue { members[name]?.trimmed ?? .null }

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
  mutating func required(_ name: String) -> DeskValue {
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
