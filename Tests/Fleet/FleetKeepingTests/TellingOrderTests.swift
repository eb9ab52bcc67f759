import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// What is owed is told in the order in which it happened, over restarts.
@Suite(.timeLimit(.minutes(1))) struct TellingOrderTests {
  private static let seeds: [UInt64] = (0..<extent(landing: 20, release: 400)).map { _ in
    UInt64.random(in: .min ... .max)
  }

  /// People come and go at a station that is alone, and is started anew in between: none of them is one too many.
  @Test(arguments: seeds) func whoLeavesMakesPlaceForTheNextOverRestarts(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fleet = try KeptFleet()
    let policy = AlonePolicy.trust(.init(people: 1_000, time: .seconds(3_600)))
    var station = try await KeptStation(fleet, "north", alone: policy)
    try await station.start()
    let keys = try (0..<3).map { try fleet.ticket($0) }
    var inside: [ClaimKey: ScanID] = [:]
    // Some of it the fleet knows of.
    for key in keys where Bool.random(using: &random) { inside[key] = await station.present(key, .quantity(1)).scan }
    await station.allTold()
    station.network.cut(true)
    for _ in 0..<Int.random(in: 4...16, using: &random) {
      let key = try #require(keys.randomElement(using: &random))
      if let scan = inside.removeValue(forKey: key) {
        await station.keeper.left(ScanID(), at: GateID("out"), key, of: Bool.random(using: &random) ? scan : nil)
      } else {
        let (verdict, scan) = await station.present(key, .quantity(1), within: .milliseconds(1))
        expectEqual(verdict, .admit(isProvisional: true), "seed \(seed)")
        inside[key] = scan
      }
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      await station.keeper.end()
      await station.keeper.telling?.value
      station = try await KeptStation(fleet, "north", journal: station.journal, alone: policy)
      station.network.cut(true)
      try await station.start()
    }
    await station.join()
    await station.allTold()
    for key in keys {
      let claim = try await fleet.claim(key)
      expectEqual(
        claim.entries.filter { $0.state == .admitted }.map(\.scan), [inside[key]].compactMap(\.self), "seed \(seed)")
    }
    // Nothing is remembered of what was told, nor of its order.
    var rows = ClaimRows(fleet: "summer")
    _ = try await rows.recall(from: station.journal, until: SystemTime().now() + .seconds(5))
    expectEqual(rows.rows.count, 0, "seed \(seed)")
    // News come in their order: whatever was told of a conflict was told before this.
    await station.keeper.tell(.stuck("the end"))
    for await news in station.news {
      if news == .stuck("the end") { break }
      if case .conflict(let conflict, _, _, _) = news { expect(false, "seed \(seed): \(conflict.words)") }
    }
  }

  private func row(_ number: Int, _ goal: ClaimDebt.Goal) throws -> ClaimRow {
    let entry = ClaimEntry(
      scan: FleetPlan.scan(number), station: try #require(StationID("north")), gate: GateID("door"))
    return ClaimRow(
      ClaimIntent(scan: entry.scan, gate: entry.gate, keys: [], redeems: false),
      conclusion: ClaimConclusion(
        scan: entry.scan, isAdmission: goal == .admitted, debts: [ClaimDebt(FleetPlan.key(.ticket, 1), entry, goal)]))
  }

  /// What a version has written that knew no order comes first, and who leaves last of it, as it did then.
  @Test func rowsWithoutAnOrderAreToldAsBefore() async throws {
    let journal = MemoryJournal()
    var former = ClaimRows(fleet: "summer")
    for (number, goal) in [(9, ClaimDebt.Goal.admitted), (3, .left(by: FleetPlan.scan(3), of: nil)), (7, .admitted)] {
      let memory = former.set(try row(number, goal))
      journal.enqueue(
        JournalBatch(memory: memory.filter { !String(decoding: $0.key.bytes, as: UTF8.self).contains("order") }))
    }
    expectEqual(former.owed.map(\.entry.scan), [9, 3, 7].map(FleetPlan.scan))
    var rows = ClaimRows(fleet: "summer")
    _ = try await rows.recall(from: journal, until: SystemTime().now() + .seconds(5))
    journal.enqueue(JournalBatch(memory: rows.set(try row(1, .admitted))))
    expectEqual(rows.owed.map(\.entry.scan), [7, 9, 3, 1].map(FleetPlan.scan))
    var next = ClaimRows(fleet: "summer")
    _ = try await next.recall(from: journal, until: SystemTime().now() + .seconds(5))
    expectEqual(next.owed, rows.owed)
    expectEqual(next.rows, rows.rows)
  }
}
