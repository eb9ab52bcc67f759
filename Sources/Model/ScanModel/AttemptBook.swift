/// The port to what ledgers must not forget: the attempts that were made, what is remembered of tickets, and what is owed.
///
/// Nothing here says where it is kept: a station has its journal, and several may share a book over a network. So whatever is asked
/// may suspend, may fail, and ends when the caller says.
///
/// Three steps of permanence, for three kinds of accident: *queued* survives nothing, *written* survives the end of the
/// process (the bytes are the kernel's), *durable* survives the power (the bytes are the disk's). Batches are written in the
/// order in which they were queued, each wholly or not at all.
package protocol AttemptBook: Sendable {
  /// What was last stored under these keys; a key that is not in the result was never stored.
  ///
  /// It runs where its caller does, and who knows the answer gives it without suspending: that keeps a first presentation fast.
  /// - Parameter end: the answer comes until then, by the clock of `TimeSource.now`.
  /// - Throws: why that cannot be told, `unavailable` where it could not be until `end`. Nothing is not taken for "never stored".
  nonisolated(nonsending) func recall(
    _ keys: [LedgerKey], until end: MonotonicTime
  ) async throws(JournalFault) -> [LedgerKey: [UInt8]]

  /// Queues a batch; from any thread, returns at once.
  @discardableResult func enqueue(_ batch: JournalBatch) -> JournalMark

  /// Returns when everything up to `mark` is written, with false when that is not so at `end`.
  /// - Throws: why it is not, and will not be.
  nonisolated(nonsending) func written(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool

  /// Returns when everything up to `mark` is durable, with false when that is not so at `end`.
  /// - Throws: why it is not, and will not be.
  nonisolated(nonsending) func durable(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool

  /// Attempts that were asked and never concluded, because the process or the machine ended before; oldest first. Asked before
  /// gates run, as is `owed`.
  func unconcluded() async throws(JournalFault) -> [AskedAttempt]

  /// Provisional admissions that the ticket system has still to be told of: the outbox, oldest first.
  func owed() async throws(JournalFault) -> [OwedAdmission]
}

/// A place in the journal's order; later batches have greater marks.
package struct JournalMark: Hashable, Comparable, Sendable {
  /// Counted from 1 in each process.
  package let number: UInt64
  package init(number: UInt64) { self.number = number }
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

/// What is written together or not at all.
package struct JournalBatch: Sendable, Equatable {
  /// What has happened, in order.
  package var facts: [JournalFact]
  /// What the ledger remembers now; `nil` forgets the key.
  package var memory: [LedgerKey: [UInt8]?]
  /// Whether it is to be durable as soon as can be, before anybody waits for that. Else it is within a second.
  package var isUrgent: Bool

  package init(facts: [JournalFact] = [], memory: [LedgerKey: [UInt8]?] = [:], isUrgent: Bool = false) {
    self.facts = facts
    self.memory = memory
    self.isUrgent = isUrgent
  }
}

/// Something that a ledger remembers, by a key that tells nobody the code.
package struct LedgerKey: Hashable, Sendable {
  /// What it is about.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// A ticket, by the keyed digest of its code.
    case ticket = 1
    /// A sale, by the ticket system's identifier.
    case sale = 2
    /// An entry of the ticket system, by its identifier.
    case entry = 3
    /// All codes that a ticket system may take for one, by the keyed digest of their folded key.
    case folded = 4
  }

  /// The ticket system's server, by type and address: names may change, servers are who they are.
  package let server: String
  /// What it is about.
  package let kind: Kind
  /// The ticket's digest, or an identifier as UTF-8.
  package let bytes: [UInt8]

  package init(server: String, kind: Kind, bytes: [UInt8]) {
    self.server = server
    self.kind = kind
    self.bytes = bytes
  }
}

/// A start of the machine, by the kernel's own identifier (`/proc/sys/kernel/random/boot_id`). `CLOCK_MONOTONIC` counts
/// within it.
package struct BootID: Hashable, Sendable, CustomStringConvertible {
  /// The identifier as the kernel writes it.
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// A point in time by every clock we have.
package struct JournalTime: Sendable, Equatable {
  /// By the machine's civil clock.
  package var wall: WallTime
  /// Within the boot.
  package var monotonic: MonotonicTime
  /// Whether the civil clock was trusted: set by NTP, or confirmed by a ticket system, since the boot.
  package var isTrusted: Bool

  package init(wall: WallTime, monotonic: MonotonicTime, isTrusted: Bool) {
    self.wall = wall
    self.monotonic = monotonic
    self.isTrusted = isTrusted
  }
}

/// A request that is about to be sent.
package struct AskedAttempt: Sendable, Equatable {
  /// The attempt.
  package var attempt: AttemptID
  /// The scan that it serves, as far as it has come.
  package var scan: Scan
  /// The ticket system that is asked.
  package var system: TicketSystemID
  /// Its server, as in `LedgerKey.server`.
  package var server: String
  /// The ticket's key in the ledger: a digest.
  package var ticket: TicketKey
  /// When.
  package var at: JournalTime
  /// In which boot.
  package var boot: BootID

  package init(
    attempt: AttemptID, scan: Scan, system: TicketSystemID, server: String, ticket: TicketKey, at: JournalTime,
    boot: BootID
  ) {
    self.attempt = attempt
    self.scan = scan
    self.system = system
    self.server = server
    self.ticket = ticket
    self.at = at
    self.boot = boot
  }
}

/// What became of a request.
package struct ConcludedAttempt: Sendable, Equatable {
  /// The attempt.
  package var attempt: AttemptID
  /// What became of the request.
  package var fate: AttemptOutcome.Fate
  /// Whether the server may have recorded an admission on it.
  package var mayHaveRedeemed: Bool
  /// The ledger's verdict; `nil` for a late answer, which decides nothing by itself.
  package var verdict: Verdict?
  /// The record that the server told.
  package var entryID: String?
  /// When the server made it, by its own clock.
  package var recordedAt: WallTime?
  /// The server's own words, shortened and without codes.
  package var said: String?
  /// When.
  package var at: JournalTime

  package init(
    attempt: AttemptID, fate: AttemptOutcome.Fate, mayHaveRedeemed: Bool, verdict: Verdict?, entryID: String?,
    recordedAt: WallTime?, said: String?, at: JournalTime
  ) {
    self.attempt = attempt
    self.fate = fate
    self.mayHaveRedeemed = mayHaveRedeemed
    self.verdict = verdict
    self.entryID = entryID
    self.recordedAt = recordedAt
    self.said = said
    self.at = at
  }
}
