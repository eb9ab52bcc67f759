import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization

/// What a job on the writer's thread gets.
struct WriterState {
  /// The file, or why there is none.
  var file: Result<JournalStore, JournalFault>
  /// Batches that are not written yet, oldest first.
  var pending: [PendingBatch]

  /// What the file says; why not, in words.
  func ask<Value>(_ body: (JournalStore) throws(SQLiteError) -> Value) -> Result<Value, JournalFault> {
    file.flatMap { store in
      Result { () throws(SQLiteError) in try body(store) }.mapError { JournalFault($0, at: store.path) }
    }
  }
}

/// What the journal's three threads and its callers share: the queue under a lock that nobody holds while the disk works,
/// and what wakes the threads.
final class JournalCore: Sendable {
  /// What the threads ask of each other.
  struct Orders {
    /// Jobs that need the file, in order.
    var jobs: [@Sendable (WriterState) -> Void] = []
    /// Damage that the quick check found.
    var damage: String?
    /// The whole log was moved into the file: it can begin anew.
    var beginLog = false
    /// The log has grown far and is never at rest: the writer itself has to move the rest of it.
    var finishLog = false
    /// Those who wait for a whole round of retention.
    var tidy: [@Sendable () -> Void] = []
    /// The journal is being closed.
    var isClosing = false
    /// The housekeeper has to close its connection, because the file is about to be renamed.
    var houseMustLeave = false
    /// It has.
    var isHouseOut = false
    /// The quick check that an unclean stop asks for has still to be done.
    var needsCheck = false
    /// Threads that run.
    var threads = 0
    /// Those who wait for the threads to end.
    var ended: [@Sendable () -> Void] = []
  }

  let settings: Journal.Settings
  let file: JournalFile
  let time: any TimeSource
  let sync: any WALSync
  /// The thread of those who wait, which tells them when their wait ends.
  let alarms: DeviceLoop?
  /// The note beside the file; `nil` where there is none.
  let trust: JournalTrust?
  let broadcaster = JournalStateBroadcaster()
  let queue = Mutex(JournalQueue())
  let orders = Mutex(Orders())
  let known = Mutex(KnownKeys())
  /// The housekeeper's connection, so that others can interrupt what it does.
  let house = Mutex<Database?>(nil)
  let writerWaker: ThreadWaker
  let syncWaker: ThreadWaker
  let houseWaker: ThreadWaker

  /// The machine's own clock, for the threads' pauses; `time` may be a test's.
  let clock = SystemTime()

  init(
    settings: Journal.Settings, file: JournalFile, time: any TimeSource, sync: any WALSync, trust: JournalTrust?,
    alarms: DeviceLoop? = nil
  ) throws(SystemError) {
    self.alarms = alarms
    self.settings = settings
    self.file = file
    self.time = time
    self.sync = sync
    self.trust = trust
    writerWaker = try ThreadWaker()
    syncWaker = try ThreadWaker()
    houseWaker = try ThreadWaker()
  }

  /// Answers those who can be answered, outside of the lock.
  /// - Returns: how many they were.
  @discardableResult func answerWaiters() -> Int {
    let answered = queue.withLock { $0.answered(path: settings.path) }
    for (waiter, answer) in answered { waiter.answer(answer) }
    return answered.count
  }

  /// Tells how the journal is now.
  func tellState() { broadcaster.tell(queue.withLock { $0.fault ?? $0.syncFault }) }

  // MARK: Callers

  func enqueue(_ batch: JournalBatch) -> JournalMark {
    // Before it can be written: what is not known is nowhere.
    if !batch.memory.isEmpty {
      known.withLock { known in
        for (key, state) in batch.memory where state != nil { known.note(key) }
      }
    }
    let mark = queue.withLock { $0.add(batch, at: clock.now()) }
    writerWaker.wake()
    return JournalMark(number: mark)
  }

