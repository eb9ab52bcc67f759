internal import CNATS
internal import FleetBook
internal import LinuxIO
internal import ScanModel
internal import Synchronization

/// The connection to a fleet's servers, kept up for ever, and calls over it.
///
/// ```
///            one server after another            asked of itself and its stream
///   away ──────────────────────────▶ connected ──────────────────────────────▶ judged: good, or why not
///    ▲ ◀── none takes us: 0.25 s, doubled up to 4 s   │ ◀── again each 5 s, or 0.5 s where not good ──┘
///    └────────────────── closed ──────────────────────┘
/// ```
/// Three threads, beside those of the library, which call back and are never waited in: one ends calls whose time is over, reads what changes, and never
/// waits; one calls the library, which may block for two seconds; one connects, which may block for ever, and is left behind then.
final class JetStreamLink: Sendable {
  struct Session: Sendable {
    let number: UInt64
    let server: JetStreamSettings.Server
    /// What the server has called itself when it was started.
    let serverID: String
    let connection: NATSConnection
    let inbox: String
  }

  struct State: Sendable {
    var isRunning = false
    var isOver = false
    var sessions: UInt64 = 0
    var session: Session?
    /// Why servers may not be relied on; `nil` where they may.
    var fault: ClaimFault? = .noQuorum
    /// Whether this session's servers were found good once.
    var isGood = false
    /// In which its claims are written, as was told last.
    var format = BookFormat.newest
    /// What is known of the book, and whether that was recalled; what was noted of it last.
    var mark: BookMark?
    var isRecalled = false
    var noted: BookMark?
    /// The greatest revision that is known to be, or to have been, in the book.
    var highest = ClaimRevision.none
    /// Since when a leader that is followed has an old book.
    var suspectSince: MonotonicTime?
    var lastRefusal: String?
    /// Whether the server does not let us ask for lists of tickets, which is nothing to claims.
    var refusesLists = false
    var followers: [AsyncStream<ClaimStoreState>.Continuation] = []
    /// How this machine's clock stands to the leader's, and who is told.
    var clock = ClockComparison()
    var clockFollowers: [AsyncStream<Duration?>.Continuation] = []
    var keeper: Task<Void, Never>?

    /// Puts down how it is, and tells whoever follows, each change once and in its order. Who follows no more is found by this alone: what a stream
    /// calls at its end is called by whoever cancels its task, who waits for those that tell it something and so hold the lock.
    mutating func settle(_ fault: ClaimFault?) {
      if exchange(&self.fault, with: fault) == fault { return }
      let word = fault.map(ClaimStoreState.away) ?? .ready
      followers.removeAll { if case .terminated = $0.yield(word) { true } else { false } }
    }
  }

  let settings: JetStreamSettings
  let marks: (any BookMarks)?
  private let onOrder: (@Sendable ([UInt8]) -> Void)?
  let time: any TimeSource
  let state = Mutex(State())
  let timers: DeviceLoop
  let calls: DeviceLoop
  private let connector: Connector
  let pending: PendingCalls
  private let waker: Waker

  /// - Throws: where no thread can be had.
  init(
    _ settings: JetStreamSettings, marks: (any BookMarks)? = nil, time: any TimeSource,
    onOrder: (@Sendable ([UInt8]) -> Void)? = nil
  ) throws(SystemError) {
    self.settings = settings
    self.marks = marks
    self.onOrder = onOrder
    self.time = time
    timers = try DeviceLoop(name: "fleet", runsTasks: true)
    calls = try DeviceLoop(name: "fleet-calls")
    connector = Connector(timers: timers, time: time)
    pending = PendingCalls(timers: timers)
    waker = Waker(timers: timers, time: time)
  }

  deinit {
    timers.stop()
    calls.stop()
  }

  // MARK: Life

  /// Connects, and stays connected until `stop`; once.
  func start() {
    state.withLock { state in
      guard !state.isRunning, !state.isOver else { return }
      state.isRunning = true
      state.keeper = Task(executorPreference: timers.tasks) { await self.keep() }
    }
  }

  /// Ends the connection, and every call. Takes five seconds where a server stands still that is just being connected to.
  func stop() async {
    let keeper = state.withLock { state in
      (state.isRunning, state.isOver) = (false, true)
      return exchange(&state.keeper, with: nil)
    }
    waker.nudge()
    await keeper?.value
    noteBook()
    if let session = state.withLock({ $0.session?.number }) { close(session) }
    let followers = state.withLock { exchange(&$0.followers, with: []) }
    for follower in followers { follower.finish() }
    for follower in state.withLock({ exchange(&$0.clockFollowers, with: []) }) { follower.finish() }
    await calls.heartbeat()
  }

