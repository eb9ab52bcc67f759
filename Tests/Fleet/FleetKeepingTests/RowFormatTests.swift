import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// What a station's journal has of its claims, byte for byte: a station that is updated while an event lasts reads what the former version has
/// written, and one that goes back is read by the former version. The bytes were made beside this program, by another one.
@Suite struct RowFormatTests {
  private static let place =
    "010100000000000000000000000000000000010400646f6f7202002200742e3031303130313031303130313031303130"
    + "3130313031303130313031303130312200732e3032303230323032303230323032303230323032303230323032303230"
    + "32303201010000000000000000000000000000000006010050d6dc01000000010105002200742e303130313031303130"
    + "31303130313031303130313031303130313031303130310000000000000000000000000000000105006e6f7274680400"
    + "646f6f720102000100863ba101000000010101020000002200742e303130313031303130313031303130313031303130"
    + "31303130313031303130310000000000000000000000000000000105006e6f7274680400646f6f720102000100863ba1"
    + "010000000201002200742e30313031303130313031303130313031303130313031303130313031303130310000000000"
    + "000000000000000000000105006e6f7274680400646f6f720102000100863ba1010000000303040000002200732e3032"
    + "303230323032303230323032303230323032303230323032303230323032000000000000000000000000000000010500"
    + "6e6f7274680400646f6f720102000100863ba10100000004000000000000000000000000000000090100000000000000"
    + "000000000000000008020070c9b28b0000002200732e3032303230323032303230323032303230323032303230323032"
    + "3032303230320000000000000000000000000000000105006e6f7274680400646f6f720102000100863ba10100000004"
    + "0000000000000000000000000000000900010001002200742e3031303130313031303130313031303130313031303130"
    + "3130313031303130310104006c6566741400612d7469636b65742d6f662d736f6d65626f647904006d61696e04006661"
    + "6b65030001020300002a36fe9c9717"
  private static let order =
    "010100000000000000000000000000000000010500000000000000"
  private static let mark =
    "011e00323032362d31312d32375431383a30303a30302e3132333435363738395a803bb16a00000000012200742e3031"
    + "3031303130313031303130313031303130313031303130313031303130314d00000000000000"

  private static let cursor = "0201000000000000"

  private var soon: MonotonicTime { SystemTime().now() + .seconds(5) }

  private func key(_ name: String) -> LedgerKey {
    LedgerKey(server: "fleet summer", kind: .entry, bytes: [0] + Array(name.utf8))
  }

  /// Everything that a row may have.
  private func row() throws -> ClaimRow {
    let (ticket, sale) = (FleetPlan.key(.ticket, 1), FleetPlan.key(.sale, 2))
    let entry = ClaimEntry(
      scan: FleetPlan.scan(1), station: try #require(StationID("north")), gate: GateID("door"), isProvisional: true,
      saidAt: WallTime(seconds: 7))
    var row = ClaimRow(
      ClaimIntent(
        scan: entry.scan, gate: entry.gate, keys: [ticket, sale], redeems: true, repeats: [FleetPlan.scan(6)],
        aloneSince: WallTime(seconds: 8)),
      conclusion: ClaimConclusion(
        scan: entry.scan, isAdmission: true,
        debts: [
          ClaimDebt(ticket, entry, .admitted, rule: .quantity(2)), ClaimDebt(ticket, entry, .released),
          ClaimDebt(ticket, entry, .interrupted, rule: .atMost(4)),
          ClaimDebt(sale, entry, .left(by: FleetPlan.scan(9), of: FleetPlan.scan(8)), rule: .interval(.seconds(600))),
          ClaimDebt(sale, entry, .left(by: FleetPlan.scan(9), of: nil)),
        ]), subject: KeptStation.subject())
    row.told = [ticket]
    return row
  }

  @Test func rowsAreReadAndWritten() async throws {
    let journal = MemoryJournal()
    journal.enqueue(
      JournalBatch(memory: [
        key("claims 0"): [UInt8](hex: Self.place), key("claims order 0"): [UInt8](hex: Self.order),
        key("watched"): [UInt8](hex: Self.cursor),
      ]))
    var found = ClaimRows(fleet: "summer")
    expectEqual(try await found.recall(from: journal, until: soon).cursor, ClaimRevision(258))
    var row = try row()
    row.order = 5
    expectEqual(found.rows, [row.intent.scan: row])
    var written = ClaimRows(fleet: "summer")
    let memory = written.set(row)
    expectEqual(memory[key("claims 0")]??.hex, Self.place)
    expectEqual(memory[key("claims order 0")]??.hex, Self.order)
    expectEqual(memory.count, 2)
    expectEqual(written.memory(of: ClaimRevision(258))[key("watched")]??.hex, Self.cursor)
  }

  /// Rows of a version that knew no order; and an order of a later one, which is none to this.
  @Test(arguments: [nil, "02ffff"]) func rowsWithoutAnOrder(_ order: String?) async throws {
    let journal = MemoryJournal()
    journal.enqueue(
      JournalBatch(memory: [
        key("claims 0"): [UInt8](hex: Self.place), key("claims order 0"): order.map { [UInt8](hex: $0) },
      ]))
    var found = ClaimRows(fleet: "summer")
    expectEqual(try await found.recall(from: journal, until: soon).cursor, .none)
    expectEqual(found.rows, [FleetPlan.scan(1): try row()])
  }

  @Test func marksAreReadAndWritten() async throws {
    let journal = MemoryJournal()
    journal.enqueue(JournalBatch(memory: [key("book"): [UInt8](hex: Self.mark)]))
    let marks = JournalBookMarks(journal, fleet: "summer")
    let mark = BookMark(
      made: "2026-11-27T18:00:00.123456789Z", accepted: 1_790_000_000, key: FleetPlan.key(.ticket, 1),
      revision: ClaimRevision(77))
    expectEqual(try await marks.recall(until: soon), mark)
    let other = MemoryJournal()
    JournalBookMarks(other, fleet: "summer").note(mark)
    expectEqual(try await other.recall([key("book")], until: soon)[key("book")]?.hex, Self.mark)
  }
}
