import Foundation
import Hummingbird
import NIOCore

/// The members of a request's JSON object, read as the shape's server reads them.
struct SubscriptionInput: Sendable {
  private let members: [String: SentJSON]
  private let shape: SubscriptionShape

  /// - Throws: the refusal of a body that is no JSON object.
  init(_ body: ByteBuffer, _ shape: SubscriptionShape) throws(Answer) {
    self.shape = shape
    switch try? JSONDecoder().decode(SentJSON.self, from: Data(body.readableBytesView)) {
    case .object(let members): self.members = members
    // The real server's language reads null into anything, and leaves it as it was.
    case .null where shape == .real: members = [:]
    case .some: throw shape.refusal(.badRequest, "json: cannot unmarshal value into Go value of type object")
    case nil: throw shape.refusal(.badRequest, body.readableBytes == 0 ? "EOF" : "invalid character in JSON")
    }
  }

  /// A text that has to be there and not empty.
  /// - Throws: the refusal of anything else.
  func text(_ name: String) throws(Answer) -> String {
    switch members[name] ?? .null {
    case .string(let text):
      let kept = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !kept.isEmpty else { throw shape.missing(name) }
      return kept
    case .null: throw shape.missing(name)
    default: throw wrongType(name, "string")
    }
  }

  /// A truth; false where it is missing.
  func flag(_ name: String) throws(Answer) -> Bool {
    switch members[name] ?? .null {
    case .bool(let truth): return truth
    case .null: return false
    default: throw wrongType(name, "bool")
    }
  }

  /// A member as it came.
  func value(_ name: String) -> SentJSON { members[name] ?? .null }

  private func wrongType(_ name: String, _ type: String) -> Answer {
    guard shape == .real else { return shape.invalid(name, "invalid", "\(name) must be a \(type)") }
    return shape.refusal(.badRequest, "json: cannot unmarshal value into Go struct field .\(name) of type \(type)")
  }
}
