package import FleetKeeping
internal import Foundation
package import LinuxIO
package import ScanModel
internal import Admission
internal import TicketSystemKit
package import Sealing

/// What the ledgers of a station share to outlive the process: the journal, the key that hides codes from it, and the boot.
package struct LedgerDependencies: Sendable {
  /// Of scans.
  package var journal: any ScanJournal
  /// Of attempts, and of what ledgers remember.
  package var book: any AttemptBook
  /// Makes the tickets' keys.
  package var digester: Digester
  /// This start of the machine.
  package var boot: BootID
  /// The thread on which gates and ledgers live: between them nobody is woken.
  package var loop: DeviceLoop
  /// The machine's clocks, and whether they are trusted.
  package var clock: ClockTrust
  /// Notes that a gate opens on what the journal could not take, so that the next process trusts nothing that hangs on it;
  /// whether that could be noted.
  package var markIncomplete: @Sendable () async -> Bool
  /// Whether the journal was found to be this station's own and newest, or somebody has said that it may be relied on.
  package var isAccepted: @Sendable () -> Bool
  /// The servers of which an earlier process has remembered something.
  package var formerServers: [String]
  /// What the stations have that share one book; `nil` where this one shares none.
  package var fleet: ClaimKeeper?
  /// What they all were ordered at once; likewise.
  package var fleetOrders: FleetOrderKeeper?
  /// The list on board of a ticket system by its name and server; `nil` where there can be none.
  package var list: @Sendable (TicketSystemID, String) -> (any TicketList)?

  /// Joins them.
  /// - Parameters:
  ///   - book: the journal, where the station shares none.
  ///   - boot: the start of the machine, and the journal's generation in it.
  package init(
    journal: any ScanJournal, book: (any AttemptBook)? = nil, key: SealKey, boot: BootID, clock: ClockTrust,
    loop: DeviceLoop, formerServers: [String] = [], fleet: ClaimKeeper? = nil,
    fleetOrders: FleetOrderKeeper? = nil,
    list: @escaping @Sendable (TicketSystemID, String) -> (any TicketList)? = { _, _ in nil },
    markIncomplete: @escaping @Sendable () async -> Bool = { true },
    isAccepted: @escaping @Sendable () -> Bool = { true }
  ) {
    self.isAccepted = isAccepted
    self.fleet = fleet
    self.fleetOrders = fleetOrders
    self.formerServers = formerServers
    self.list = list
    self.markIncomplete = markIncomplete
    self.journal = journal
    self.book = book ?? journal
    digester = key.digester(for: .tickets)
    self.boot = boot
    self.clock = clock
    self.loop = loop
  }

  /// The same list, with how old it may be and what the ticket system has said of one ticket, and the clock that tells.
  func listOnBoard(
    of system: TicketSystemID, _ server: String, maxAge: Duration, freshFor: Duration?
  ) -> ListOnBoard {
    ListOnBoard(of: system, list(system, server), maxAge: maxAge, freshFor: freshFor) { [clock] in clock.now() }
  }
}

/// Binds the ledger of one ticket system to the book: what keys and memory look like there.
struct LedgerStore: Sendable {
  let dependencies: LedgerDependencies
  /// The ticket system's server.
  let server: String

  /// A memory with the boot whose monotonic times it holds.
  private struct Envelope: Decodable {
    var boot: String
    var memory: LedgerMemory
  }

  /// The ticket's key in ledger and journal: a keyed digest, so that neither holds a code.
  func key(_ key: TicketKey, in part: [UInt8]) -> TicketKey {
    TicketKey(dependencies.digester.digest(Array(server.utf8), part, key.bytes))
  }

  /// The folded key in ledger and journal, likewise. No ticket's own key is the same: it has a part more.
  func folded(_ key: TicketKey, in part: [UInt8]) -> TicketKey {
    TicketKey(dependencies.digester.digest(Array(server.utf8), part, Array("folded".utf8), key.bytes))
  }

  /// What the scope adds to keys at that time.
  func part(of scope: TicketScope, at wall: WallTime) -> [UInt8] { scope.part(local: Self.local(wall)) }

  /// What was stored at one place.
  typealias Recalled = (place: LedgerPlace, memory: LedgerMemory, isSameBoot: Bool)

