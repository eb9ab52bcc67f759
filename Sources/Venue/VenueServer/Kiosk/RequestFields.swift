import Foundation
import Hummingbird

/// The members of a request's JSON object, each of whatever type it came in. A body that is no JSON object, or does not say
/// that it is JSON, has none.
struct RequestFields: Sendable {
  indirect enum Value: Decodable, Sendable {
    case string(String)
    case bool(Bool)
    case object([String: Value])
    case null
    /// Numbers and lists, which no route asks for.
    case other

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let text = try? value.decode(String.self) {
        self = .string(text)
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let members = try? value.decode([String: Value].self) {
        self = .object(members)
      } else {
        self = .other
      }
    }
  }

  private let members: [String: Value]
  /// Whether the body is a JSON object.
  let isObject: Bool

  private init(members: [String: Value]?) {
    self.members = members ?? [:]
    isObject = members != nil
  }

  /// Reads the body of a request.
  init(of request: Request) async throws {
    let body = try await request.body.collect(upTo: Routes.bodyLimit)
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard type.contains("/json") || type.contains("+json") else {
      self.init(members: nil)
      return
    }
    self.init(members: try? JSONDecoder().decode([String: Value].self, from: Data(body.readableBytesView)))
  }

  /// A text that is there and not empty; anything else is nil.
  subscript(name: String) -> String? {
    guard case .string(let text) = members[name], !text.isEmpty else { return nil }
    return text
  }

  /// A member as it came; nil where it is missing.
  func value(_ name: String) -> Value? { members[name] }

  /// The members of a member.
  func object(_ name: String) -> RequestFields {
    guard case .object(let inner) = members[name] else { return RequestFields(members: nil) }
    return RequestFields(members: inner)
  }
}
