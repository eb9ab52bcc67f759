internal import Calls
internal import ScanModel

/// How often a booking service may be asked from one address: five calls in 15 minutes, list and checks together, and what is more gets a
/// 403. Pure: time is an argument.
///
///     lists    ● ● ●      each place is held from the call on until 15 min after its end: the service counts somewhere in between
///     checks   ● ●        a late booking at the door never keeps the list from its refresh, nor the list a late booking
///     sign-ins ● ● ●      counted apart, and by the account: a wrong password must not lock it
///
/// A 403 that says when to come again holds lists and checks back until then, whoever else has asked from here. A list so refused waits a
/// minute at least, and twice as long each time: else three of them would be gone in as many seconds.
struct DoorRation: Sendable, Equatable {
  /// What is asked.
  enum Use: String, Sendable, CaseIterable {
    /// The door list.
    case list
    /// Whether one code is a booking's.
    case check
    /// A sign-in of staff.
    case signIn

    /// How many there may be in a period.
    var most: Int { self == .check ? 2 : 3 }
  }

  /// A call, by a number that no other process gives.
  struct Place: Sendable, Hashable {
    let number: UInt64
    let use: Use
  }

  /// The answer to `tryTake`.
  enum Decision: Sendable, Equatable {
    /// The call may go out now; give the place back by `finished`, `notSent` or `limited`.
    case granted(Place)
    /// It may not before then.
    case spent(until: MonotonicTime)
  }

  /// A call as others are told of it.
  struct Past: Sendable, Equatable {
    var place: Place
    /// How long ago it ended; zero for one under way.
    var ago: Duration
  }

  /// A call, as it is counted.
  private struct Counted: Sendable, Equatable {
    var place: Place
    /// When it ended; `nil` for one under way.
    var ended: MonotonicTime?
    /// Whether another process has told of it: by a clock that may have been put since.
    var isTold = false
  }

  /// In which so many calls are counted.
  static let period = Duration.seconds(15 * 60)
  /// The longest `Retry-After` that is obeyed, and what counts where none can be read.
  static let longestWait = Duration.seconds(15 * 60)
  /// By how much longer a call counts of which another process has told.
  static let toldMargin = Duration.seconds(5)
  /// How long a list waits that was refused although our count allowed it, at first.
  var shortestListWait = Duration.seconds(60)

  private var places: [Counted] = []
  private var blockedUntil: MonotonicTime?
  private var listsUntil: MonotonicTime?
  /// How many lists were refused one after the other.
  private var refusedLists = 0

  /// Asks for a place for a call that would be sent now.
  /// - Parameter number: of the place; a number that is taken already counts as another one's.
  mutating func tryTake(_ use: Use, number: UInt64, at now: MonotonicTime) -> Decision {
    if let until = wait(for: use, at: now) { return .spent(until: until) }
    let place = Place(number: number, use: use)
    places.append(Counted(place: place))
    return .granted(place)
  }

  /// Until when a call of this use would have to wait; `nil` where it need not.
  mutating func wait(for use: Use, at now: MonotonicTime) -> MonotonicTime? {
    expire(at: now)
    let ends = places.filter { $0.place.use == use }.map { Self.end($0, at: now) }.sorted()
    let counted = ends.count >= use.most ? ends[ends.count - use.most] : nil
    let blocks = [use == .signIn ? nil : blockedUntil, use == .list ? listsUntil : nil]
    return ([counted] + blocks).compactMap(\.self).max()
  }

  /// What is left of it for the list and single codes together; sign-ins are counted apart.
  mutating func left(at now: MonotonicTime) -> RateBudget.Left {
    expire(at: now)
    let most = Use.list.most + Use.check.most
    if blockedUntil != nil { return RateBudget.Left(left: 0, most: most) }
    let left = [Use.list, .check].map { use in
      use == .list && listsUntil != nil ? 0 : max(0, use.most - places.count { $0.place.use == use })
    }
    return RateBudget.Left(left: left.reduce(0, +), most: most)
  }

  /// Until when a call counts.
  private static func end(_ call: Counted, at now: MonotonicTime) -> MonotonicTime {
    (call.ended ?? now) + period + (call.isTold ? toldMargin : .zero)
  }

  /// The call was sent, and came to its end.
  mutating func finished(_ place: Place, at now: MonotonicTime) {
    if place.use == .list { refusedLists = 0 }
    end(place, at: now)
  }

  private mutating func end(_ place: Place, at now: MonotonicTime) {
    guard let index = places.lastIndex(where: { $0.place == place && $0.ended == nil }) else { return }
    places[index].ended = now
  }

  /// Nothing of it was sent.
  mutating func notSent(_ place: Place) {
    guard let index = places.lastIndex(where: { $0.place == place && $0.ended == nil }) else { return }
    places.remove(at: index)
  }

  /// The service said that it gets too many calls from here.
  /// - Parameter retryAfter: its advice; at most `longestWait` is obeyed.
  mutating func limited(_ place: Place, at now: MonotonicTime, retryAfter: Duration?) {
    end(place, at: now)
    let until = now + min(max(retryAfter ?? Self.longestWait, .seconds(1)), Self.longestWait)
    blockedUntil = max(blockedUntil ?? until, until)
    guard place.use == .list else { return }
    refusedLists = min(refusedLists + 1, 5)
    let listsUntil = now + min(shortestListWait * (1 << (refusedLists - 1)), Self.longestWait)
    self.listsUntil = max(self.listsUntil ?? listsUntil, listsUntil)
  }

  /// The calls that still count, and for how long the service holds all back, for another process or the next one.
  mutating func told(at now: MonotonicTime) -> (calls: [Past], blocked: Duration?) {
    expire(at: now)
    return (
      places.map { Past(place: $0.place, ago: max(.zero, now - ($0.ended ?? now))) }, blockedUntil.map { $0 - now }
    )
  }

  /// Takes what another process has told, whatever of it is known already.
  mutating func take(_ calls: [Past], blocked: Duration?, at now: MonotonicTime) {
    for call in calls
    where call.ago < Self.period + Self.toldMargin && !places.contains(where: { $0.place == call.place }) {
      places.append(Counted(place: call.place, ended: now - max(.zero, call.ago), isTold: true))
    }
    if let blocked, blocked > .zero {
      let until = now + min(blocked, Self.longestWait)
      blockedUntil = max(blockedUntil ?? until, until)
    }
    expire(at: now)
  }

  private mutating func expire(at now: MonotonicTime) {
    places.removeAll { $0.ended != nil && Self.end($0, at: now) <= now }
    if let until = blockedUntil, until <= now { blockedUntil = nil }
    if let until = listsUntil, until <= now { listsUntil = nil }
  }
}
