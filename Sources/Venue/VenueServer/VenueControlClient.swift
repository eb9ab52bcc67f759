import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The other side of a venue's control socket.
package struct VenueControlClient: Sendable {
  private let path: String

  /// A client of the venue whose control socket is at `path`. Nothing is opened yet.
  package init(path: String) { self.path = path }

  /// The misbehaviours in force, one line each, as `FaultPlan.Entry` describes them.
  /// - Throws: `VenueError.noControl`.
  package func misbehaviours() async throws -> [String] {
    try await lines("misbehaviours")
  }

  /// Adds misbehaviours, after those in force or, clearing, in their place; returns those now in force, one line each.
  /// - Throws: `VenueError.noControl`.
  package func misbehave(_ misbehaviours: [Misbehaviour], clearing: Bool = false) async throws -> [String] {
    let lines = misbehaviours.map(\.description).joined(separator: "\n")
    return try await ask(clearing ? .PUT : .POST, "misbehaviours", lines).split(separator: "\n").map { String($0) }
  }

  /// Every admission that the venue has recorded, oldest first.
  /// - Throws: `VenueError.noControl`.
  package func book() async throws -> [BookEntry] {
    try await lines("book").map(read)
  }

  /// Every ticket of the venue and how many entries its book has for it.
  /// - Throws: `VenueError.noControl`.
  package func tickets() async throws -> [BookedTicket] {
    try await lines("tickets").map(read)
  }

  /// Gives the whole sale of a code another status; see `VenueServer.setStatus`.
  /// - Throws: `VenueError.noControl`, or `.unusable` where no ticket has this code.
  package func setStatus(_ status: TicketStatus, ofCode code: String) async throws {
    _ = try await ask(.PUT, "status", "\(status.rawValue)\n\(code)")
  }

  func lines(_ what: String) async throws -> [String] {
    try await ask(.GET, what).split(separator: "\n").map(String.init)
  }

  func read<Made: Decodable>(_ text: String) throws -> Made {
    do { return try Made(line: text) } catch { throw failure("its answer cannot be read") }
  }

  func ask(_ method: HTTPMethod, _ what: String, _ body: String = "") async throws -> String {
    let (status, text) = try await exchange(method, what, body)
    if status == 404 { throw VenueError.unusable(text) }
    guard status == 200 else { throw failure("it answers \(status) \(text)") }
    return text
  }

  func exchange(_ method: HTTPMethod, _ what: String, _ body: String) async throws -> (Int, String) {
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: "/\(what)")
    head.headers = ["Host": "venue", "Connection": "close", "Content-Length": "\(body.utf8.count)"]
    do {
      let answer = try await VenueExchange.ask(head, body.isEmpty ? [] : [ByteBuffer(string: body)]) {
        $0.connect(unixDomainSocketPath: path)
      }
      return (Int(answer.head.status.code), String(buffer: answer.body))
    } catch let error as IOError {
      throw failure(String(cString: strerror(error.errnoCode)))
    } catch is SocketAddressError {
      throw failure("its path cannot be used")
    } catch {
      throw failure("\(error)")
    }
  }

  func failure(_ reason: String) -> VenueError { .noControl(path: path, reason: reason) }
}
