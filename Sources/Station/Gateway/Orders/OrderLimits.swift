internal import ScanModel
import StationProtocol

/// How often staff may order what: so that whoever takes a listener over can do no more with it than somebody in a hurry. Pure.
///
/// What was refused before anything was done does not count for its gate, where others need the allowance, but for whoever gave it.
struct OrderLimits: Sendable {
  private struct Key: Hashable {
    var kind: OrderKind
    var gate: GateID?
  }

  private struct Giver: Hashable {
    var kind: OrderKind
    var user: UInt32
  }

  private static let minute = Duration.seconds(60)
  /// How many orders of a sort that has no bound of its own are taken in a minute.
  private static let usualPerMinute = 60
  /// More than can be told apart are one.
  private static let mostGivers = 256

  /// When orders were taken within the last minute, oldest first.
  private var taken: [Key: [MonotonicTime]] = [:]
  /// When orders were refused within the last minute, by who gave them; likewise.
  private var refused: [Giver: [MonotonicTime]] = [:]

  /// Takes an order, if it is not too soon.
  /// - Parameter user: who gives it.
  /// - Returns: why it is, with how long to wait; `nil` where it counts as taken, until it is given back.
  mutating func take(
    _ action: StationOrder.Action, by user: UInt32, at now: MonotonicTime
  ) -> (refusal: OrderRefusal, wait: Duration)? {
    let key = Key(kind: action.kind, gate: action.gate)
    var times = taken[key, default: []]
    times.removeAll { now - $0 >= Self.minute }
    // Gates are those of the configuration: what is kept is bounded.
    defer { taken[key] = times.isEmpty ? nil : times }
    if let wait = wait(of: action.kind, by: user, at: now) { return (.tooMany, wait) }
    if action.kind == .openOnce, let last = times.last, now - last < StationLimits.openInterval {
      return (.pulsing, StationLimits.openInterval - (now - last))
    }
    let most =
      switch action.kind {
      case .annul: StationLimits.annulsPerMinute
      case .present: StationLimits.presentsPerMinute
      case .search: StationLimits.searchesPerMinute
      case .picture: StationLimits.picturesPerMinute
      case .openOnce, .maintenance, .outboxHold, .outboxRetry, .listRefresh, .arming, .signalTest,
        .journalAccept, .status, .acknowledge:
        Self.usualPerMinute
      }
    if times.count >= most, let first = times.first { return (.tooMany, Self.minute - (now - first)) }
    times.append(now)
    return nil
  }

  /// Told that an order was refused before anything was done, which was taken at `moment`: it counts for who gave it alone.
  mutating func giveBack(_ action: StationOrder.Action, by user: UInt32, takenAt moment: MonotonicTime) {
    let key = Key(kind: action.kind, gate: action.gate)
    if let index = taken[key]?.lastIndex(of: moment) {
      taken[key]?.remove(at: index)
      if taken[key]?.isEmpty == true { taken[key] = nil }
    }
    let giver = giver(action.kind, user, at: moment)
    refused[giver, default: []].append(moment)
  }

  /// How long a user has to wait whose orders of this sort were refused too often; `nil` where they need not.
  private mutating func wait(of kind: OrderKind, by user: UInt32, at now: MonotonicTime) -> Duration? {
    let giver = giver(kind, user, at: now)
    guard var times = refused[giver] else { return nil }
    times.removeAll { now - $0 >= Self.minute }
    refused[giver] = times.isEmpty ? nil : times
    guard times.count >= StationLimits.refusalsPerMinute, let first = times.first else { return nil }
    return Self.minute - (now - first)
  }

  private mutating func giver(_ kind: OrderKind, _ user: UInt32, at now: MonotonicTime) -> Giver {
    let giver = Giver(kind: kind, user: user)
    if refused[giver] != nil || refused.count < Self.mostGivers { return giver }
    refused = refused.filter { now - ($0.value.last ?? now) < Self.minute }
    return refused.count < Self.mostGivers ? giver : Giver(kind: kind, user: .max)
  }
}
