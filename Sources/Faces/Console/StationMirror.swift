package import LinuxIO
internal import ScanModel
package import StationProtocol

/// The station, as the console sees it: asked how it is by all together, told what it is to do, and its events for whoever wants them.
///
///     subscribers ──▶ listening ──60 s without any──▶ not listening
///
/// Events are asked of the station while somebody is told them, and for a while after, so that who comes back can go on where it was;
/// over a connection of their own, so that what is asked never waits behind them.
package actor StationMirror {
  /// The most events that are kept, and the most bytes.
  private static let mostEvents = 1_024
  private static let mostBytes = 524_288
  /// How long events are followed when nobody is told them any more.
  package static let linger: Duration = .seconds(60)
  /// The most that are told events at a time.
  package static let mostSubscribers = 256
  /// How often a stream on which nothing happens is written to.
  package static let heartbeat: Duration = .seconds(15)

  private struct Question {
    /// What is answered is of no earlier time.
    let began: MonotonicTime
    let answer: Task<Result<StationSnapshot, StationAbsence>, Never>
  }

  private let path: String
  private let wants: ListenerWants
  private let client: StationClient
  private let beat: Duration
  private let wait: Duration
  private nonisolated let time = SystemTime()
  /// Who is told events.
  package nonisolated let feed = EventFeed(mostEntries: mostEvents, mostBytes: mostBytes)

  private var following: Task<Void, Never>?
  private var listening: Task<Void, Never>?
  private var isStopped = false
  private var question: Question?
  private var last: (began: MonotonicTime, snapshot: StationSnapshot)?
  /// When the last order was answered.
  private var lastOrder = MonotonicTime(nanoseconds: .min)

  /// Makes it; nothing is asked before `start`.
  /// - Parameters:
  ///   - path: the station's socket.
  ///   - names: whether tickets' holders are to be named.
  /// - Throws: where no thread can be started.
  package init(
    path: String = StationLimits.path, names: Bool = false, heartbeat: Duration = StationMirror.heartbeat,
    linger: Duration = StationMirror.linger
  ) throws(SystemError) {
    self.path = path
    wants = ListenerWants(names: names)
    beat = heartbeat
    wait = linger
    client = try StationClient(path: path, program: "scangate console", wants: wants)
  }

  // MARK: Life

  /// Connects, and stays connected until `stop`; returns at once.
  package func start() async {
    guard following == nil, !isStopped else { return }
    following = Task { [client, weak self] in
      for await news in client.news { await self?.take(news) }
    }
    await client.start()
  }

  /// Ends the connections and all subscriptions.
  package func stop() async {
    isStopped = true
    feed.end()
    listening?.cancel()
    following?.cancel()
    await client.stop()
  }

  private func take(_ news: StationClient.News) {
    if case .away = news { last = nil }
  }

  // MARK: What is asked

  /// How the station is. One question is under way at a time, whoever asks.
  /// - Parameter age: how long ago it may have been so.
  /// - Throws: why nobody tells.
  package func snapshot(notOlderThan age: Duration = .milliseconds(100)) async throws(StationAbsence) -> StationSnapshot
  {
    let oldest = max(time.now() - age, lastOrder)
    while true {
      if let last, last.began >= oldest { return last.snapshot }
      let question = self.question ?? ask()
      switch await question.answer.value {
      case .success(let snapshot): if question.began >= oldest { return snapshot }
      // Where it was asked before, it is asked once more.
      case .failure(let absence): if question.began >= oldest { throw absence }
      }
    }
  }

  /// The orders that the station lets us give; none while it is away.
  package var orders: [OrderKind] { get async { await client.welcome?.orders ?? [] } }

  private func ask() -> Question {
    let began = time.now()
    let question = Question(
      began: began,
      answer: Task { [client] in
        let answer: Result<StationSnapshot, StationAbsence>
        do throws(StationAbsence) {
          answer = .success(try await client.snapshot())
        } catch {
          answer = .failure(error)
        }
        answered(answer, began)
        return answer
      })
    self.question = question
    return question
  }

  private func answered(_ answer: Result<StationSnapshot, StationAbsence>, _ began: MonotonicTime) {
    question = nil
    last = (try? answer.get()).map { (began, $0) }
  }

  /// Gives an order; it is done once, over reconnects as well. What happens to the connection is waited out.
  /// - Throws: why it is not known whether it was done. The same order may be given again.
  package func perform(
    _ order: StationOrder, within limit: Duration = .seconds(10)
  ) async throws(StationAbsence) -> OrderOutcome {
    let outcome: Result<OrderOutcome, StationAbsence>
    do throws(StationAbsence) {
      outcome = .success(try await client.perform(order, within: limit, patience: true))
    } catch {
      outcome = .failure(error)
    }
    // What it changed is not in what was asked before.
    lastOrder = time.now()
    return try outcome.get()
  }

  // MARK: Who is told events

  /// Begins to tell somebody the station's events; until it lets go of the subscription.
  /// - Parameter id: the event that it was told last; `nil` for what happens from now on.
  /// - Returns: `nil` where as many are told as may be.
  package func subscribe(after id: EventID? = nil, filter: EventFilter = EventFilter()) -> EventSubscription? {
    guard !isStopped, let subscription = feed.subscribe(after: id, filter: filter, most: Self.mostSubscribers) else {
      return nil
    }
    if listening == nil { listen() }
    return subscription
  }

  private func listen() {
    let (path, wants, beat, wait, feed) = (path, wants, beat, wait, feed)
    listening = Task { [weak self] in
      while !Task.isCancelled {
        do throws(SystemError) {
          let client = try StationClient(path: path, program: "scangate console", wants: wants)
          await client.start(listening: true)
          let taking = Task { for await news in client.news { feed.take(news) } }
          await Self.keep(feed, beat, wait)
          await client.stop()
          await taking.value
        } catch {
          // Without a thread there are no events; perhaps there is one later.
          try? await Task.sleep(for: beat)
        }
        guard let self, await !self.rests() else { return }
      }
    }
  }

  /// Until nobody was told events for a while, or all ends.
  private static func keep(_ feed: EventFeed, _ beat: Duration, _ wait: Duration) async {
    var idle = Duration.zero
    while idle < wait {
      do { try await Task.sleep(for: beat) } catch { return }
      idle = feed.count > 0 ? .zero : idle + beat
      feed.beat()
    }
  }

  /// - Returns: whether nobody wants events now.
  private func rests() -> Bool {
    feed.pause()
    guard feed.count == 0 || isStopped else { return false }
    listening = nil
    return true
  }
}