  /// Returns with true when everything up to `mark` is written (or durable), with false at `end`.
  nonisolated(nonsending) func wait(
    for mark: UInt64, isDurable: Bool, until end: MonotonicTime?
  ) async throws(JournalFault) -> Bool {
    let path = settings.path
    let early = queue.withLock { queue in
      if isDurable { queue.want(mark) }
      return queue.answer(for: mark, isDurable: isDurable, path: path)
    }
    if let early { return try early.get() }
    let own = Mutex<UInt64?>(nil)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Bool, JournalFault>, Never>) in
        var id: UInt64?
        let now = queue.withLock { queue -> Result<Bool, JournalFault>? in
          if let answer = queue.answer(for: mark, isDurable: isDurable, path: path) { return answer }
          if Task.isCancelled { return .failure(Self.givenUp) }
          // A day is for ever here. The alarm goes by the machine's own clock, `end` by the caller's.
          let left = end.map { min(.seconds(86_400), $0 - time.now()) }
          if let left, left <= .zero { return .success(false) }
          id = queue.wait(
            JournalQueue.Waiter(mark: mark, isDurable: isDurable, end: left.map { clock.now() + $0 }) {
              continuation.resume(returning: $0)
            })
          return nil
        }
        if isDurable { syncWaker.wake() }
        if let now { continuation.resume(returning: now) }
        guard let id else { return }
        own.withLock { $0 = id }
        if end != nil { setAlarm() }
        // Cancelled in between: the handler found no number yet.
        if Task.isCancelled { giveUp(id, .failure(Self.givenUp)) }
      }
    } onCancel: {
      if let id = own.withLock({ $0 }) { giveUp(id, .failure(Self.givenUp)) }
    }
    return try result.get()
  }

  /// Has those sent away in time whose wait ends: one alarm for all, which most waits are over before.
  private func setAlarm() {
    let now = clock.now()
    let due = queue.withLock { queue -> MonotonicTime? in
      // One who waits long keeps no alarm of its own that a shorter wait has made useless.
      guard let next = queue.nextEnd.map({ min($0, now + .seconds(1)) }) else { return nil }
      if let alarm = queue.alarm, alarm <= next { return nil }
      queue.alarm = next
      return next
    }
    guard let due else { return }
    if let alarms {
      _ = alarms.at(due) { [weak self] in self?.alarmRang(due) }
      return
    }
    Task { [weak self] in
      try? await Task.sleep(for: due - now)
      self?.alarmRang(due)
    }
  }

  private func alarmRang(_ due: MonotonicTime) {
    let ended = queue.withLock { queue in
      if queue.alarm == due { queue.alarm = nil }
      return queue.ended(by: max(due, clock.now()))
    }
    for waiter in ended { waiter.answer(.success(false)) }
    setAlarm()
  }

  private static let givenUp = JournalFault(.unavailable, "The wait for the journal was given up.")

  private func giveUp(_ id: UInt64, _ answer: Result<Bool, JournalFault>) {
    queue.withLock { $0.leave(id) }?.answer(answer)
  }

  /// Runs `body` on the writer's thread, after everything that was queued before was tried. Who is cancelled waits no longer, nor
  /// does anybody after `end`.
  func onWriter<Value: Sendable>(
    until end: MonotonicTime? = nil, _ body: @escaping @Sendable (WriterState) -> Result<Value, JournalFault>
  ) async throws(JournalFault) -> Value {
    let answer = OneAnswer<Result<Value, JournalFault>>()
    let isOpen = orders.withLock { orders in
      guard orders.threads > 0, !orders.isClosing else { return false }
      orders.jobs.append { state in
        if !answer.isGiven { answer.give(body(state)) }
      }
      return true
    }
    guard isOpen else { throw .closed(settings.path) }
    writerWaker.wake()
    let result = await withTaskCancellationHandler {
      guard let end else { return await answer.first() }
      return await answer.first(within: max(.zero, end - time.now()), else: .failure(Self.givenUp))
    } onCancel: {
      answer.give(.failure(Self.givenUp))
    }
    return try result.get()
  }

  // MARK: The threads' ends

  /// Asks the threads to end; returns at once.
  func beginClosing() {
    orders.withLock { $0.isClosing = true }
    known.withLock { $0.close() }
    for waker in [writerWaker, syncWaker, houseWaker] { waker.wake() }
  }

  /// A thread has ended; the writer's is the last.
  func threadEnded() {
    let ended = orders.withLock { orders in
      orders.threads -= 1
      guard orders.threads == 0 else { return [@Sendable () -> Void]() }
      defer { orders.ended = [] }
      return orders.ended
    }
    for tell in ended { tell() }
    writerWaker.wake()
  }

  /// Returns when all threads have ended.
  func allEnded() async {
    await withCheckedContinuation { continuation in
      let isOver = orders.withLock { orders in
        if orders.threads > 0 { orders.ended.append { continuation.resume() } }
        return orders.threads == 0
      }
      if isOver { continuation.resume() }
    }
  }
}
