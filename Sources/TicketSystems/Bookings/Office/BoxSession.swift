internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Somebody's session at a booking service. Shows no part of its token, however it is printed.
struct BoxSession: Sendable, CustomStringConvertible, CustomReflectable {
  /// The longest that one is kept: what the service gives.
  static let longest = Duration.seconds(7 * 86_400)

  /// The server's address.
  let server: String
  /// The account.
  let email: String
  /// When it ends.
  let until: WallTime
  private let token: String

  /// Takes a token as the service gave it.
  /// - Returns: `nil` where no request could carry it.
  init?(server: ServerAddress, email: String, token: String, now: WallTime) {
    let longest = now + Self.longest
    let end = TokenClaims(token)?.ends.map { min($0, longest) } ?? longest
    self.init(server: server.description, email: email, token: token, until: end)
  }

  private init?(server: String, email: String, token: String, until: WallTime) {
    // What is trimmed would not be what is hidden.
    guard (try? Secret(token)) != nil, !token.contains(where: \.isWhitespace), token.utf8.count >= 8 else { return nil }
    (self.server, self.email, self.token, self.until) = (server, email, token, until)
  }

  /// What requests carry.
  var secret: Secret { get throws(Secret.Fault) { try Secret(token) } }
  /// Hides it.
  var redaction: Redaction { Redaction(token, shownAs: "(session)") }

  var description: String { "session of \(TerminalText.clean(email))" }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  // MARK: The record

  /// Reads a record; `nil` where it is none of this version.
  init?(_ bytes: [UInt8]) {
    guard let document = try? JSONValue(bytes), document["version"]?.integer == 1,
      let server = document["server"]?.string, let email = document["email"]?.string,
      let token = document["token"]?.string, let until = document["until"]?.integer
    else { return nil }
    self.init(server: server, email: email, token: token, until: WallTime(seconds: until))
  }

  /// The record.
  var bytes: [UInt8] {
    JSONValue.object([
      "version": .number("1"), "server": .string(server), "email": .string(email), "token": .string(token),
      "until": .number("\(until.seconds)"),
    ]).written
  }
}

/// The sessions at one server that are kept on this machine, each a sealed record of its own.
struct BoxSessions: Sendable {
  let keys: any KeyHost
  let state: String?
  let server: ServerAddress

  private var prefix: String { "booking.session.\(StableHash.digits(server.description))-" }

  private func name(_ email: String) -> String { prefix + StableHash.digits(email.lowercased()) }

  /// All that have not ended, by account; what has ended is forgotten.
  func all(at now: WallTime) throws -> [BoxSession] {
    var sessions: [BoxSession] = []
    for name in try keys.records(state: state) where name.hasPrefix(prefix) {
      guard let bytes = try keys.record(name, state: state), let session = BoxSession(bytes),
        session.server == server.description, self.name(session.email) == name
      else { continue }
      if session.until <= now {
        try keys.set(nil, record: name, state: state)
      } else {
        sessions.append(session)
      }
    }
    return sessions.sorted { $0.email < $1.email }
  }

  /// Keeps one in the place of the account's former one.
  func keep(_ session: BoxSession) throws { try keys.set(session.bytes, record: name(session.email), state: state) }

  /// Forgets one.
  func forget(_ session: BoxSession) throws { try keys.set(nil, record: name(session.email), state: state) }
}

/// What a token says of itself (RFC 7519). Nobody has proven it: it may serve to forget a session early, and to repeat to the service
/// what its own provider has said.
struct TokenClaims {
  let document: JSONValue

  /// Reads the middle part; `nil` where there is none that can be read.
  init?(_ token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Self.base64(parts[1]), let document = try? JSONValue(bytes),
      case .object = document
    else { return nil }
    self.document = document
  }

  /// When it ends; `nil` where it does not say.
  var ends: WallTime? {
    guard let seconds = document["exp"]?.integer, seconds > 0 else { return nil }
    return WallTime(seconds: seconds)
  }

  /// A text of it.
  func text(_ name: String) -> String? { document[name]?.identifier }

  /// Base 64 in the alphabet of addresses (RFC 4648, section 5), without padding.
  private static func base64(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in text.utf8 {
      let value: UInt8
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
      case UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "_"): value = 63
      default: return nil
      }
      bits = (bits & 0xFFFF) << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
