import LibCrypto
import ScanModel

/// Who has signed in. Of what a browser shows only the digest is kept, in memory alone. Pure; time is an argument, which goes on while the
/// machine sleeps.
///
/// A session ends twelve hours after it began, after the control service's session time-out without a request of its user, when it is
/// ended, when its user is changed, and with the process.
struct PageSessions: Sendable {
  /// One of them, for its user to recognise.
  struct Session: Sendable, Hashable {
    /// Its number; it opens nothing.
    let id: String
    let user: PageUser
    let began: MonotonicTime
    /// When it began, for people.
    let beganAt: WallTime
    /// Where from.
    let address: String
    /// The last request of its user.
    var used: MonotonicTime
  }

  static let life: Duration = .seconds(12 * 3_600)
  static let mostOfAUser = 64

  private var sessions: [[UInt8]: Session] = [:]

  /// Begins one.
  /// - Returns: what the browser shows from now on, 256 random bits; nobody has it again.
  mutating func begin(_ user: PageUser, from address: String, at now: MonotonicTime, wall: WallTime) -> String {
    let own = sessions.filter { $1.user.name == user.name }
    if own.count >= Self.mostOfAUser, let oldest = own.min(by: { $0.value.began < $1.value.began }) {
      sessions[oldest.key] = nil
    }
    let secret = PageSecret.new()
    sessions[PageSecret.digest(secret)] = Session(
      id: Hexadecimal.text(PasswordHash.random(16)), user: user, began: now, beganAt: wall, address: address, used: now)
    return secret
  }

  /// Whose session this is.
  /// - Parameters:
  ///   - timeout: how long it holds without use; `nil` for as long as it lives.
  ///   - isUse: whether its user asks, rather than a page that shows by itself how things are.
  mutating func session(
    of secret: String, at now: MonotonicTime, timeout: Duration?, isUse: Bool = true
  ) -> Session? {
    let digest = PageSecret.digest(secret)
    guard var session = sessions[digest] else { return nil }
    guard Self.holds(session, at: now, timeout) else {
      sessions[digest] = nil
      return nil
    }
    if isUse {
      session.used = now
      sessions[digest] = session
    }
    return session
  }

  /// Whether one is still there.
  mutating func holds(_ id: String, at now: MonotonicTime, timeout: Duration?) -> Bool {
    guard let entry = sessions.first(where: { $1.id == id }) else { return false }
    if Self.holds(entry.value, at: now, timeout) { return true }
    sessions[entry.key] = nil
    return false
  }

  /// Those of a user, the oldest first.
  func sessions(of user: String, at now: MonotonicTime, timeout: Duration?) -> [Session] {
    sessions.values.filter { $0.user.name == user && Self.holds($0, at: now, timeout) }.sorted { $0.began < $1.began }
  }

  /// How many there are.
  var count: Int { sessions.count }

  /// Ends one of a user's; another's never.
  /// - Returns: whether there was one.
  @discardableResult
  mutating func end(_ id: String, of user: String) -> Bool {
    guard let entry = sessions.first(where: { $1.id == id && $1.user.name == user }) else { return false }
    sessions[entry.key] = nil
    return true
  }

  /// Ends what is of no user as they are now.
  mutating func keep(_ users: PageUsers) { sessions = sessions.filter { users[$1.user.name] == $1.user } }

  private static func holds(_ session: Session, at now: MonotonicTime, _ timeout: Duration?) -> Bool {
    now - session.began < life && timeout.map { now - session.used < $0 } ?? true
  }
}

/// What a browser shows to be known again: 256 random bits in hexadecimal digits.
enum PageSecret {
  static let length = 64

  static func new() -> String { Hexadecimal.text(PasswordHash.random(length / 2)) }

  static func digest(_ secret: String) -> [UInt8] { SHA256.hash(data: [UInt8](secret.utf8)) }

  /// Whether it has the form of one: others are not looked up.
  static func isOne(_ text: String) -> Bool { text.utf8.count == length && Hexadecimal.bytes(text) != nil }
}
