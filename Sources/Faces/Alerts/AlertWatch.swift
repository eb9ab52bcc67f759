internal import LinuxIO
package import ScanConfiguration
package import ScanModel
package import StationProtocol

/// Looks at the station every few seconds, and tells somebody elsewhere what is wrong and when it is over.
///
/// Nothing that it does reaches a gate: it asks for snapshots, as everybody may. What could not be posted and what is open outlive it in
/// a file.
package actor AlertWatch {
  /// How it looks and tells.
  package struct Settings: Sendable {
    /// The station's name.
    package var station: String
    /// What is told; that no service runs is told whatever is chosen.
    package var conditions: Set<AlertCondition>
    /// Where it keeps what outlives it; `nil` for nowhere.
    package var file: String?
    /// How often it looks.
    package var interval = Duration.seconds(10)
    /// How long things have to be so.
    package var timing = AlertBook.Timing()
    /// When a message that did not arrive is tried again.
    package var retries = AlertQueue.retries

    package init(station: String, conditions: Set<AlertCondition>, file: String?) {
      self.station = station
      self.conditions = conditions
      self.file = file
    }
  }

  /// How the station is, or why nobody tells.
  package typealias Look = @Sendable () async -> Result<StationSnapshot, StationAbsence>

  /// How long the end waits for a disk.
  private static let parting = Duration.seconds(2)

  private let settings: Settings
  private let sender: AlertSender
  private let look: Look
  private let certificateEnds: @Sendable () -> WallTime?
  private let time: any TimeSource
  private let log: @Sendable (String) -> Void

  private var book: AlertBook
  private var queue: AlertQueue
  private var conflicts: ConflictWatch
  private var counts = AlertFigures()
  private var lookedAt: MonotonicTime?
  private var written: AlertState?
  private var isFileFailing = false
  private var isWriting = false
  private var settled: OneAnswer<Void>?
  private let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Makes it, with what it knew before; nothing is asked or told before `run`.
  /// - Parameters:
  ///   - look: how the station is now.
  ///   - certificateEnds: when the console's own certificate ends; `nil` where it has none.
  ///   - log: takes a line for the operator.
  package init(
    _ settings: Settings, sender: AlertSender, look: @escaping Look,
    certificateEnds: @escaping @Sendable () -> WallTime? = { nil }, time: any TimeSource = SystemTime(),
    log: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.sender = sender
    self.look = look
    self.certificateEnds = certificateEnds
    self.time = time
    self.log = log
    var state = AlertState()
    if let file = settings.file {
      do throws(AlertStateFault) {
        state = try AlertState.read(file) ?? state
        written = state
      } catch {
        log(error.description)
      }
    }
    book = AlertBook(state.entries, timing: settings.timing)
    conflicts = ConflictWatch(known: state.conflicts)
    queue = AlertQueue(retries: settings.retries)
    for (message, tries) in state.waiting { queue.add(message, tries: tries, at: time.now()) }
  }

  /// What it has done, for whoever counts.
  package var figures: AlertFigures {
    var figures = counts
    figures.open = book.open
    figures.waiting = queue.waiting.count
    return figures
  }

  /// Looks and tells until the task is cancelled. What is on its way then is given up, and waits for the next process.
  package func run() async {
    await withTaskCancellationHandler {
      await withTaskGroup { group in
        group.addTask { await self.watch() }
        group.addTask { await self.tell() }
      }
    } onCancel: {
      Task { [sender] in await sender.close() }
    }
    await settle()
    await sender.close()
  }

  // MARK: Looking

  private func watch() async {
    while !Task.isCancelled {
      let found = await look()
      if Task.isCancelled { return }
      take(found)
      try? await Task.sleep(for: settings.interval)
    }
    waker.finish()
  }

  private func take(_ station: Result<StationSnapshot, StationAbsence>) {
    let (now, wall) = (time.now(), time.wall())
    let elapsed = lookedAt.map { now - $0 } ?? .zero
    lookedAt = now
    var found: [AlertKey: AlertEvidence]
    let isWhole: Bool
    switch station {
    case .success(let snapshot):
      let areNew = conflicts.take(snapshot.counters.conflicts, uptime: snapshot.uptime, after: elapsed)
      found = AlertJudgement.found(snapshot, conflicts: areNew)
      // By a clock that nobody vouches for no certificate is judged.
      found[AlertKey(.certificate)] =
        snapshot.isClockTrusted ? AlertJudgement.certificate(ending: certificateEnds(), at: wall) : .unknown
      isWhole = true
    case .failure(let absence):
      found = AlertJudgement.found(absence)
      isWhole = false
    }
    let chosen = found.filter { $0.key.condition == .service || settings.conditions.contains($0.key.condition) }
    for news in book.take(chosen, isWhole: isWhole, after: elapsed, at: wall) {
      let message = AlertMessage(news, station: settings.station)
      log("Alert: \(message.title).")
      if let lost = queue.add(message, at: now) {
        counts.dropped &+= 1
        log("More than \(AlertQueue.most) alerts wait to be posted: \"\(lost.title)\" is told to nobody.")
      }
      waker.yield()
    }
    keep()
  }

  // MARK: Telling

  private func tell() async {
    var wakes = self.wakes.makeAsyncIterator()
    while !Task.isCancelled {
      if let waiting = queue.next(at: time.now()) {
        await post(waiting)
        continue
      }
      guard let due = queue.nextDue else {
        if await wakes.next(isolation: self) == nil { return }
        continue
      }
      // Looked at again within the interval, whatever clock tells it.
      let pause = min(max(due - time.now(), .milliseconds(1)), settings.interval)
      guard (try? await Task.sleep(for: pause)) != nil else { return }
    }
  }

  private func post(_ waiting: AlertQueue.Waiting) async {
    switch await sender.post(waiting.message) {
    case .delivered:
      counts.delivered &+= 1
      queue.delivered(waiting.id, at: time.now())
    // Nobody knows whether it would have arrived.
    case .failed where Task.isCancelled: return
    case .failed(let words):
      counts.failures &+= 1
      let title = waiting.message.title
      if queue.failed(waiting.id, at: time.now()) != nil {
        counts.givenUp &+= 1
        log("The alert \"\(title)\" is told to nobody: \(waiting.tries + 1) tries have failed. \(words)")
      } else if waiting.tries == 0 {
        log("The alert \"\(title)\" is tried again later. \(words)")
      }
    }
    keep()
  }

  // MARK: The file

  /// Has in the file what is to outlive the process; returns at once. It is written on a thread of its own, one state after the other: a
  /// disk may take its time, and what is wrong with it has to be told all the same.
  private func keep() {
    let state = state
    guard let file = settings.file, !isWriting, state != written else { return }
    isWriting = true
    Task {
      let fault = await SystemThread.run("alerts") { () -> SystemError? in
        do throws(SystemError) { try state.write(to: file) } catch { return error }
        return nil
      }
      wrote(state, to: file, fault)
    }
  }

  private func wrote(_ state: AlertState, to file: String, _ fault: SystemError?) {
    isWriting = false
    if let fault {
      if !isFileFailing {
        log("\(file) cannot be written (\(fault.words)): after a restart, open alerts are told again.")
      }
      isFileFailing = true
    } else {
      written = state
      isFileFailing = false
      // What has changed meanwhile.
      keep()
    }
    if !isWriting { settled?.give(()) }
  }

  /// Waits for what is being written, and not for ever.
  private func settle() async {
    keep()
    guard isWriting else { return }
    let settled = OneAnswer<Void>()
    self.settled = settled
    await settled.first(within: Self.parting, else: ())
  }

  private var state: AlertState {
    var state = AlertState()
    // What is not open, and was not within the hour, the next process need not know.
    state.entries = book.entries.filter { $0.value.wasOpen }.mapValues { entry in
      var entry = entry
      entry.bad = nil
      entry.good = nil
      return entry
    }
    state.waiting = queue.waiting.map { ($0.message, $0.tries) }
    state.conflicts = conflicts.known
    return state
  }
}

/// What alerts have come to.
package struct AlertFigures: Sendable, Equatable {
  /// How many are open, by condition.
  package var open: [AlertCondition: Int] = [:]
  /// How many messages wait to be posted.
  package var waiting = 0
  /// How many have arrived.
  package var delivered: UInt64 = 0
  /// How many tries were in vain.
  package var failures: UInt64 = 0
  /// How many were given up.
  package var givenUp: UInt64 = 0
  /// How many had to go because too many waited.
  package var dropped: UInt64 = 0

  package init() {}
}
