import LinuxIO
import ScanConfiguration
import ScanModel
import Admission
import Calls
import ScanTesting
import Synchronization

@testable import Gateway

/// A ledger over a journal, whose process and machine can end: what the journal was given is all that stays.
struct LedgerProcess {
  static let code = Code("good-ticket-1")

  let time: any TimeSource
  let journal: MemoryJournal
  let system: FakeTicketSystem
  let keeper: LedgerKeeper
  let boot: String
  let hub = EventHub()
  /// What the gate does while the ticket system is offline.
  let policy: OfflinePolicy

  init(
    _ journal: MemoryJournal = MemoryJournal(), _ system: FakeTicketSystem? = nil, boot: String = "boot 1",
    whenFailing: JournalFailurePolicy = .continue, list: (any TicketList)? = nil,
    policy: OfflinePolicy = OfflinePolicy(), clock: ClockTrust? = nil, time: any TimeSource = SystemTime(),
    isAccepted: @escaping @Sendable () -> Bool = { true }
  ) throws {
    self.time = time
    self.policy = policy
    self.journal = journal
    self.boot = boot
    self.system = system ?? FakeTicketSystem(time: time)
    keeper = LedgerKeeper(
      server: "fake",
      dependencies: try .inMemory(journal, boot: boot, list: list, clock: clock, isAccepted: isAccepted),
      policy: AttemptPolicy(lateGrace: .zero),
      whenFailing: whenFailing, lookUps: LookUpPolicy(interval: .milliseconds(1), quiet: .zero), time: time, events: hub
    )
  }

  /// The next process on the same journal, and the same ticket system.
  func successor(
    boot: String? = nil, isAccepted: @escaping @Sendable () -> Bool = { true }
  ) async throws -> LedgerProcess {
    let next = try LedgerProcess(
      journal, system, boot: boot ?? self.boot, policy: policy, time: time, isAccepted: isAccepted)
    _ = await next.keeper.takeUp(
      try await journal.unconcluded(), asker: system, owed: try await journal.owed())
    return next
  }

  func present(
    _ code: Code = Self.code, deadline: Duration = .seconds(20), gate: String = "north",
    _ face: (any TicketSystem)? = nil
  ) async -> AttemptDecision {
    await kept(code, deadline: deadline, gate: gate, face).decision
  }

  /// - Parameters:
  ///   - face: the ticket system as the gate asks it, where the gate does not take all.
  ///   - event: the one that the presented code names.
  func kept(
    _ code: Code = Self.code, deadline: Duration = .seconds(20), gate: String = "north",
    _ face: (any TicketSystem)? = nil, event: String? = nil
  ) async -> KeptDecision {
    let scan = Scan(gate: GateID(gate), reader: ReaderID("left"), code: code, readAt: time.now(), event: event)
    return await keeper.decide(
      scan, key: TicketKey(code.bytes), system: face ?? system, deadline: time.now() + deadline, mayAsk: true,
      offline: policy)
  }

  /// A record that is fresh by the server's clock for some seconds to come.
  func redeemed(_ entry: String, sale: String? = nil, quantity: Int = 1, event: String? = nil) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: time.wall().seconds + 2), quantity: quantity, sale: sale,
        saleQuantity: sale == nil ? nil : quantity, details: TicketDetails(holder: "Ada Lovelace", eventID: event)))
  }
}

func names(_ facts: [JournalFact]) -> [String] {
  facts.map { fact in
    switch fact {
    case .asked: "asked"
    case .concluded(let concluded): "concluded \(concluded.verdict?.name ?? "open")"
    case .late: "late"
    case .scan: "scan"
    case .flood: "flood"
    case .owed: "owed"
    case .told: "told"
    case .annulled: "annulled"
    case .order(let order): "order \(order.outcome ?? "begun")"
    }
  }
}

/// What tests look at in the keeper's parts.
extension LedgerKeeper {
  var outbox: OutboxOrder { sender.outbox }
  var reach: ServerReach { health.reach }
  var notes: KeeperNotes { stored.notes }

  func sendOwed() { sender.sendOwed() }

  /// A ticket's key in journal and ledger.
  func key(of code: Code) -> TicketKey { stored.key(TicketKey(code.bytes)) }

  func takeUp(_ earlier: [OwedAdmission]) { sender.takeUp(earlier) }

  /// Nobody could be told of it in time.
  func giveUp(_ owed: OwedAdmission) { sender.end(owed, .tooLate, said: "Its day was over.") }

  func tellAgain(_ owed: [OwedAdmission]) { sender.retry(owed) }

  /// Returns when everything that is owed was told, or has ended otherwise; while it is held, it does not.
  func allTold() async { await sender.sending?.value }

  /// Returns when nothing is being noted of this machine's clock.
  func clockNoted() async { await health.notingClock?.value }
}

extension OfflinePolicy {
  /// Who decides, with what that takes.
  enum Choice {
    case admitAndQueue(most: Int)
    case list(maxAge: Duration)
  }

  init(_ choice: Choice, after: Duration = .seconds(1), rateLimited: Bool = false) {
    self.init()
    self.after = after
    self.rateLimited = rateLimited
    switch choice {
    case .admitAndQueue(let most): (rule, self.most) = (.admitAndQueue, most)
    case .list(let maxAge): (rule, self.maxAge) = (.list, maxAge)
    }
  }
}
