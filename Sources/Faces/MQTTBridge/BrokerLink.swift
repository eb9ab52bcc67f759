package import LinuxIO
internal import ScanModel

/// The connection to a broker, kept up for ever.
///
/// ```
///            start             network, TLS, greeting
///   away ──────────▶ coming ──────────────────────────▶ here
///    ▲ ◀───────────────┘ failed, or 10 s have passed      │
///    └── after 1 s, doubled up to 60 s ◀──────────────────┘ lost
/// ```
/// Lives on a thread of its own, which a slow name server may keep: nobody else is on it.
package actor BrokerLink {
  /// What comes by itself, in its order.
  package enum News: Sendable, Equatable {
    /// The broker takes us, for the first time or again: it knows nothing of what was told before but what it has retained.
    case here
    /// It is away, and why; the same words are told once.
    case away(BrokerFault)
    /// What we subscribed to it does not let us have; told once a connection.
    case denied
    /// Something was published.
    case message(BrokerMessage)
    /// So many messages were thrown away, because more came than anybody has use for.
    case lost(UInt64)
    /// There is room again for what was not taken.
    case room
  }

  /// By how many news whoever takes them may fall behind. Messages are rationed, so that it takes eight seconds to get there.
  private static let mostNews = 4_096

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  /// To be taken by one.
  package nonisolated let news: AsyncStream<News>

  private nonisolated let feed: AsyncStream<News>.Continuation
  private nonisolated let loop: DeviceLoop
  private nonisolated let time = SystemTime()
  private let settings: BrokerSettings
  private let will: BrokerMessage
  private let filters: [String]

  private struct Attempt {
    let connection: BrokerConnection
    let begun: MonotonicTime
    var watch: DeviceLoop.Watch
    var interest: DeviceLoop.Readiness
    var greeted: MonotonicTime?
    /// Whether it was told that something is denied to us.
    var isDenied = false
  }

  private var isRunning = false
  private var attempt: Attempt?
  private var alarm: DeviceLoop.Timer?
  private var retry = BridgeLimits.firstRetry
  private var lastFault: BrokerFault?
  private var isStuck = false
  private var messages = Ration(burst: 2_048, interval: .milliseconds(4))
  private var lost: UInt64 = 0

  /// Makes the link; nothing is connected before `start`.
  /// - Parameters:
  ///   - will: what the broker tells once we are gone without leave.
  ///   - filters: what is listened to.
  /// - Throws: where no thread can be started.
  package init(_ settings: BrokerSettings, will: BrokerMessage, filters: [String]) throws(SystemError) {
    self.settings = settings
    self.will = will
    self.filters = filters
    loop = try DeviceLoop(name: "mqtt")
    (news, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostNews))
  }

  deinit { loop.stop() }

  // MARK: Life

  /// Connects, and stays connected until `stop`.
  package func start() {
    if isRunning { return }
    isRunning = true
    // Not at once: whoever starts us does not wait for a name server.
    alarm = loop.at(time.now()) { self.assumeIsolated { $0.connect() } }
  }

  /// Tells these last messages, takes leave and ends the connection; a broker that does not read is waited for half a second.
  package func stop(saying last: [BrokerMessage] = []) async {
    isRunning = false
    if let alarm { loop.cancel(alarm) }
    alarm = nil
    if attempt?.greeted != nil {
      for message in last { after { $0.call { $0.publish(message) } } }
      after { $0.call { $0.disconnect() } }
      let end = time.now() + .milliseconds(500)
      while attempt.map({ !$0.connection.isFlushed }) ?? false, time.now() < end {
        try? await Task.sleep(for: .milliseconds(10))
        after { $0.call { _ in 0 } }
      }
    }
    drop()
    feed.finish()
  }

  /// Publishes something.
  /// - Returns: whether it is on its way; `false` while the broker is away or does not read.
  package func publish(_ message: BrokerMessage) -> Bool {
    guard let attempt, attempt.greeted != nil else { return false }
    guard attempt.connection.hasRoom else {
      isStuck = true
      return false
    }
    after { $0.call { $0.publish(message) } }
    return self.attempt != nil
  }

  /// Listens to something no longer, for as long as this connection holds.
  package func ignore(_ filter: String) {
    if attempt?.greeted != nil { after { $0.call { $0.unsubscribe(from: filter) } } }
  }

  // MARK: The connection

  private func connect() {
    alarm = nil
    guard isRunning, attempt == nil else { return }
    do throws(BrokerFault) {
      let connection = try BrokerConnection(settings, will: will, time: time)
      attempt = Attempt(
        connection: connection, begun: time.now(), watch: watch(connection, .writable), interest: .writable)
      tick()
    } catch {
      end(error)
    }
  }

  private func watch(_ connection: BrokerConnection, _ interest: DeviceLoop.Readiness) -> DeviceLoop.Watch {
    loop.watch(connection.number, for: interest) { _ in self.assumeIsolated { $0.isReady() } }
  }

  private func isReady() { after { $0.proceed() } }

  private func tick() {
    alarm = nil
    guard isRunning, let attempt else { return }
    if attempt.greeted == nil, time.now() - attempt.begun > BridgeLimits.greeting {
      return end(
        BrokerFault("\(settings.address) does not answer. Is it a broker, and mqtt.broker right (TLS or not)?"))
    }
    alarm = loop.at(time.now() + .seconds(1)) { self.assumeIsolated { $0.tick() } }
    if lost > 0 { tell(.lost(exchange(&lost, with: 0))) }
    after { $0.tick() }
  }

  /// Does something with the connection, then what comes of it.
  private func after(_ body: (BrokerConnection) -> BrokerConnection.Progress) {
    guard let connection = attempt?.connection else { return }
    var progress = body(connection)
    for told in connection.takeTold() {
      let more = take(told, connection)
      // What was told before the end still counts; a refusal says more than the end that follows it.
      if more != .holds { progress = more }
    }
    if case .ended(let fault) = progress { return end(fault) }
    guard let attempt else { return }
    let interest = connection.interest
    if interest != attempt.interest {
      loop.unwatch(attempt.watch)
      self.attempt?.watch = watch(connection, interest)
      self.attempt?.interest = interest
    }
    if isStuck, connection.hasRoom {
      isStuck = false
      tell(.room)
    }
  }

  private func take(_ told: MosquittoClient.Told, _ connection: BrokerConnection) -> BrokerConnection.Progress {
    switch told {
    case .greeted(0) where attempt?.greeted != nil:
      return .ended(BrokerFault("\(settings.address) greets twice, which no broker does."))
    case .greeted(0):
      attempt?.greeted = time.now()
      lastFault = nil
      tell(.here)
      for filter in filters {
        let progress = connection.call { $0.subscribe(to: filter) }
        if progress != .holds { return progress }
      }
    case .greeted(let code): return .ended(refusal(code))
    case .granted(let granted):
      if granted.contains(where: { $0 > 2 }), attempt?.isDenied == false {
        attempt?.isDenied = true
        tell(.denied)
      }
    case .message(let message):
      if messages.take(time.now()) { tell(.message(message)) } else { lost &+= 1 }
    }
    return .holds
  }

  private func tell(_ news: News) { feed.yield(news) }

  private func refusal(_ code: Int32) -> BrokerFault {
    let place = settings.address
    return switch code {
    case 1: BrokerFault("\(place) does not speak MQTT 3.1.1.")
    case 2: BrokerFault("\(place) does not take the name \(settings.client).")
    case 3: BrokerFault("\(place) takes nobody now.")
    case 4, 5:
      BrokerFault(
        settings.user == nil
          ? "\(place) wants a user and a password: see mqtt.user and mqtt.credential."
          : "\(place) refuses the user \(settings.user ?? "") or its password: see mqtt.user and mqtt.credential.")
    default: BrokerFault("\(place) refuses us (\(code)).")
    }
  }

  private func drop() {
    if let attempt { loop.unwatch(attempt.watch) }
    attempt = nil
    isStuck = false
  }

  private func end(_ fault: BrokerFault) {
    // One that held well is tried again at once, whatever was before; one that is thrown out again and again is not.
    if let greeted = attempt?.greeted, time.now() - greeted > BridgeLimits.steady { retry = BridgeLimits.firstRetry }
    let wasHere = attempt?.greeted != nil
    drop()
    if let alarm { loop.cancel(alarm) }
    alarm = nil
    if wasHere || fault != lastFault { tell(.away(fault)) }
    lastFault = fault
    guard isRunning else { return }
    alarm = loop.at(time.now() + retry) { self.assumeIsolated { $0.connect() } }
    retry = min(retry * 2, BridgeLimits.lastRetry)
  }
}
