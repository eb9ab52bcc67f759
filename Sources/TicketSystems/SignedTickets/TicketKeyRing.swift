internal import CodeSigning
internal import ScanModel

/// Which keys tickets are believed by now, and when the server is asked for them again. Pure: time is an argument.
///
/// ```
/// a ticket's key ─┬─ on board, fetched less than a day ago ─▶ found
///                 ├─ not among those fetched since it was first seen, a minute ago at most ─▶ there is none
///                 └─ else ─▶ not yet: wanted ══▶ fetched, at most once a minute
/// ```
/// No other key is ever tried than the one that the ticket names.
struct TicketKeyRing: Sendable {
  /// For how long keys are believed after they were fetched.
  static let life = Duration.seconds(86_400)
  /// How long after they were fetched they are fetched again.
  static let renewal = Duration.seconds(3_600)
  /// How long it is waited from one fetch to the next, whatever came of it.
  static let spacing = Duration.seconds(60)
  /// For how long it is believed that there is no other key.
  static let freshness = Duration.seconds(60)
  /// So many names of keys are remembered that are none yet.
  private static let mostSeen = 64

  /// What is known of a key's name.
  enum Finding: Sendable, Equatable {
    /// The key.
    case found(VerifyingKey)
    /// The server has no such key.
    case absent
    /// It may have since it was asked.
    case notYet
    /// The same, and it had one before.
    case withdrawn
    /// No keys are on board that can be believed.
    case noKeys
  }

  /// Keys, and when they were true.
  private struct Fetched: Sendable {
    var set: TicketKeySet
    /// When they were asked for in this process; `nil` where it was an earlier one.
    var began: MonotonicTime?
    /// The same by the civil clock; `nil` where that was not trusted.
    var at: WallTime?
  }

  private var fetched: Fetched?
  private var lastTry: MonotonicTime?
  private var isWanted = false
  private var seen: [String: MonotonicTime] = [:]
  /// Names that keys had, at most as many as a set has keys.
  private var former: Set<String> = []

  /// Has none.
  init() {}

  /// Takes what an earlier process has fetched.
  mutating func recall(_ set: TicketKeySet, fetched at: WallTime) {
    if fetched == nil { fetched = Fetched(set: set, began: nil, at: at) }
  }

  /// Told that they are being asked for.
  mutating func beginFetch(at now: MonotonicTime) {
    lastTry = now
    isWanted = false
  }

  /// Takes what the server has told.
  /// - Parameters:
  ///   - began: when it was asked.
  ///   - wall: when that was by the civil clock; `nil` where it is not trusted.
  /// - Returns: whether they are other keys than before.
  mutating func take(_ set: TicketKeySet, began: MonotonicTime, wall: WallTime?) -> Bool {
    defer { fetched = Fetched(set: set, began: began, at: wall) }
    let gone = fetched.map { $0.set.keys.keys.filter { set.keys[$0] == nil } } ?? []
    if !gone.isEmpty { former = Set(gone) }
    former.subtract(set.keys.keys)
    return fetched?.set != set
  }

  /// How long ago the keys were fetched; `nil` where there are none, or that cannot be told.
  /// - Parameter wall: the civil clock; `nil` where it is not trusted.
  func age(at now: MonotonicTime, wall: WallTime?) -> Duration? {
    guard let fetched else { return nil }
    let byOurs = fetched.began.map { now - $0 }
    // A machine that slept has a clock that stood still.
    let byCivil = fetched.at.flatMap { at in wall.map { $0 - at } }
    guard let age = [byOurs, byCivil].compactMap(\.self).max() else { return nil }
    // From the future: the clock was wrong, then or now.
    return age >= .zero - Self.freshness ? age : nil
  }

  /// Whether there are keys that can be believed.
  func isUsable(at now: MonotonicTime, wall: WallTime?) -> Bool {
    age(at: now, wall: wall).map { $0 < Self.life } ?? false
  }

  /// The names of the keys on board, whether or not they can be believed.
  var names: [String] { fetched?.set.keys.keys.sorted() ?? [] }

  /// The key of that name; notes that it is wanted where there is none.
  mutating func key(_ name: String, at now: MonotonicTime, wall: WallTime?) -> Finding {
    guard let fetched, isUsable(at: now, wall: wall) else {
      isWanted = true
      return .noKeys
    }
    if let key = fetched.set.keys[name] { return .found(key) }
    if let first = seen[name], let began = fetched.began, began >= first, now - began <= Self.freshness {
      return .absent
    }
    if seen[name] == nil {
      if seen.count >= Self.mostSeen, let oldest = seen.min(by: { $0.value < $1.value })?.key { seen[oldest] = nil }
      seen[name] = now
    }
    isWanted = true
    return former.contains(name) ? .withdrawn : .notYet
  }

  /// When the server is to be asked for its keys.
  func nextFetch(at now: MonotonicTime) -> MonotonicTime {
    let due = isWanted || fetched?.began == nil ? now : fetched?.began.map { $0 + Self.renewal } ?? now
    return max(due, lastTry.map { $0 + Self.spacing } ?? now)
  }
}
