internal import NIOCore
internal import StationProtocol
internal import Synchronization

/// The events of the station on their way to all who are told them: what takes them from the station hands them over and goes on;
/// each who is told has a place in the one buffer, and is woken.
package final class EventFeed: Sendable {
  private struct State {
    var buffer: EventBuffer
    /// What is told of whether the station answers, and a number for it; `nil` where that is not known.
    var presence: (number: UInt64, bytes: ByteBuffer, isHere: Bool)?
    var subscribers: [UInt64: Subscriber] = [:]
    var lastNumber: UInt64 = 0
    var lastPresence: UInt64 = 0
    var isEnded = false

    mutating func become(_ presence: StationPresence) {
      lastPresence += 1
      let isHere = if case .here = presence { true } else { false }
      self.presence = EventFrame.presence(presence).map { (lastPresence, $0, isHere) }
    }
  }

  private struct Subscriber {
    let filter: EventFilter
    let wakes: AsyncStream<EventSubscription.Wake>.Continuation
    var place: EventBuffer.Place
    /// The presence that it was told.
    var presence: UInt64 = 0
  }

  private let state: Mutex<State>
  private let mostEntries: Int
  private let mostBytes: Int

  /// Makes an empty feed.
  init(mostEntries: Int, mostBytes: Int) {
    self.mostEntries = mostEntries
    self.mostBytes = mostBytes
    state = Mutex(State(buffer: EventBuffer(mostEntries: mostEntries, mostBytes: mostBytes)))
  }

  // MARK: What the station tells

  /// Takes what the station tells.
  func take(_ news: StationClient.News) {
    state.withLock { state in
      switch news {
      case .here(let welcome):
        state.buffer.begin(epoch: .random(in: 1 ... .max))
        state.become(.here(welcome))
      case .away(let absence): state.become(.away(absence))
      case .dropped(let count):
        state.buffer.drop(count)
        return
      case .event(let event):
        let make = { (id: EventID) in EventFrame(id, line: event.line) }
        if !state.buffer.append(event.number, make) {
          // Numbers that begin anew are another station's.
          state.buffer.begin(epoch: .random(in: 1 ... .max))
          _ = state.buffer.append(event.number, make)
        }
      }
      for subscriber in state.subscribers.values { subscriber.wakes.yield(.news) }
    }
  }

  /// Nobody tells any more: what was told is forgotten, and what comes next is of another epoch.
  func pause() {
    state.withLock { state in
      state.buffer = EventBuffer(mostEntries: mostEntries, mostBytes: mostBytes)
      state.presence = nil
    }
  }

  /// Wakes everybody, so that streams are found open.
  func beat() {
    state.withLock { for subscriber in $0.subscribers.values { subscriber.wakes.yield(.heartbeat) } }
  }

  /// Ends what all are told, and takes no others.
  func end() {
    let subscribers = state.withLock { state in
      state.isEnded = true
      return Array(state.subscribers.values)
    }
    for subscriber in subscribers { subscriber.wakes.finish() }
  }

  // MARK: Who is told

  /// How many are told.
  package var count: Int { state.withLock { $0.subscribers.count } }

  /// Whether nobody is told anything any more.
  var isOver: Bool { state.withLock { $0.isEnded } }

  /// Begins to tell somebody.
  /// - Parameters:
  ///   - id: the event that it was told last; `nil` for what happens from now on.
  ///   - most: how many are told at a time.
  /// - Returns: `nil` where so many are told already.
  func subscribe(after id: EventID?, filter: EventFilter, most: Int) -> EventSubscription? {
    let (wakes, continuation) = AsyncStream.makeStream(
      of: EventSubscription.Wake.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      guard !state.isEnded, state.subscribers.count < most else { return nil }
      state.lastNumber += 1
      state.subscribers[state.lastNumber] = Subscriber(
        filter: filter, wakes: continuation, place: id.map { state.buffer.place(after: $0) } ?? state.buffer.now)
      return state.lastNumber
    }
    guard let number else { return nil }
    // What there is already.
    continuation.yield(.news)
    return EventSubscription(number: number, wakes: wakes, feed: self)
  }

  /// What somebody is told next; empty where there is nothing.
  fileprivate func take(for number: UInt64) -> [ByteBuffer] {
    state.withLock { state in
      guard var subscriber = state.subscribers[number] else { return [] }
      var buffers: [ByteBuffer] = []
      if let presence = state.presence, presence.number != subscriber.presence {
        subscriber.presence = presence.number
        buffers.append(presence.bytes)
      }
      let batch = state.buffer.take(at: &subscriber.place, where: subscriber.filter)
      switch batch.loss {
      case .counted(let count): buffers.append(EventFrame.dropped(count, last: batch.lastLost))
      case .uncounted: buffers.append(EventFrame.dropped(nil, last: batch.lastLost))
      case nil: break
      }
      buffers += batch.frames.map(\.bytes)
      state.subscribers[number] = subscriber
      return buffers
    }
  }

  /// The same for whoever shows it within this process; empty where there is nothing.
  fileprivate func news(for number: UInt64) -> EventNews {
    state.withLock { state in
      guard var subscriber = state.subscribers[number] else { return EventNews() }
      var news = EventNews()
      if let presence = state.presence, presence.number != subscriber.presence {
        subscriber.presence = presence.number
        news.isHere = presence.isHere
      }
      news.lines = state.buffer.take(at: &subscriber.place, where: subscriber.filter).frames.map(\.line)
      state.subscribers[number] = subscriber
      return news
    }
  }

  fileprivate func unsubscribe(_ number: UInt64) {
    state.withLock { $0.subscribers.removeValue(forKey: number) }?.wakes.finish()
  }
}

/// What somebody within this process is told next.
struct EventNews: Equatable {
  /// Whether the station answers, where that has changed; told before the events.
  var isHere: Bool?
  /// Events, as the station wrote them.
  var lines: [String] = []

  var isEmpty: Bool { isHere == nil && lines.isEmpty }
}

/// One who is told events.
package final class EventSubscription: Sendable {
  enum Wake: Sendable {
    case news
    case heartbeat
  }

  private let number: UInt64
  private let feed: EventFeed
  /// That there may be something; ends with the feed. To be followed by one.
  let wakes: AsyncStream<Wake>

  fileprivate init(number: UInt64, wakes: AsyncStream<Wake>, feed: EventFeed) {
    self.number = number
    self.wakes = wakes
    self.feed = feed
  }

  deinit { feed.unsubscribe(number) }

  /// What is to be told next, a bounded number at a time: buffers that all who are told share. Empty where there is nothing more now.
  func take() -> [ByteBuffer] { feed.take(for: number) }

  /// The same as lines, for whoever shows them within this process; a subscription is asked for the one or the other.
  func news() -> EventNews { feed.news(for: number) }

  /// Nothing more is told.
  func end() { feed.unsubscribe(number) }
}
