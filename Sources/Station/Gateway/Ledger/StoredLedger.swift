internal import FleetBook
internal import FleetKeeping
internal import LinuxIO
import ScanModel
internal import Admission

/// The ledger of one server and what outlives the process of it, for whoever decides and whoever tells.
///
/// A part of its keeper, on the keeper's thread. From a change of the ledger to `write` nothing is awaited: what is written
/// together is then what has changed together.
final class StoredLedger {
  /// How long the book may take to write or recall something before it counts as failing. It takes some 0.1 ms.
  private static let longestWait: Duration = .seconds(1)

  let store: LedgerStore
  private(set) var policy: AttemptPolicy
  private let scope: TicketScope
  private let time: any TimeSource
  var ledger: AttemptLedger
  /// What the scope adds to keys now: another day or event has another ledger.
  private var part: [UInt8]
  /// What must not be forgotten over restarts, besides tickets.
  var notes = KeeperNotes()
  /// Whom the ticket system has refused lately: while it is offline, its last word counts.
  var lastWords = LastWords()
  /// Who waits until something about a ticket has changed.
  var waiters = TicketWaiters()

  init(store: LedgerStore, scope: TicketScope, policy: AttemptPolicy, time: any TimeSource) {
    self.store = store
    self.scope = scope
    self.time = time
    self.policy = policy
    if case .every(let interval) = scope { self.policy.interval = interval }
    ledger = AttemptLedger(self.policy)
    part = store.part(of: scope, at: time.wall())
  }

  /// Now, by every clock.
  var now: JournalTime { store.dependencies.clock.now() }

  /// Whether what was decided at that time was decided by the ledger of now.
  func isOfNow(_ wall: WallTime) -> Bool { store.part(of: scope, at: wall) == part }
  /// Whether the civil clock can be believed; not asked where nothing hangs on it.
  var isTrusted: Bool { policy.interval == nil || now.isTrusted }

  /// The venue's day at that time.
  func day(of wall: WallTime) -> Int { store.day(of: wall, scope) }

  func wake(_ key: TicketKey) { waiters.wake(key) }

  /// Sets how far the clock that dates records is known to be ahead of `Date`.
  func setRecordOffset(_ offset: Duration) {
    policy.recordOffset = offset
    ledger.clock = ledger.clock.configured(anew: offset, tolerated: policy.recordAhead, wall: time.wall())
  }

  // MARK: Keys

  /// The ticket's key as of now.
  func key(_ key: TicketKey) -> TicketKey {
    let now = now
    let current = store.part(of: scope, at: now.wall)
    // By a clock that is not trusted no day changes: after a power cut it may say any.
    let new = now.isTrusted ? current : notes.part ?? current
    if now.isTrusted, notes.part != current { note { $0.part = current } }
    // What is being decided is decided by the ledger in which it began.
    if new != part, !ledger.isDeciding {
      write([])
      ledger = AttemptLedger(policy, clock: ledger.clock)
      part = new
    }
    return store.key(key, in: part)
  }

  /// What the ticket is called in the fleet, by all codes that its ticket system may take for one.
  func claimKey(_ key: TicketKey, of code: Code, _ system: any TicketSystem, _ fleet: ClaimKeeper) -> ClaimKey? {
    fleet.name(.ticket, server: store.server, scope: part, (system.foldedKey(of: code) ?? key).bytes)
  }

  /// What a sale is called in the fleet.
  func claimKey(ofSale sale: String, _ fleet: ClaimKeeper) -> ClaimKey? {
    fleet.name(.sale, server: store.server, scope: part, Array(sale.utf8))
  }

  /// The folded key of a code as of now; `nil` where it has one spelling only: see `docs/decisions/0026`.
  func folded(of code: Code, _ system: any TicketSystem) -> TicketKey? {
    system.foldedKey(of: code).map { store.folded($0, in: part) }
  }

  // MARK: Recalling

  /// Has in the ledger what is stored of a ticket, its sale, and the codes that its ticket system may take for it.
  nonisolated(nonsending) func remember(_ key: TicketKey, folded: TicketKey? = nil) async throws(JournalFault) {
    var known: Set<LedgerPlace> = []
    while true {
      let places = ledger.missing(key, folded: folded).filter { !known.contains($0) }
      if places.isEmpty { return }
      try await recall(places)
      known.formUnion(places)
    }
  }

  /// Has in the ledger what is stored of the record and the sale that an answer names, or the list on board.
  nonisolated(nonsending) func remember(
    for outcome: AttemptOutcome, offline right: OfflineRight? = nil
  ) async throws(JournalFault) {
    let places = ledger.missing(for: outcome, offline: right)
    if !places.isEmpty { try await recall(places) }
  }

  private nonisolated(nonsending) func recall(_ places: [LedgerPlace]) async throws(JournalFault) {
    while true {
      let age = ledger.age
      let found = try await store.recall(places, in: part, until: time.now() + Self.longestWait)
      // What was let go of meanwhile may have changed before.
      guard ledger.age == age else { continue }
      for found in found { _ = ledger.restore(found.place, found.memory, age: age, isSameBoot: found.isSameBoot) }
      return
    }
  }

  // MARK: Writing

  /// Queues what has happened together with what it has changed.
  /// - Parameter memory: what else is to be remembered of it.
  @discardableResult func write(
    _ facts: [JournalFact], also memory: [LedgerKey: [UInt8]?] = [:], isUrgent: Bool = false
  ) -> JournalMark {
    let changes = store.memory(of: ledger.takeChanges(), in: part)
    return store.dependencies.book.enqueue(
      JournalBatch(facts: facts, memory: changes.merging(memory) { change, _ in change }, isUrgent: isUrgent))
  }

  /// Writes everything again that is held in memory, because the journal has lost it.
  /// - Parameter owed: what is still to be told.
  func writeAnew(owed: [OwedAdmission]) {
    ledger.markAllChanged()
    write(owed.map { .owed($0) }, isUrgent: true)
    writeNotes()
  }

  /// Changes the notes, and writes them down where that changes anything.
  func note(_ change: (inout KeeperNotes) -> Void) {
    let before = notes
    change(&notes)
    if notes != before { writeNotes() }
  }

  private func writeNotes() {
    store.dependencies.book.enqueue(JournalBatch(memory: store.memory(of: notes), isUrgent: true))
  }

  /// Why it is not written; `nil` when it is. A disk on its last legs can hold a system call for minutes.
  nonisolated(nonsending) func written(_ mark: JournalMark) async -> JournalFault? {
    do throws(JournalFault) {
      if try await store.dependencies.book.written(mark, until: time.now() + Self.longestWait) { return nil }
      return JournalFault(
        .unavailable, "The journal has not written anything for \(Self.longestWait.milliseconds) ms. Look at the disk."
      )
    } catch {
      return error
    }
  }
}
