import Admission
import Calls
import Expectations
import Foundation
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Sealing
import TicketLists
import TicketSystemKit
import TicketTransport

@testable import Gateway
@testable import Subscriptions

/// A gate for members with its ledger, real HTTP, and the file of what was checked, by a clock that the test moves.
struct MemberStation: Sendable {
  /// What outlives its process.
  struct Disk: Sendable {
    let folder: String
    let key = SealKey.random().key
    var journal = MemoryJournal()

    init() throws {
      folder = temporaryRoot + "/members-\(UUID())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// As a process leaves it that ends now; what that one still does is not in it.
    func left() -> Disk {
      var copy = self
      copy.journal = MemoryJournal()
      for batch in journal.batches { copy.journal.enqueue(batch) }
      return copy
    }
  }

  static let interval = Duration.seconds(900)

  let disk: Disk
  /// Its list on board.
  let place: TicketListPlace
  let time: MovableTime
  let transport: HTTPTransport
  let stored: StoredTicketList
  let keeper: LedgerKeeper
  let gate: SubscriptionsTicketSystem
  let hub = EventHub()
  let policy: OfflinePolicy

  /// Begins a process: with nothing, or with what an earlier one has left.
  init(
    asking address: String, time: MovableTime, disk: Disk, tiers: [SubscriptionTier] = [], grace: Duration = .zero,
    recheck: Duration = .zero, freshFor: Duration = .seconds(86_400)
  ) async throws {
    self.disk = disk
    self.time = time
    let url = try ServerAddress(address)
    transport = try HTTPTransport(server: url, time: time)
    let client = SubscriptionsClient(
      transport: transport, token: try Secret("test-token"), budget: .init(limit: 1_000, model: .window),
      recheck: recheck, time: time)
    let server = "subscriptions \(url)"
    place = TicketListPlace(state: disk.folder, system: Door.id, server: server)
    let stored = try StoredTicketList(place, key: disk.key)
    self.stored = stored
    let clock = ClockTrust(time: time, isDisciplined: { true })
    keeper = LedgerKeeper(
      server: server,
      dependencies: LedgerDependencies(
        journal: disk.journal, key: disk.key, boot: BootID("boot 1"), clock: clock, loop: try GateThreads.next(),
        list: { _, _ in stored }),
      scope: .every(Self.interval), time: time, events: hub)
    gate = SubscriptionsTicketSystem(
      id: Door.id, client: client, reader: PassReader(codes: .both, files: try passFiles()),
      settings: Door.settings(url, grace: grace, recheck: recheck, freshFor: freshFor), gate: .init(tiers: tiers),
      list: ListOnBoard(of: Door.id, stored, maxAge: .seconds(60), freshFor: freshFor) { clock.now() })
    var policy = OfflinePolicy()
    policy.rule = .list
    // Who is away says so at once: nothing here waits for it.
    policy.after = .seconds(20)
    policy.freshFor = freshFor
    self.policy = policy
    _ = await keeper.takeUp(try await disk.journal.unconcluded(), asker: gate, owed: try await disk.journal.owed())
  }

  var ahead: WallTime { time.wall() + .seconds(30 * 86_400) }

  /// Somebody shows a code at a gate.
  func kept(_ code: String, named name: String = "lounge") async -> KeptDecision {
    let own = gate.recognise(Code(code)).code
    guard case .proceed(let key) = gate.examine(own, at: time.wall()) else {
      return KeptDecision(AttemptDecision(verdict: .refuse(.notGenuine)), decider: .station)
    }
    let scan = Scan(gate: GateID(name), reader: ReaderID("door"), code: own, readAt: time.now())
    return await keeper.decide(
      scan, key: key, system: gate, deadline: time.now() + .seconds(20), mayAsk: true, offline: policy)
  }

  func present(_ code: String, named name: String = "lounge") async -> AttemptDecision {
    await kept(code, named: name).decision
  }

  func close() async { await transport.close() }
}

/// A pass that the venue has signed, good for sixty days.
func signedPass(_ id: String, at now: WallTime) throws -> String {
  guard let id = SubscriptionID(id) else { throw SignedPass.Fault(description: "no id") }
  return try SignedPass.text(id, notBefore: now - .seconds(60), ends: now + .seconds(60 * 86_400), by: passKey)
}
