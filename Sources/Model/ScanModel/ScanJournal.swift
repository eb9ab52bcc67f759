/// The port to the journal: the append-only truth of a station, and what its ledgers remember.
///
/// Three steps of permanence, for three kinds of accident: *queued* survives nothing, *written* survives the end of the
/// process (the bytes are the kernel's), *durable* survives the power (the bytes are the disk's). Batches are written in the
/// order in which they were queued, each wholly or not at all.
package protocol ScanJournal: Sendable {
  /// What was last stored under these keys; a key that is not in the result was never stored.
  func recall(_ keys: [LedgerKey]) async throws(JournalFault) -> [LedgerKey: [UInt8]]

  /// What `recall` would say, where that is known at once: without a disk, and without waiting for anybody. `nil` says nothing;
  /// then `recall` is to be asked. The usual case, keys that were never stored, is to be known.
  func recallNow(_ keys: [LedgerKey]) -> [LedgerKey: [UInt8]]?

  /// Queues a batch; from any thread, returns at once.
  @discardableResult func enqueue(_ batch: JournalBatch) -> JournalMark

  /// Returns when everything up to `mark` is written.
  /// - Throws: why it is not, and will not be.
  func written(_ mark: JournalMark) async throws(JournalFault)

  /// Returns when everything up to `mark` is written, with false when that is not so at `end`.
  /// - Throws: why it is not, and will not be.
  nonisolated(nonsending) func written(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool

  /// Returns when everything up to `mark` is durable, with false when that is not so at `end`.
  /// - Throws: why it is not, and will not be.
  nonisolated(nonsending) func durable(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault) -> Bool

  /// Attempts that were asked and never concluded, because the process or the machine ended before; oldest first.
  func unconcluded() async throws(JournalFault) -> [AskedAttempt]

  /// Provisional admissions that the ticket system has still to be told of: the outbox, oldest first.
  func owed() async throws(JournalFault) -> [OwedAdmission]

  /// Provisional admissions that left the outbox without being told, and can still be sent by hand (`Ending.keepsCode`);
  /// oldest first.
  func retriable() async throws(JournalFault) -> [OwedAdmission]

  /// Ends when the journal has something to tell, each state once; a new caller is told the present state first.
  var states: AsyncStream<JournalState> { get }
}

extension ScanJournal {
  /// Nothing is known at once.
  package func recallNow(_ keys: [LedgerKey]) -> [LedgerKey: [UInt8]]? { nil }
}

/// A place in the journal's order; later batches have greater marks.
package struct JournalMark: Hashable, Comparable, Sendable {
  /// Counted from 1 in each process.
  package let number: UInt64
  /// Makes the mark of the batch with that number.
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

  /// Makes a batch.
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

  /// Makes a key.
  package init(server: String, kind: Kind, bytes: [UInt8]) {
    self.server = server
    self.kind = kind
    self.bytes = bytes
  }
}

/// One thing that has happened. Facts are never changed or taken back.
package enum JournalFact: Sendable, Equatable {
  /// A request that may redeem is about to be sent.
  case asked(AskedAttempt)
  /// The gate has its word on a request: an answer, or none. Before the gate opens.
  case concluded(ConcludedAttempt)
  /// An answer came after the gate had stopped waiting for it.
  case late(ConcludedAttempt)
  /// A scan is over: its verdict, and what the outputs made of it.
  case scan(JournaledScan)
  /// Scans are over that were too many to be written down one by one.
  case flood(ScanFlood)
  /// Somebody is about to be admitted without the ticket system's word. Durable before the gate opens.
  case owed(OwedAdmission)
  /// The ticket system need not be told of an admission any more.
  case told(ToldAdmission)
}

/// A start of the machine, by the kernel's own identifier (`/proc/sys/kernel/random/boot_id`). `CLOCK_MONOTONIC` counts
/// within it.
package struct BootID: Hashable, Sendable, CustomStringConvertible {
  /// The identifier as the kernel writes it.
  package let description: String
  /// Makes the identifier.
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

  /// Makes a point in time.
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

  /// Makes an entry.
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

  /// Makes an entry.
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

/// Who decided a scan. The raw values are the names in journal, events and exports.
package enum Decider: String, Sendable, CaseIterable {
  /// The ticket system's answer, judged by the ledger.
  case server
  /// What the ledger knew already; nobody was asked.
  case ledger
  /// The list on board.
  case list
  /// The gate's offline policy.
  case policy
  /// The station itself: unreadable, too late, out of service.
  case station
  /// A member of staff.
  case staff
}

/// A scan that is over.
package struct JournaledScan: Sendable, Equatable {
  /// The scan. Its code is kept sealed.
  package var scan: Scan
  /// The ticket system of its gate.
  package var system: TicketSystemID
  /// The ticket's key in the ledger: a digest; `nil` where the code never got so far.
  package var ticket: TicketKey?
  /// When it was decided.
  package var at: JournalTime
  /// From the last byte read to the verdict (and, for an admission, to the start of the relay pulse).
  package var decidedIn: Duration
  /// What the gate did.
  package var verdict: Verdict
  /// Who decided.
  package var decider: Decider
  /// What else staff should know, by its name in events.
  package var note: String?
  /// What happened, in words.
  package var detail: String?
  /// The record of the ticket system.
  package var entryID: String?
  /// The ticket's holder. Kept sealed, and deleted after a set time.
  package var holder: String?
  /// How many this code has admitted, this admission included.
  package var admitted: Int
  /// How many it admits in all, as far as is proven.
  package var allowance: Int
  /// The first admission on the ticket, where one is known.
  package var firstUse: FirstUse?
  /// Why the gate did not open, or may not have, although the verdict is an admission.
  package var outputFault: String?

  /// Makes an entry.
  package init(
    scan: Scan, system: TicketSystemID, ticket: TicketKey?, at: JournalTime, decidedIn: Duration, verdict: Verdict,
    decider: Decider, note: String? = nil, detail: String? = nil, entryID: String? = nil, holder: String? = nil,
    admitted: Int = 0, allowance: Int = 1, firstUse: FirstUse? = nil, outputFault: String? = nil
  ) {
    self.scan = scan
    self.system = system
    self.ticket = ticket
    self.at = at
    self.decidedIn = decidedIn
    self.verdict = verdict
    self.decider = decider
    self.note = note
    self.detail = detail
    self.entryID = entryID
    self.holder = holder
    self.admitted = admitted
    self.allowance = allowance
    self.firstUse = firstUse
    self.outputFault = outputFault
  }
}

/// Scans of one gate that came faster than anybody can present codes: none of them was asked for or admitted anybody, and
/// they are counted instead of written down.
package struct ScanFlood: Sendable, Equatable {
  /// Where they were presented.
  package var gate: GateID
  /// How many were refused.
  package var refused: Int
  /// How many were not decided.
  package var undecided: Int
  /// When the first of them was over, by the civil clock.
  package var began: WallTime
  /// When the last of them was over.
  package var at: JournalTime

  /// Makes an entry.
  package init(gate: GateID, refused: Int, undecided: Int, began: WallTime, at: JournalTime) {
    self.gate = gate
    self.refused = refused
    self.undecided = undecided
    self.began = began
    self.at = at
  }
}

/// Whether the journal keeps what it is given.
package enum JournalState: Sendable, Equatable {
  /// It does.
  case working
  /// It does not, and tries on: why, and what to do.
  case failing(JournalFault)
  /// It does, and something happened on the way that the operator must know.
  case noticed(String)
  /// It does, and what it says of earlier is not relied on until somebody accepts it: what was found.
  case doubted(String)
  /// Somebody has accepted it.
  case accepted
}

/// Why something could not be written down.
package struct JournalFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind, as far as it decides what to do.
  package enum Kind: Sendable, Equatable {
    /// No space is left.
    case full
    /// The disk is read-only or gives errors.
    case disk
    /// The file is damaged.
    case damaged
    /// Another process has it, or this one may not have it.
    case unavailable
    /// A newer version of this program wrote it: no other one can use it, however often it tries.
    case newer
  }

  /// The kind.
  package var kind: Kind
  /// What happened, to which file, and what to do.
  package var description: String

  /// Makes a fault.
  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
