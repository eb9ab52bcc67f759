internal import LinuxIO
internal import ScanModel
internal import Synchronization

/// What the gates of one connection know of events: which any of them admits to, when they begin, and by which clock.
final class EventBook: Sendable {
  private struct State {
    /// Those of each gate.
    var bound: [EventSet] = []
    var events: [EventID: SaleEvent] = [:]
    var zones: [String: ZoneRules] = [:]
    /// By how much the server's clock is ahead of this machine's; `nil` until it has told.
    var ahead: Duration?
  }

  /// More are not remembered; they are told again.
  private static let most = 10_000
  private static let mostZones = 64

  private let state = Mutex(State())
  private let time: any TimeSource

  init(time: any TimeSource) { self.time = time }

  /// Told which events a gate admits to.
  func bind(_ events: EventSet) {
    state.withLock { if !$0.bound.contains(events) { $0.bound.append(events) } }
  }

  /// Whether a gate admits to an event.
  func isBound(to event: EventID) -> Bool { state.withLock { $0.bound.contains { $0.contains(event) } } }

  /// Whether an event is one that a gate admits to, or that the server has told of. What a code names else is no event that anybody
  /// knows, and says nothing.
  func knows(_ event: EventID) -> Bool {
    state.withLock { state in state.bound.contains { $0.contains(event) } || state.events[event] != nil }
  }

  /// What the server has told of an event.
  subscript(event: EventID) -> SaleEvent? { state.withLock { $0.events[event] } }

  /// Takes what the server tells of an event.
  func learn(_ event: SaleEvent, as id: EventID) {
    state.withLock { state in
      if state.events.count >= Self.most, state.events[id] == nil { state.events.removeAll() }
      state.events[id] = event
    }
  }

  /// Takes what a list tells anew of events that are known.
  func update(_ told: [EventID: SaleEvent]) {
    state.withLock { state in
      for id in state.events.keys { if let told = told[id] { state.events[id] = told } }
    }
  }

  /// Takes the server's time, as an answer that is here now has told it.
  func learn(date: WallTime?) {
    guard let date else { return }
    let ahead = date - time.wall()
    state.withLock { $0.ahead = ahead }
  }

  /// Now by the server's clock; `nil` until it has told that. This machine's own may say anything.
  var now: WallTime? { state.withLock { $0.ahead }.map { time.wall() + $0 } }

  /// Now by this machine's clock.
  var wall: WallTime { time.wall() }

  /// The rules of a zone that the server names; UTC where there is none of that name.
  func zone(_ name: String?) -> ZoneRules { name.flatMap { rules(of: $0) } ?? .utc }

  /// The rules of a zone; `nil` where there is none of that name.
  func rules(of name: String) -> ZoneRules? {
    if let known = state.withLock({ $0.zones[name] }) { return known }
    guard let rules = ZoneRules.named(name) else { return nil }
    state.withLock { state in
      if state.zones.count >= Self.mostZones { state.zones.removeAll() }
      state.zones[name] = rules
    }
    return rules
  }
}