  /// Servers are judged again at once.
  func judgeAgain() { waker.nudge() }

  private var isRunning: Bool { state.withLock { $0.isRunning } }

  /// Whether the server does not let us ask for lists of tickets.
  var refusesLists: Bool { state.withLock { $0.refusesLists } }

  /// Whether it was stopped.
  var isOver: Bool { state.withLock { $0.isOver } }

  private func keep() async {
    var retry = JetStreamLimits.firstRetry
    // Who is asked first: one that is cut off from the others still answers, and would keep us from those who have a majority.
    var first = 0
    var (vain, patience) = (0, JetStreamLimits.leastVain)
    while isRunning {
      if state.withLock({ $0.session == nil }) {
        var fault = ClaimFault.noQuorum
        vain = 0
        for offset in settings.servers.indices where isRunning {
          let place = (first + offset) % settings.servers.count
          do throws(ClaimFault) {
            try await connect(settings.servers[place])
            first = place
            break
          } catch {
            // One that says why it does not take us says more than one that is away.
            if fault == .noQuorum { fault = error }
          }
        }
        let isAway = state.withLock { state in
          if state.session == nil { state.settle(fault) }
          return state.session == nil
        }
        if isAway {
          await waker.sleep(retry)
          retry = min(retry * 2, JetStreamLimits.lastRetry)
          continue
        }
      }
      let (fault, session, isKnown) = await judge()
      let isCurrent = state.withLock { state in
        guard state.session?.number == session else { return false }
        // Who is slow to tell is relied on as before, but not one who tells of another book.
        state.isGood = fault == nil || (state.isGood && fault == .noQuorum && isKnown)
        // At once with that: one that closes just now must not be told before what was found of it.
        state.settle(fault)
        return true
      }
      guard isCurrent else {
        // A server that takes us and throws us out is not tried without a pause.
        waker.forget()
        await waker.sleep(retry)
        retry = min(retry * 2, JetStreamLimits.lastRetry)
        continue
      }
      if fault == nil { (retry, vain, patience) = (JetStreamLimits.firstRetry, 0, JetStreamLimits.leastVain) }
      if fault == .noQuorum, settings.servers.count > 1 {
        vain += 1
        if vain >= patience {
          // Where nobody has a majority there is no haste in asking all of them again.
          patience = min(patience * 2, JetStreamLimits.mostVain)
          first = (first + 1) % settings.servers.count
          close(session)
          continue
        }
      }
      await waker.sleep(fault == nil ? JetStreamLimits.judging : JetStreamLimits.judgingAgain)
    }
  }

  // MARK: The connection

  private func connect(_ server: JetStreamSettings.Server) async throws(ClaimFault) {
    let number = state.withLock { state in
      state.sessions += 1
      return state.sessions
    }
    let connection = try await connector.connect(to: server, settings) { [weak self] news in
      switch news {
      case .closed: self?.close(number)
      case .wrong(let words): self?.refused(words, number)
      case .message: break
      }
    }
    // Servers let nobody else listen here, and nobody guesses it.
    let inbox = "\(settings.inbox).\(Inbox.name())"
    let prefix = inbox.utf8.count + 1
    let pending = pending
    let (listening, serverID) = await onCalls {
      let listening = connection.listen(to: inbox + ".*") { news in
        guard case .message(let message) = news, let call = UInt64(message.subject.dropFirst(prefix)) else { return }
        pending.answer(call, message)
      }
      return (listening, connection.serverID)
    }
    state.withLock { state in
      state.refusesLists = false
      state.session = Session(
        number: number, server: server, serverID: serverID, connection: connection, inbox: inbox)
    }
    // It may have closed before anybody could know whose it is. One that has closed since is ended by this thread, and may not be asked.
    let isOpen = await onCalls {
      self.state.withLock { $0.session?.number == number } && !connection.serverID.isEmpty
    }
    guard listening != nil, isOpen else {
      close(number)
      throw .noQuorum
    }
  }

