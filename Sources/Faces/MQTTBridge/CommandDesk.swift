package import ScanModel
package import StationProtocol

/// What becomes of messages that come: which of them is an order. Pure: time and messages in, decisions out.
package struct CommandDesk: Sendable {
  /// What becomes of a message.
  package enum Decision: Sendable, Equatable {
    /// It is given to the station.
    case perform(BridgeCommand, StationOrder)
    /// It came before, as QoS 1 may have it: nothing is done.
    case repeated
    /// Nothing is done, and why. `number` where it has one that can be answered.
    case refused(Refusal, number: String?, words: String)
  }

  /// Why nothing is done. The raw values are the names in results.
  package enum Refusal: String, Sendable {
    /// The broker had kept it: nobody knows for how long.
    case retained
    /// No order is taken there, or not this one, or the file does not allow it.
    case notAllowed
    /// It cannot be read.
    case unreadable
    /// It was given too long ago, or the clocks differ.
    case stale
    /// As many came lately as may come.
    case tooMany
  }

  private let topics: BridgeTopics
  /// What the file allows.
  private let orders: Set<OrderKind>
  private var rate = Ration(burst: BridgeLimits.commandBurst, interval: BridgeLimits.commandInterval)
  private var known: Set<OrderID> = []
  private var inOrder: [OrderID] = []

  /// What can be ordered over MQTT at all, whatever a file says.
  package static let possible: Set<OrderKind> = [.maintenance, .listRefresh]

  /// - Parameter orders: what the file allows; of it only what is possible counts.
  package init(topics: BridgeTopics, orders: Set<OrderKind>) {
    self.topics = topics
    self.orders = orders.intersection(Self.possible)
  }

  /// Takes a message.
  /// - Parameters:
  ///   - now: when it came.
  ///   - wall: the same by the civil clock.
  package mutating func take(_ message: BrokerMessage, now: MonotonicTime, wall: WallTime) -> Decision {
    guard let name = topics.command(of: message.topic) else {
      return .refused(.notAllowed, number: nil, words: "nothing is taken there")
    }
    if message.isRetained {
      return .refused(
        .retained, number: nil,
        words: "the broker had kept it, and nobody knows for how long: publish commands without retain")
    }
    guard let kind = OrderKind(rawValue: name), Self.possible.contains(kind) else {
      return .refused(.notAllowed, number: nil, words: "that is never ordered over MQTT")
    }
    if message.isTooLong {
      return .refused(.unreadable, number: nil, words: "it has more than \(BridgeLimits.maximumPayload) bytes")
    }
    guard orders.contains(kind) else {
      return .refused(
        .notAllowed, number: BridgeCommand.number(in: message.payload),
        words: "the file does not allow it: mqtt.orders")
    }
    let command: BridgeCommand
    do throws(BridgeCommand.Fault) {
      command = try BridgeCommand(kind, payload: message.payload)
    } catch {
      return .refused(.unreadable, number: BridgeCommand.number(in: message.payload), words: error.words)
    }
    guard let id = command.orderID(topics) else {
      return .refused(.unreadable, number: nil, words: BridgeCommand.Fault.number.words)
    }
    // Before its age is looked at: what came twice was done, however late the second comes.
    if known.contains(id) { return .repeated }
    let age = wall - command.at
    guard age <= BridgeLimits.commandAge, .zero - age <= BridgeLimits.commandAge else {
      let seconds = age.milliseconds / 1_000
      return .refused(
        .stale, number: command.number,
        words: seconds >= 0
          ? "it was given \(seconds) s ago, or the clock of whoever gave it is behind this machine's"
          : "it was given by a clock that is \(-seconds) s ahead of this machine's")
    }
    guard rate.take(now) else {
      return .refused(.tooMany, number: command.number, words: "too many commands came lately")
    }
    remember(id)
    return .perform(
      command,
      StationOrder(command.action, who: "mqtt", why: command.why, id: id, givenAt: now - max(.zero, age)))
  }

  private mutating func remember(_ id: OrderID) {
    known.insert(id)
    inOrder.append(id)
    if inOrder.count > BridgeLimits.rememberedCommands { known.remove(inOrder.removeFirst()) }
  }
}

/// So many at once, then one each interval. Pure.
package struct Ration: Sendable {
  private let burst: Int
  private let interval: Duration
  private var left: Int
  private var since: MonotonicTime?

  package init(burst: Int, interval: Duration) {
    self.burst = burst
    self.interval = interval
    left = burst
  }

  /// Takes one.
  /// - Returns: whether there was one.
  package mutating func take(_ now: MonotonicTime) -> Bool {
    let start = since ?? now
    since = start
    let step = max(1, interval.saturatedNanoseconds)
    let more = max(0, (now - start).saturatedNanoseconds) / step
    if more > 0 {
      left = min(burst, left + Int(min(more, Int64(burst))))
      since = left == burst ? now : start + .nanoseconds(more * step)
    }
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
