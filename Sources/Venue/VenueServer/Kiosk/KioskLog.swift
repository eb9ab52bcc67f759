package import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// One request of a station, as it came. It has neither headers, nor a query, nor a body: no token, no code, no secret.
package struct KioskRequest: Sendable, Equatable, Decodable {
  /// When it came, in whole seconds of the venue's clock.
  package let time: Date
  /// Its method.
  package let method: String
  /// Its path, without a query.
  package let path: String
  /// The status of the answer; nil where the connection ended without one.
  package let status: Int?
}

extension KioskRequest {
  /// One line of JSON: `time` (UTC), `method`, `path`, `status` (or null).
  package var json: String {
    let line: JSONText = [
      "time": .string(timeText), "method": .string(method), "path": .string(path),
      "status": status.map { .integer(Int64($0)) } ?? .null,
    ]
    return line.text()
  }

  /// When it came: `2025-12-17T14:30:00Z`.
  package var timeText: String { Timestamp(time).utc }

  /// Reads what `json` wrote; nil for anything else.
  package init?(json: String) {
    guard let read = try? Self(line: json) else { return nil }
    self = read
  }
}

/// Keeps the latest requests of stations.
final class KioskLog: RouterMiddleware, Sendable {
  typealias Context = VisitorContext

  /// How many are kept.
  static let length = 10_000
  /// How much of a path is kept, in characters.
  private static let longestPath = 200

  private let entries = Mutex<[KioskRequest]>([])
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  var all: [KioskRequest] { entries.withLock { $0 } }

  func handle(
    _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
  ) async throws -> Response {
    guard case .kiosk = RequestKind(request) else { return try await next(request, context) }
    do {
      let response = try await next(request, context)
      note(request, Int(response.status.code))
      return response
    } catch {
      note(request, nil)
      throw error
    }
  }

  private func note(_ request: Request, _ status: Int?) {
    let entry = KioskRequest(
      time: Date(timeIntervalSince1970: Double(Timestamp(now()).seconds)), method: request.method.rawValue,
      path: String(request.uri.path.prefix(Self.longestPath)), status: status)
    entries.withLock { entries in
      if entries.count >= Self.length { entries.removeFirst(entries.count - Self.length + 1) }
      entries.append(entry)
    }
  }
}
