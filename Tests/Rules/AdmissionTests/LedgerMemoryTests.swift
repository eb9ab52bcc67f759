@testable import Admission
import Expectations
import Foundation
import ScanModel
import Testing

/// What ledgers remember is written by hand, and read by the compiler's own `Codable`.
@Suite struct LedgerMemoryTests {
  private static func lock(_ number: UInt8) throws -> AttemptLock {
    let id = try #require(AttemptID(hexadecimal: String(repeating: "0\(number)", count: 16)))
    return AttemptLock(
      attempt: id, gate: GateID("the \"north\" \u{1}gate/ü"), began: MonotonicTime(nanoseconds: .min + 7),
      wall: WallTime(nanoseconds: 1_790_000_000_123_456_789))
  }

  private static let standings: [OpenAttempt.Standing] = [
    .pending, .lost, .refused, .ahead(entryID: "e\\1"), .unplaced, .interrupted,
  ]

  /// One of each, with everything that it can hold.
  private static func samples() throws -> [LedgerMemory] {
    let key = TicketKey((0...255).map { UInt8($0) })
    let lock = try lock(3)
    let first = FirstUse(gate: GateID("south"), at: WallTime(nanoseconds: -5), request: lock.attempt)
    let fresh = FreshOffsets(least: .nanoseconds(-1), most: .seconds(9_000_000_000) + .nanoseconds(1))
    var record = TicketRecord(key: key, interval: nil)
    record.kind = .sale
    record.admitted = 3
    record.quantity = 12
    record.sale = "sale 1"
    let standing = LastAdmission(attempt: lock.attempt, entryID: "e", wasFirst: true, isProvisional: false)
    record.standing = [standing, standing]
    record.givenBack = GivenBack(until: MonotonicTime(nanoseconds: 0), isOpen: true)
    record.entries = [
      "entry \u{1F600}": KnownEntry(
        origin: .elsewhere, isClaimed: true, claimUntil: MonotonicTime(nanoseconds: .max), isGivenBack: true,
        hasLeft: true, isBarred: true, isDoubtful: true, shownTo: lock,
        offsets: JudgedOffsets(asked: fresh, lost: [fresh, fresh], lostSince: WallTime(nanoseconds: 1)))
    ]
    record.open = standings.map { standing in
      OpenAttempt(
        lock: lock, sentAt: MonotonicTime(nanoseconds: 1), endedAt: MonotonicTime(nanoseconds: 2), standing: standing,
        owed: lock.attempt, offsets: fresh, wasRefused: true)
    }
    record.isUsedElsewhere = true
    record.firstUse = first
    record.owed = [Owed(attempt: lock.attempt, gate: lock.gate, wall: lock.wall, telling: lock, hasLeft: true)]
    record.listed = 4
    record.folded = key
    record.ends = WallTime(nanoseconds: 1_800_000_000_000_000_001)
    record.spaced = SpacedAdmission(at: MonotonicTime(nanoseconds: 3), use: first, isTrusted: true, isSure: false)
    var sale = SaleMemory()
    sale.admitted = 2
    sale.interrupted = 1
    sale.quantity = 9
    sale.firstUse = first
    sale.owed = 1
    sale.isListed = true
    return [
      .ticket(TicketMemory(record)), .sale(sale), .entry(EntryMemory(key: key, firstUse: first)),
      .folded(FoldedMemory(spellings: [try #require(Spelling(record))])),
    ]
  }

  /// The names of what holds nothing: a member that is new has to be in the samples, too.
  private static func empty(in value: Any, _ path: String = "") -> [String] {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, mirror.children.isEmpty { return [path] }
    return mirror.children.flatMap { empty(in: $0.value, "\(path).\($0.label ?? "")") }
  }

  @Test func theFormIsThatOfCodable() throws {
    for sample in try Self.samples() {
      expectEqual(Self.empty(in: sample), [])
      let ours = try JSONSerialization.jsonObject(with: Data(sample.json))
      let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(sample))
      expect((ours as? NSDictionary)?.isEqual(theirs) == true, "\(ours) instead of \(theirs)")
      expectEqual(try JSONDecoder().decode(LedgerMemory.self, from: Data(sample.json)), sample)
    }
  }

  @Test func whatHoldsLittleIsReadBackToo() throws {
    for sample in [
      LedgerMemory.ticket(TicketMemory(TicketRecord(key: TicketKey([]), interval: nil))), .sale(SaleMemory()),
      .entry(EntryMemory(key: TicketKey([7]), firstUse: nil)), .folded(FoldedMemory()),
    ] {
      let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(sample))
      let ours = try JSONSerialization.jsonObject(with: Data(sample.json))
      expect((ours as? NSDictionary)?.isEqual(theirs) == true, "\(ours) instead of \(theirs)")
    }
  }

  @Test func theStartOfTheMachineStandsBesideIt() throws {
    struct Envelope: Decodable {
      var boot: String
      var memory: LedgerMemory
    }
    for sample in try Self.samples() {
      let read = try JSONDecoder().decode(Envelope.self, from: Data(sample.json(boot: "a \"boot\"\n1")))
      expect(read.boot == "a \"boot\"\n1" && read.memory == sample)
    }
  }
}
