import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// One request to the booking service, as far as its route has not told.
struct BookingInput: Sendable {
  /// What its path names, as it came.
  let id: String
  let query: [String: String]
  /// `Authorization: Bearer`
  let bearer: String?
  /// The session of the door.
  let session: String?
  /// `x-user-email`
  let email: String?
  /// Of its JSON object; nil where its body is none.
  let members: [String: SentJSON]?
  /// Whether cookies are for TLS alone.
  let isEncrypted: Bool

  init(_ request: Request, id: String?, isEncrypted: Bool) async throws {
    let body = try await request.body.collect(upTo: Routes.bodyLimit)
    self.id = id.flatMap { $0.removingPercentEncoding ?? $0 } ?? ""
    query = Dictionary(
      request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { first, _ in first })
    bearer = KioskController.bearer(request)
    session = request.cookie(VenueDoor.cookie)
    email = request.header("x-user-email")
    members = try? JSONDecoder().decode([String: SentJSON].self, from: Data(body.readableBytesView))
    self.isEncrypted = isEncrypted
  }

  /// A text without the white space around it; nil where there is none, or nothing is left.
  func text(_ name: String) -> String? { members?[name]?.kept }

  /// A member of a member, likewise.
  func text(_ name: String, _ inner: String) -> String? {
    guard case .object(let members)? = members?[name] else { return nil }
    return members[inner]?.kept
  }
}

extension SentJSON {
  fileprivate var kept: String? {
    let text = text?.trimmingCharacters(in: .whitespacesAndNewlines)
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Request {
  /// A header, nil where it is missing or empty.
  func header(_ name: String) -> String? {
    guard let name = HTTPField.Name(name), let value = headers[name], !value.isEmpty else { return nil }
    return value
  }

  /// The value of a cookie.
  func cookie(_ name: String) -> String? {
    for field in headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let pair = pair.trimmingCharacters(in: .whitespaces)
        if pair.hasPrefix(name + "=") { return String(pair.dropFirst(name.count + 1)) }
      }
    }
    return nil
  }
}
