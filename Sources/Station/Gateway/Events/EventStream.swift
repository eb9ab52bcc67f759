package import ScanModel
import Synchronization

/// Where gates and readers hand their events. Handing one over never waits.
package protocol EventSink: Sendable {
  /// Takes an event; returns at once.
  func emit(_ event: GatewayEvent)
  /// A ticket system was asked for so long, whatever came of it; likewise.
  func asked(_ system: TicketSystemID, took duration: Duration)
  /// An admission that its ticket system was told of is no conflict, or is one no longer; likewise.
  func settled(_ admission: AttemptID)
}

extension EventSink {
  /// Who counts nothing need not hear it.
  package func asked(_ system: TicketSystemID, took duration: Duration) {}
  package func settled(_ admission: AttemptID) {}
}

/// Spreads events to any number of subscribers. Each has a bounded buffer; when a subscriber falls behind, the oldest
/// events of its own buffer are dropped and counted, and nobody else notices.
package final class EventHub: EventSink {
  private struct Subscriber {
    var continuation: AsyncStream<GatewayEvent>.Continuation
    var dropped = 0
  }

  private struct State {
    var nextID = 0
    var subscribers: [Int: Subscriber] = [:]
  }

  private let state = Mutex(State())
  private let capacity: Int
  /// What was told last, and what was counted.
  package let view = StationView()
  /// Takes every event besides; whoever listens at the station's socket. In a value of its own: a closure that is kept as a generic
  /// value is wrapped once more each time that it is looked at, until the wraps of thousands of events use up a thread's stack.
  private struct Tap: Sendable { var take: (@Sendable (GatewayEvent) -> Void)? }
  private let tap = Mutex(Tap())

  /// Makes a hub whose subscribers may fall behind by `capacity` events.
  package init(capacity: Int = 1_024) { self.capacity = capacity }

  /// A stream of the events from now on; it ends with `finish` or when its consumer goes away.
  package func subscribe() -> AsyncStream<GatewayEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: GatewayEvent.self, bufferingPolicy: .bufferingNewest(capacity))
    let id = state.withLock { state in
      let id = state.nextID
      state.nextID += 1
      state.subscribers[id] = Subscriber(continuation: continuation)
      return id
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Hands every event from now on to `take` as well, on whatever thread it comes from; it must return at once.
  package func hand(to take: (@Sendable (GatewayEvent) -> Void)?) { tap.withLock { $0.take = take } }

  package func asked(_ system: TicketSystemID, took duration: Duration) { view.asked(system, took: duration) }

  package func settled(_ admission: AttemptID) { view.settle(admission) }

  package func emit(_ event: GatewayEvent) {
    view.take(event)
    tap.withLock { $0.take }?(event)
    for (id, subscriber) in state.withLock({ $0.subscribers }) {
      switch subscriber.continuation.yield(event) {
      case .dropped(let lost):
        let count = if case .dropped(let earlier) = lost { earlier } else { 1 }
        state.withLock { $0.subscribers[id]?.dropped += count }
        view.dropped(UInt64(max(count, 0)))
      case .enqueued(let room) where room > 0:
        let count = state.withLock { state in
          defer { state.subscribers[id]?.dropped = 0 }
          return state.subscribers[id]?.dropped ?? 0
        }
        if count > 0 { subscriber.continuation.yield(.dropped(count: count)) }
      default:
        break
      }
    }
  }

  /// Ends all streams, once what they hold has been read.
  package func finish() {
    let subscribers = state.withLock { state in
      defer { state.subscribers.removeAll() }
      return Array(state.subscribers.values)
    }
    for subscriber in subscribers { subscriber.continuation.finish() }
  }
}
