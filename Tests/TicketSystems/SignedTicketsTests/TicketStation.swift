import Admission
import Calls
import Expectations
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Sealing
import TicketSystemKit
import TicketTransport

@testable import Gateway
@testable import SignedTickets

/// A gate with its ledger and its book, real HTTP, by a clock that the test moves.
struct TicketStation: Sendable {
  /// What outlives its process.
  struct Disk: Sendable {
    let key = SealKey.random().key
    var journal = MemoryJournal()
    let records = Records()

    /// As a process leaves it that ends now; what that one still does is not in it.
    func left() -> Disk {
      var copy = self
      copy.journal = MemoryJournal()
      for batch in journal.batches { copy.journal.enqueue(batch) }
      return copy
    }
  }

  let disk: Disk
  let door: Door
  let keeper: LedgerKeeper
  let policy: OfflinePolicy
  /// How long a scan waits.
  let patience: Duration
  var time: MovableTime { door.time }

  /// Begins a process: with nothing, or with what an earlier one has left.
  init(
    asking service: Service, at address: String, disk: Disk, policy rule: OfflinePolicy.Rule = .refuse,
    rateLimited: Bool = false, boot: String = "boot 1", isTrusted: Bool = true, patience: Duration = .seconds(20),
    performances: [String]? = nil, budget: RateBudget? = nil, floodLimit: Int = 20
  ) async throws {
    self.disk = disk
    self.patience = patience
    let door = try await Door(service, address, performances, nil, budget, disk.records, isTrusted)
    self.door = door
    let time = door.time
    keeper = LedgerKeeper(
      server: "signedTickets \(address)",
      dependencies: LedgerDependencies(
        journal: disk.journal, key: disk.key, boot: BootID(boot),
        clock: ClockTrust(time: time, isDisciplined: { isTrusted }), loop: try GateThreads.next(), list: { _, _ in nil }
      ),
      floodLimit: floodLimit, time: time, events: EventHub())
    var policy = OfflinePolicy()
    policy.rule = rule
    policy.rateLimited = rateLimited
    // Who is away says so at once: nothing here waits for it.
    policy.after = patience
    self.policy = policy
    _ = await keeper.takeUp(
      try await disk.journal.unconcluded(), asker: door.system, owed: try await disk.journal.owed())
  }

  /// Somebody shows a code, as `GateController` has it decided.
  func present(_ code: String, at gate: String = "stalls") async -> AttemptDecision {
    let code = Code(code)
    switch door.system.examine(code, at: time.wall()) {
    case .refuse(let reason):
      return AttemptDecision(
        verdict: .refuse(reason), details: door.system.refusalDetails(for: code),
        detail: door.system.refusalWords(for: code))
    case .undecided(let reason, let detail): return AttemptDecision(verdict: .undecided(reason), detail: detail)
    case .proceed(let key):
      let scan = Scan(gate: GateID(gate), reader: ReaderID("door"), code: code, readAt: time.now())
      return await keeper.decide(
        scan, key: key, system: door.system, deadline: time.now() + patience, mayAsk: true, offline: policy
      ).decision
    }
  }

  /// How the admission on a code has ended that was owed; `nil` while it is.
  func ending(of code: String) -> ToldAdmission.Ending? {
    let facts = disk.journal.facts
    let owed = facts.compactMap { fact in
      if case .owed(let owed) = fact, owed.scan.code.text == code { owed.attempt } else { nil }
    }
    return facts.compactMap { fact in
      if case .told(let told) = fact, owed.contains(told.attempt) { told.ending } else { nil }
    }.last
  }

  func close() async { await door.transport.close() }
}