  /// What is stored at these places, until `end`.
  /// - Throws: why the book cannot tell; what it cannot tell is not taken for nothing.
  nonisolated(nonsending) func recall(
    _ places: [LedgerPlace], in part: [UInt8], until end: MonotonicTime
  ) async throws(JournalFault) -> [Recalled] {
    let keys = Dictionary(places.map { (key(of: $0, in: part), $0) }, uniquingKeysWith: { first, _ in first })
    let stored = try await dependencies.book.recall(Array(keys.keys), until: end)
    var found: [Recalled] = []
    for (key, bytes) in stored {
      guard let place = keys[key] else { continue }
      guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)) else {
        throw JournalFault(
          .damaged,
          "The journal's memory of a ticket cannot be read. Let staff decide, and look at it with: scangate journal verify"
        )
      }
      found.append((place, envelope.memory, envelope.boot == dependencies.boot.description))
    }
    return found
  }

  /// What has changed, in the journal's form.
  func memory(of changes: [LedgerPlace: LedgerMemory?], in part: [UInt8]) -> [LedgerKey: [UInt8]?] {
    var memory: [LedgerKey: [UInt8]?] = [:]
    let boot = dependencies.boot.description
    for (place, change) in changes { memory[key(of: place, in: part)] = .some(change?.json(boot: boot)) }
    return memory
  }

  // MARK: Facts

  func asked(_ attempt: AttemptID, _ scan: Scan, _ system: TicketSystemID, _ key: TicketKey) -> AskedAttempt {
    AskedAttempt(
      attempt: attempt, scan: scan, system: system, server: server, ticket: key, at: dependencies.clock.now(),
      boot: dependencies.boot)
  }

  /// - Parameter decision: the ledger's; `nil` for a late answer.
  func concluded(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, _ decision: AttemptDecision?
  ) -> ConcludedAttempt {
    var concluded = ConcludedAttempt(
      attempt: attempt, fate: outcome.fate, mayHaveRedeemed: outcome.mayHaveRedeemed, verdict: decision?.verdict,
      entryID: nil, recordedAt: nil, said: decision?.detail, at: dependencies.clock.now())
    switch outcome.answer {
    case .redeemed(let redemption):
      concluded.entryID = redemption.entryID
      concluded.recordedAt = redemption.scannedAt
    case .refused(_, let detail), .undecided(_, let detail): concluded.said = detail
    case .valid: break
    }
    return concluded
  }

  /// The conclusion of an attempt that nothing was heard of: never sent, or cut off by the end of process or machine.
  func concluded(_ attempt: AttemptID, _ fate: AttemptOutcome.Fate, mayHaveRedeemed: Bool) -> ConcludedAttempt {
    ConcludedAttempt(
      attempt: attempt, fate: fate, mayHaveRedeemed: mayHaveRedeemed, verdict: nil, entryID: nil, recordedAt: nil,
      said: nil, at: dependencies.clock.now())
  }

  private func key(of place: LedgerPlace, in part: [UInt8]) -> LedgerKey {
    switch place {
    case .ticket(let key): LedgerKey(server: server, kind: .ticket, bytes: key.bytes)
    case .sale(let sale): LedgerKey(server: server, kind: .sale, bytes: part + Array(sale.utf8))
    case .entry(let entry): LedgerKey(server: server, kind: .entry, bytes: part + Array(entry.utf8))
    case .folded(let key): LedgerKey(server: server, kind: .folded, bytes: key.bytes)
    }
  }

  /// The venue's day at that time: it begins as the scope's does, else at midnight.
  func day(of wall: WallTime, _ scope: TicketScope) -> Int {
    let begins: Duration = if case .perDay(let begins) = scope { begins } else { .zero }
    return Int(CivilDay.split(Self.local(wall) - begins.milliseconds / 1_000).day.number)
  }

  /// Civil time as seconds since 1970-01-01 of the station's zone.
  private static func local(_ wall: WallTime) -> Int64 { wall.seconds &+ zone.offset(at: wall.seconds) }

  /// The station's zone, as it is when the process first asks.
  private static let zone = ZoneRules.machine()
}
