import Admission
import Expectations
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

/// A station whose journal was brought back from a copy: it may have forgotten whom it admitted.
@Suite(.timeLimit(.minutes(1))) struct VouchingTests {
  private static let queue = OfflinePolicy(.admitAndQueue(most: 3), after: .seconds(1))
  private static let code = LedgerProcess.code

  /// Whether somebody has accepted the journal.
  private final class Acceptance: Sendable {
    private let state = Mutex(false)
    func give() { state.withLock { $0 = true } }
    var isGiven: Bool { state.withLock { $0 } }
  }

  /// Whom the journal does not name may be in: a sale secret makes a new record each time.
  @Test(arguments: [LookUp.used, .unknown, .unanswered]) func whoMayBeInIsForStaff(found: LookUp) async throws {
    let acceptance = Acceptance()
    let process = try LedgerProcess(isAccepted: { acceptance.isGiven })
    process.system.script(Self.code, .redeem("2"))
    process.system.find(Self.code, found)
    let decision = await process.present()
    // One ticket is no fault of the gate.
    expectEqual(decision.verdict, .undecided(found == .unanswered ? .unreachable : .interrupted))
    expectEqual(decision.detail?.contains("scangate journal accept"), true)
    // Nothing was spent.
    expect(process.system.asked.isEmpty)
    acceptance.give()
    await expectEqual(process.present().verdict, .admit)
  }

  @Test func whomTheTicketSystemVouchesForIsAdmittedOnce() async throws {
    let process = try LedgerProcess(isAccepted: { false })
    process.system.script(Self.code, .redeem("1"), .redeem("1"))
    process.system.find(Self.code, .unused)
    await expectEqual(process.present().verdict, .admit)
    process.system.find(Self.code, .used)
    await expectEqual(process.present().verdict, .refuse(.alreadyUsed))
    expectEqual(process.system.lookedUp, 1)
  }

  @Test func whatTheJournalKnowsAsUsedIsRefused() async throws {
    let first = try LedgerProcess()
    first.system.script(Self.code, .answer(first.redeemed("1")))
    await expectEqual(first.present().verdict, .admit)
    let next = try await first.successor(boot: "boot 2", isAccepted: { false })
    await expectEqual(next.present().verdict, .refuse(.alreadyUsed))
    expectEqual(first.system.lookedUp, 0)
  }

  @Test func nobodyPassesOffline() async throws {
    let process = try LedgerProcess(policy: Self.queue, isAccepted: { false })
    process.system.setReach(.noConnection)
    process.system.script(Self.code, .fail(.noConnection))
    process.system.find(Self.code, .unused)
    for _ in 0..<3 { expect(await process.present().verdict != .admit) }
    expect(try await process.journal.owed().isEmpty)
  }

  /// Whoever went on from the same journal may have told it.
  @Test(arguments: [LookUp.unused, .used]) func whatIsOwedIsNotToldTwice(found: LookUp) async throws {
    let first = try LedgerProcess(policy: Self.queue)
    first.system.setReach(.noConnection)
    first.system.script(Self.code, .fail(.noConnection), .redeem("1"))
    expect(await first.present().isProvisional)
    first.system.setReach(nil)
    first.system.find(Self.code, found)
    let acceptance = Acceptance()
    let next = try await first.successor(boot: "boot 2", isAccepted: { acceptance.isGiven })
    expect(first.system.owed.isEmpty && first.system.lookedUp == 0)
    acceptance.give()
    await next.keeper.hold(false)
    await next.keeper.allTold()
    expectEqual(first.system.lookedUp, 1)
    let endings = first.journal.facts.compactMap { fact -> ToldAdmission.Ending? in
      if case .told(let told) = fact { told.ending } else { nil }
    }
    expectEqual(first.system.owed, found == .unused ? [Self.code] : [])
    expectEqual(endings, [found == .unused ? .confirmed : .unsettled])
  }
}
