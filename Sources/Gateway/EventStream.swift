import ScanModel
import Synchronization

/// Where gates and readers hand their events. Handing one over never waits.
public protocol EventSink: Sendable {
  /// Takes an event; returns at once.
  func emit(_ event: GatewayEvent)
}

/// Spreads events to any number of subscribers. Each has a bounded buffer; when a subscriber falls behind, the oldest
/// events of its own buffer are dropped and counted, and nobody else notices.
public final class EventHub: EventSink {
  private struct State {
    var nextID = 0
    var subscribers: [Int: AsyncStream<GatewayEvent>.Continuation] = [:]
    var dropped = 0
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// Makes a hub whose subscribers may fall behind by `capacity` events.
  public init(capacity: Int = 1_024) { self.capacity = capacity }

  /// How many events were dropped because a subscriber was too slow.
  public var droppedCount: Int { state.withLock { $0.dropped } }

  /// A stream of the events from now on; it ends with `finish` or when its consumer goes away.
  public func subscribe() -> AsyncStream<GatewayEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: GatewayEvent.self, bufferingPolicy: .bufferingNewest(capacity))
    let id = state.withLock { state in
      let id = state.nextID
      state.nextID += 1
      state.subscribers[id] = continuation
      return id
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
    }
    return stream
  }

  public func emit(_ event: GatewayEvent) {
    let subscribers = state.withLock { Array($0.subscribers.values) }
    for subscriber in subscribers {
      if case .dropped = subscriber.yield(event) { state.withLock { $0.dropped += 1 } }
    }
  }

  /// Ends all streams, once what they hold has been read.
  public func finish() {
    let subscribers = state.withLock { state in
      defer { state.subscribers.removeAll() }
      return Array(state.subscribers.values)
    }
    for subscriber in subscribers { subscriber.finish() }
  }
}
