import Foundation
import Hummingbird

/// Any JSON that came, of whatever type.
indirect enum SentJSON: Decodable, Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case decimal(Double)
  case string(String)
  case array([SentJSON])
  case object([String: SentJSON])

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
    } else if let elements = try? value.decode([SentJSON].self) {
      self = .array(elements)
    } else {
      // A number that no type of ours holds is nothing.
      self = (try? value.decode([String: SentJSON].self)).map { .object($0) } ?? .null
    }
  }

  /// What is left when white space is trimmed and an empty text is none, as the real server's middleware has it.
  var trimmed: SentJSON {
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
  var members: [(key: String, value: SentJSON)] {
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

extension SentJSON {
  /// The members of a request's JSON object; nil where its body is none, or does not say that it is JSON.
  static func members(of request: Request) async throws -> [String: SentJSON]? {
    let body = try await request.body.collect(upTo: Routes.bodyLimit)
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard type.contains("/json") || type.contains("+json") else { return nil }
    return try? JSONDecoder().decode([String: SentJSON].self, from: Data(body.readableBytesView))
  }
}
