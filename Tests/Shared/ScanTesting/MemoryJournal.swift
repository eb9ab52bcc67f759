package import ScanModel
import Synchronization

/// A journal in memory, for tests of what stands before it. Can be told to be slow, and to fail.
package final class MemoryJournal: ScanJournal {
  private struct Waiter {
    var mark: UInt64
    var isDurable: Bool
    var continuation: CheckedContinuation<Result<Bool, JournalFault>, Never>
  }

  private struct State {
    var batches: [JournalBatch] = []
    var mayWrite = true
    var maySync = true
    var written: UInt64 = 0
    var durable: UInt64 = 0
    var fault: JournalFault?
    var recallFault: JournalFault?
    var mayRead = true
    var reading: [CheckedContinuation<Void, Never>] = []
    /// What the first batches were before they were lost.
    var lost = 0
    var waiters: [UInt64: Waiter] = [:]
    var nextID: UInt64 = 0
    var awaited: [JournalMark] = []
    var listeners: [UInt64: AsyncStream<JournalState>.Continuation] = [:]

    mutating func advance() {
      guard fault == nil else { return }
      if mayWrite { written = UInt64(batches.count) }
      if maySync { durable = written }
    }

    func answer(_ mark: UInt64, isDurable: Bool) -> Result<Bool, JournalFault>? {
      if mark <= (isDurable ? durable : written) { return .success(true) }
      return fault.map { .failure($0) }
    }

    mutating func answered() -> [(Waiter, Result<Bool, JournalFault>)] {
      var found: [(Waiter, Result<Bool, JournalFault>)] = []
      for (id, waiter) in waiters {
        guard let answer = answer(waiter.mark, isDurable: waiter.isDurable) else { continue }
        waiters[id] = nil
        found.append((waiter, answer))
      }
      return found
    }
  }

  private let state = Mutex(State())
  private let time: any TimeSource
  /// In which boot all of it happens.
  private let boot: BootID

  /// Makes an empty journal.
  /// - Parameter time: the clock of `durable`'s ends.
  package init(time: any TimeSource = SystemTime(), boot: BootID = BootID("boot 1")) {
    self.time = time
    self.boot = boot
  }

  /// Every batch that was queued, in order.
  package var batches: [JournalBatch] { state.withLock { $0.batches } }

  /// Every fact that is there, in order.
  package var facts: [JournalFact] { state.withLock { $0.batches.dropFirst($0.lost) }.flatMap(\.facts) }

  /// The batches, by their marks, that somebody has awaited to be durable.
  package var awaited: [JournalMark] { state.withLock { $0.awaited } }

  /// What is remembered.
  package var memory: [LedgerKey: [UInt8]] {
    var memory: [LedgerKey: [UInt8]] = [:]
    for batch in state.withLock({ $0.batches.dropFirst($0.lost) }) {
      for (key, value) in batch.memory { memory[key] = value }
    }
    return memory
  }

  // MARK: Bad days

  /// Sets whether what is queued is written at once, as it is at first; otherwise it waits until this is true again.
  package func setWriting(_ mayWrite: Bool) { change { $0.mayWrite = mayWrite } }

  /// Sets whether what is written is durable at once, as it is at first.
  package func setSyncing(_ maySync: Bool) { change { $0.maySync = maySync } }

  /// Lets the journal fail, or work again; what was queued meanwhile is written then.
  package func setFault(_ fault: JournalFault?) {
    change { $0.fault = fault }
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield(fault.map { .failing($0) } ?? .working) }
  }

  /// Lets what is remembered be out of reach, or in reach again.
  package func setRecallFault(_ fault: JournalFault?) { state.withLock { $0.recallFault = fault } }

  /// Sets whether passages are told, as they are at first; otherwise whoever asks for them waits until this is true again, even one that
  /// is cancelled: so a disk is that hangs.
  package func setReading(_ mayRead: Bool) {
    let reading = state.withLock { state in
      state.mayRead = mayRead
      guard mayRead else { return [CheckedContinuation<Void, Never>]() }
      defer { state.reading = [] }
      return state.reading
    }
    for continuation in reading { continuation.resume() }
  }

  /// Whether somebody waits for passages to be told.
  package var isAskedInVain: Bool { state.withLock { !$0.reading.isEmpty } }

  private func awaitReading() async {
    await withCheckedContinuation { continuation in
      let mayRead = state.withLock { state in
        if !state.mayRead { state.reading.append(continuation) }
        return state.mayRead
      }
      if mayRead { continuation.resume() }
    }
  }

  /// Loses everything, as a damaged file does, and says so.
  package func lose() {
    let listeners = state.withLock { state in
      state.lost = state.batches.count
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(.noticed("The journal was lost.")) }
  }

  private func change(_ body: (inout State) -> Void) {
    let answered = state.withLock { state in
      body(&state)
      state.advance()
      return state.answered()
    }
    for (waiter, answer) in answered { waiter.continuation.resume(returning: answer) }
  }

  // MARK: The port

  @discardableResult package func enqueue(_ batch: JournalBatch) -> JournalMark {
    var mark: UInt64 = 0
    change { state in
      state.batches.append(batch)
      mark = UInt64(state.batches.count)
    }
    return JournalMark(number: mark)
  }

  package func written(_ mark: JournalMark) async throws(JournalFault) {
    _ = try await wait(mark.number, isDurable: false, until: nil)
  }

  package func written(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool {
    try await wait(mark.number, isDurable: false, until: end)
  }

  package func durable(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool {
    state.withLock { $0.awaited.append(mark) }
    return try await wait(mark.number, isDurable: true, until: end)
  }

  private func wait(_ mark: UInt64, isDurable: Bool, until end: MonotonicTime?) async throws(JournalFault) -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let alarm = Mutex<Task<Void, Never>?>(nil)
    let result = await withTaskCancellationHandler {
      await answer(mark, isDurable: isDurable, until: end, id: id, alarm: alarm)
    } onCancel: {
      giveUp(id)
    }
    alarm.withLock { $0 }?.cancel()
    return try result.get()
  }

  private func giveUp(_ id: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
    waiter?.continuation.resume(
      returning: .failure(JournalFault(.unavailable, "Nobody waits for the journal any more.")))
  }

  private func answer(
    _ mark: UInt64, isDurable: Bool, until end: MonotonicTime?, id: UInt64, alarm: borrowing Mutex<Task<Void, Never>?>
  ) async -> Result<Bool, JournalFault> {
    await withCheckedContinuation { continuation in
      let now = state.withLock { state -> Result<Bool, JournalFault>? in
        if let answer = state.answer(mark, isDurable: isDurable) { return answer }
        if let end, end <= time.now() { return .success(false) }
        state.waiters[id] = Waiter(mark: mark, isDurable: isDurable, continuation: continuation)
        return nil
      }
      if let now { return continuation.resume(returning: now) }
      if Task.isCancelled { giveUp(id) }
      guard let end else { return }
      alarm.withLock {
        $0 = Task {
          try? await Task.sleep(for: max(.zero, end - time.now()))
          state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: .success(false))
        }
      }
    }
  }

  package nonisolated(nonsending) func recall(
    _ keys: [LedgerKey], until end: MonotonicTime
  ) async throws(JournalFault) -> [LedgerKey: [UInt8]] {
    if let fault = state.withLock({ $0.recallFault }) { throw fault }
    return memory.filter { keys.contains($0.key) }
  }

  package func unconcluded() async throws(JournalFault) -> [AskedAttempt] {
    var open: [AskedAttempt] = []
    for fact in facts {
      switch fact {
      case .asked(let asked): open.append(asked)
      case .concluded(let concluded): open.removeAll { $0.attempt == concluded.attempt }
      case .late, .scan, .flood, .owed, .told, .annulled, .order: break
      }
    }
    return open
  }

  package func owed() async throws(JournalFault) -> [OwedAdmission] { outbox { $0 == nil } }

  package func retriable() async throws(JournalFault) -> [OwedAdmission] { outbox { $0?.keepsCode == true } }

  package func conflicts() async throws(JournalFault) -> [(owed: OwedAdmission, told: ToldAdmission)] {
    var owed: [OwedAdmission] = []
    var told: [AttemptID: ToldAdmission] = [:]
    for fact in facts {
      switch fact {
      case .owed(let admission): owed.append(admission)
      case .told(let ending): told[ending.attempt] = ending
      case .asked, .concluded, .late, .scan, .flood, .annulled, .order: break
      }
    }
    return owed.compactMap { admission in
      told[admission.attempt].flatMap { $0.ending.isConflict ? (admission, $0) : nil }
    }
  }

  package func admission(of scan: ScanID) async throws(JournalFault) -> JournaledAdmission? {
    facts.reduce(nil) { $1.admission(of: scan, after: $0) }
  }

  package func orders() async throws(JournalFault) -> [JournaledOrder] {
    facts.compactMap { fact in
      if case .order(let order) = fact { order } else { nil }
    }
  }

  package func end() async throws(JournalFault) -> JournalPlace {
    await awaitReading()
    let (journal, facts) = writtenFacts
    return JournalPlace(journal: journal, fact: Int64(facts.count))
  }

  package func passages(
    of system: TicketSystemID, after place: JournalPlace
  ) async throws(JournalFault) -> PassagePage? {
    await awaitReading()
    if let fault = state.withLock({ $0.recallFault }) { throw fault }
    let (journal, facts) = writtenFacts
    let end = min(place.fact + 3, Int64(facts.count))
    guard place.journal == journal, place.fact <= end else { return nil }
    return PassagePage(
      passages: facts.enumerated().compactMap { index, fact in
        guard case .scan(let scan) = fact, scan.system == system else { return nil }
        return passage(scan, Int64(index) + 1, facts)
      }.filter { $0.fact > place.fact && $0.fact <= end },
      end: JournalPlace(journal: journal, fact: end), isEnd: end == facts.count)
  }

  package func words(before fact: Int64?) async throws(JournalFault) -> (words: [JournaledWord], next: Int64?) {
    if let fault = state.withLock({ $0.recallFault }) { throw fault }
    let facts = writtenFacts.facts
    let end = min(fact.map { Int($0) - 1 } ?? facts.count, facts.count)
    // Small pieces: whoever asks has to go on.
    let first = max(0, end - 3)
    let words = facts[first..<max(first, end)].reversed().compactMap { fact -> JournaledWord? in
      guard case .scan(let scan) = fact, scan.decider == .server, let ticket = scan.ticket
      else { return nil }
      switch scan.verdict {
      case .admit: return JournaledWord(ticket: ticket, refusal: nil, at: scan.at.wall)
      case .refuse(let reason): return JournaledWord(ticket: ticket, refusal: reason, at: scan.at.wall)
      case .undecided: return nil
      }
    }
    return (words, first > 0 ? Int64(first) + 1 : nil)
  }

  package func admission(before passage: JournaledPassage) async throws(JournalFault) -> JournaledPassage? {
    let facts = writtenFacts.facts
    return facts.prefix(Int(passage.fact) - 1).enumerated().compactMap { index, fact in
      guard case .scan(let scan) = fact, scan.ticket != nil, scan.ticket == passage.ticket else { return nil }
      return self.passage(scan, Int64(index) + 1, facts)
    }.last { !$0.isExit && $0.eventID != nil }
  }

  /// What is written, and of the how manieth journal.
  private var writtenFacts: (journal: Int64, facts: [JournalFact]) {
    state.withLock { state in
      (Int64(state.lost), state.batches.prefix(Int(state.written)).dropFirst(state.lost).flatMap(\.facts))
    }
  }

  private func passage(_ scan: JournaledScan, _ fact: Int64, _ facts: [JournalFact]) -> JournaledPassage? {
    let isAnnulled = facts.contains { fact in
      if case .annulled(let annulled) = fact { annulled.scan == scan.scan.id } else { false }
    }
    return JournaledPassage(scan, fact: fact, boot: boot, isAnnulled: isAnnulled)
  }

  /// The admissions whose last ending is like that; `nil` where there is none. A code that went does not come back.
  private func outbox(_ isMeant: (ToldAdmission.Ending?) -> Bool) -> [OwedAdmission] {
    var entries: [(admission: OwedAdmission, ending: ToldAdmission.Ending?)] = []
    for fact in facts {
      switch fact {
      case .owed(let admission): entries.append((admission, nil))
      case .told(let told):
        for index in entries.indices where entries[index].admission.attempt == told.attempt {
          if entries[index].ending?.keepsCode != false { entries[index].ending = told.ending }
        }
      case .asked, .concluded, .late, .scan, .flood, .annulled, .order: break
      }
    }
    return entries.filter { isMeant($0.ending) }.map(\.admission)
  }

  package var states: AsyncStream<JournalState> {
    let (stream, listener) = AsyncStream.makeStream(of: JournalState.self, bufferingPolicy: .bufferingNewest(64))
    let id = state.withLock { state in
      state.nextID += 1
      state.listeners[state.nextID] = listener
      listener.yield(state.fault.map { .failing($0) } ?? .working)
      return state.nextID
    }
    listener.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
    return stream
  }
}
