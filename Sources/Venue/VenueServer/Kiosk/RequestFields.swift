import Hummingbird

/// The members of a request's JSON object, each of whatever type it came in. A body that is no JSON object, or does not say
/// that it is JSON, has none.
struct RequestFields: Sendable {
  private let members: [String: SentJSON]
  /// Whether the body is a JSON object.
  let isObject: Bool

  private init(members: [String: SentJSON]?) {
    self.members = members ?? [:]
    isObject = members != nil
  }

  /// Reads the body of a request.
  init(of request: Request) async throws { self.init(members: try await SentJSON.members(of: request)) }

  /// A text that is there and not empty; anything else is nil.
  subscript(name: String) -> String? {
    guard case .string(let text) = members[name], !text.isEmpty else { return nil }
    return text
  }

  /// A member as it came; nil where it is missing.
  func value(_ name: String) -> SentJSON? { members[name] }

  /// The members of a member.
  func object(_ name: String) -> RequestFields {
    guard case .object(let inner) = members[name] else { return RequestFields(members: nil) }
    return RequestFields(members: inner)
  }
}
