internal import ScanModel
import StationProtocol

/// How often staff may order what: so that whoever takes a listener over can do no more with it than somebody in a hurry. Pure.
struct OrderLimits: Sendable {
  private struct Key: Hashable {
    var kind: OrderKind
    var gate: GateID?
  }

  private static let minute = Duration.seconds(60)
  /// How many orders of a sort that has no bound of its own are taken in a minute.
  private static let usualPerMinute = 60

  /// When orders were taken within the last minute, oldest first.
  private var taken: [Key: [MonotonicTime]] = [:]

  /// Takes an order, if it is not too soon.
  /// - Returns: why it is, with how long to wait; `nil` where it counts as taken.
  mutating func take(_ action: StationOrder.Action, at now: MonotonicTime) -> (refusal: OrderRefusal, wait: Duration)? {
    let key = Key(kind: action.kind, gate: action.gate)
    var times = taken[key, default: []]
    times.removeAll { now - $0 >= Self.minute }
    // Gates are those of the configuration: what is kept is bounded.
    defer { taken[key] = times.isEmpty ? nil : times }
    if action.kind == .openOnce, let last = times.last, now - last < StationLimits.openInterval {
      return (.pulsing, StationLimits.openInterval - (now - last))
    }
    let most =
      switch action.kind {
      case .annul: StationLimits.annulsPerMinute
      case .present: StationLimits.presentsPerMinute
      case .search: StationLimits.searchesPerMinute
      case .openOnce, .maintenance, .outboxHold, .outboxRetry, .listRefresh, .arming, .signalTest,
        .journalAccept:
        Self.usualPerMinute
      }
    if times.count >= most, let first = times.first { return (.tooMany, Self.minute - (now - first)) }
    times.append(now)
    return nil
  }
}