  /// Does what may block where that keeps nobody.
  func onCalls<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { (done: CheckedContinuation<Value, Never>) in
      _ = calls.at(time.now()) { done.resume(returning: body()) }
    }
  }

  private func close(_ number: UInt64) {
    let session = state.withLock { state -> Session? in
      guard state.session?.number == number else { return nil }
      state.isGood = false
      state.settle(.noQuorum)
      return exchange(&state.session, with: nil)
    }
    guard let session else { return }
    pending.endAll()
    _ = calls.at(time.now()) { session.connection.end() }
    waker.nudge()
  }

  private func refused(_ words: String, _ number: UInt64) {
    let isOfLists =
      words.contains(settings.listStream) || words.contains(JetStreamSettings.listSubjects(settings.bucket))
    state.withLock { state in
      guard state.session?.number == number else { return }
      if isOfLists { state.refusesLists = true } else { state.lastRefusal = words }
    }
  }

  // MARK: States

  /// How it is, and each change; of those that nobody has taken the last ones.
  var states: AsyncStream<ClaimStoreState> {
    let (stream, follower) = AsyncStream.makeStream(of: ClaimStoreState.self, bufferingPolicy: .bufferingNewest(16))
    state.withLock { state in
      state.followers.append(follower)
      follower.yield(state.fault.map(ClaimStoreState.away) ?? .ready)
      if state.isOver { follower.finish() }
    }
    return stream
  }

  /// How this machine's clock stands to the leader's, see `ClaimStore.clocks`.
  var clocks: AsyncStream<Duration?> {
    let (stream, follower) = AsyncStream.makeStream(of: Duration?.self, bufferingPolicy: .bufferingNewest(4))
    state.withLock { state in
      state.clockFollowers.append(follower)
      if let ahead = state.clock.ahead { follower.yield(ahead) }
      if state.isOver { follower.finish() }
    }
    return stream
  }

  /// Takes what the leader says that the time is.
  private func compare(sent: WallTime, answered: WallTime, told: WallTime) {
    state.withLock { state in
      guard state.clock.take(sent: sent, answered: answered, told: told) else { return }
      let ahead = state.clock.ahead
      state.clockFollowers.removeAll { if case .terminated = $0.yield(ahead) { true } else { false } }
    }
  }

  /// Throws why no claim may be asked for now.
  func check() throws(ClaimFault) {
    let fault = state.withLock { state -> ClaimFault? in
      if state.session != nil, state.isGood { return nil }
      return state.fault ?? .noQuorum
    }
    if let fault { throw fault }
  }

  /// Throws why nothing may be read now: what was closed may be.
  func checkReading() throws(ClaimFault) {
    let closed = StreamRules(settings: settings).closed
    if state.withLock({ $0.session != nil && $0.fault == closed }) { return }
    try check()
  }

  // MARK: Judgement

  /// Asks the servers what they are, and what their stream is.
  /// - Returns: why they may not be relied on, which session was asked, and whether its book is the one that is known.
  private func judge() async -> (ClaimFault?, UInt64, Bool) {
    guard
      let session = state.withLock({ state in
        state.lastRefusal = nil
        return state.session
      })
    else { return (.noQuorum, 0, true) }
    let seen = highest
    let stream = await ask(
      NATSRequest(subject: "$JS.API.STREAM.INFO.\(settings.stream)"), until: time.now() + JetStreamLimits.telling,
      isBounded: false, again: JetStreamLimits.askingAgain)
    let told = StreamAnswer(stream)
    // Whoever shows it: who has signed it is judged elsewhere. Before anybody claims by what comes of this.
    if let onOrder, case .stream(_, _, _, let book) = told, let order = book.order {
      onOrder(OrderText.bytes(order))
    }
    let own = session.serverID
    let wanted = told.peers
    let sent = time.wall()
    let servers = await ask(
      NATSRequest(subject: ServerAnswer.subject), until: time.now() + JetStreamLimits.gathering,
      isBounded: false,
      enough: { answers in
        if answers.contains(where: \.isUnheard) { return true }
        let heard = answers.compactMap(ServerAnswer.init)
        return heard.contains { $0.id == own } && wanted.isSubset(of: heard.map(\.name))
      })
    if let now = told.leaderTime(among: servers) { compare(sent: sent, answered: time.wall(), told: now) }
    let refusal = state.withLock { $0.lastRefusal }
    let fault = Judgement(settings: settings, server: session.server, ownID: own, refusal: refusal).fault(servers, told)
    guard fault == nil, case .stream(_, _, _, let book) = told else { return (fault, session.number, true) }
    state.withLock { $0.format = book.format }
    noteBook()
    switch await judgeBook(book, seen: seen) {
    case .good: return (nil, session.number, true)
    case .unheard: return (.noQuorum, session.number, true)
    case .doubtful: return (.noQuorum, session.number, false)
    case .bad(let fault): return (fault, session.number, false)
    }
  }
}
