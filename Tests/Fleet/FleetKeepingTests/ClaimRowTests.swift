import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Testing
import WireCoding

@testable import FleetKeeping

@Suite struct ClaimRowTests {
  private func rows(_ fleet: KeptFleet) throws -> [ClaimRow] {
    let station = try #require(StationID("north"))
    let (ticket, sale) = (try fleet.ticket(1), try fleet.sale(1))
    let entry = ClaimEntry(
      scan: ScanID(), station: station, gate: GateID("door"), isProvisional: true, saidAt: WallTime(seconds: 7))
    let intent = ClaimIntent(
      scan: entry.scan, gate: entry.gate, keys: [ticket], redeems: true, repeats: [ScanID(), ScanID()],
      aloneSince: WallTime(seconds: 8))
    let goals: [ClaimDebt.Goal] = [
      .admitted, .released, .interrupted, .left(by: ScanID(), of: nil), .left(by: ScanID(), of: ScanID()),
    ]
    var told = ClaimRow(
      intent,
      conclusion: ClaimConclusion(
        scan: entry.scan, isAdmission: true,
        debts: goals.map { ClaimDebt(ticket, entry, $0, rule: .quantity(3)) } + [
          ClaimDebt(sale, entry, .admitted, rule: .interval(.seconds(600))),
          ClaimDebt(sale, entry, .admitted, rule: .quantity(nil)),
        ]), subject: KeptStation.subject())
    told.told = [ticket]
    return [ClaimRow(intent), told]
  }

  private func bytes(_ row: ClaimRow) -> [UInt8] {
    var writer = WireWriter()
    row.put(into: &writer)
    return writer.bytes
  }

  @Test func whatIsWrittenIsRead() throws {
    for row in try rows(try KeptFleet()) {
      var reader = WireReader(bytes(row))
      expectEqual(try ClaimRow(&reader), row)
      try reader.end()
    }
  }

  /// Whatever a damaged journal has, it ends nothing.
  @Test func damagedRowsAreReadOrNot() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var read = 0
    let good = try rows(try KeptFleet()).map(bytes)
    for _ in 0..<extent(landing: 2_000, release: 100_000) {
      var bytes = good[Int.random(in: 0..<good.count, using: &random)]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      var reader = WireReader(bytes)
      if (try? ClaimRow(&reader)) != nil { read += 1 }
    }
    expect(read > 0, "seed \(seed): not one was read")
  }

  @Test func theOldestIsForgottenOfThoseThatAreOnlyRemembered() async throws {
    let fleet = try KeptFleet()
    let journal = MemoryJournal()
    var rows = ClaimRows(fleet: "summer")
    var first: ScanID?
    for _ in 0...ClaimRows.mostRepeatable {
      let scan = ScanID()
      first = first ?? scan
      let key = try fleet.ticket(1)
      let entry = ClaimEntry(scan: scan, station: try #require(StationID("north")), gate: GateID("door"))
      var row = ClaimRow(
        ClaimIntent(scan: scan, gate: GateID("door"), keys: [key], redeems: true),
        conclusion: ClaimConclusion(scan: scan, isAdmission: false, debts: [ClaimDebt(key, entry, .interrupted)]))
      row.told = [key]
      journal.enqueue(JournalBatch(memory: rows.set(row)))
    }
    expectEqual(rows.rows.count, ClaimRows.mostRepeatable)
    expect(rows[try #require(first)] == nil)
    var next = ClaimRows(fleet: "summer")
    _ = try await next.recall(from: journal, until: SystemTime().now() + .seconds(5))
    expectEqual(next.rows, rows.rows)
  }

  @Test func whatCannotBeReadIsNotTakenForNothing() async throws {
    let journal = MemoryJournal()
    let rows = ClaimRows(fleet: "summer")
    journal.enqueue(
      JournalBatch(
        memory: [
          LedgerKey(
            server: ClaimRows.server(of: "summer"), kind: .entry, bytes: [0] + Array("claims 7".utf8)): [9, 9, 9]
        ]))
    await #expect(throws: JournalFault.self) {
      var next = rows
      _ = try await next.recall(from: journal, until: SystemTime().now() + .seconds(5))
    }
  }
}
