import Expectations
import Foundation
import Glibc
import ScanModel
import ScanTesting
import SQLiteFile
import Sealing
import Testing

@testable import TicketLists

/// What was said of single tickets, kept beside the list.
@Suite struct CheckedTicketsTests {
  private static let now = WallTime(seconds: 1_763_800_000)

  private func ticket(_ number: Int = 0, at: WallTime = Self.now) -> CheckedTicket {
    CheckedTicket(ends: at + .seconds(Int64(86_400 + number)), kind: number.isMultiple(of: 2) ? "premium" : nil, at: at)
  }

  private func open(_ folder: ListFolder, most: Int = CheckedTickets.most, key: SealKey? = nil) -> CheckedTickets {
    CheckedTickets(folder.place, seals: TicketListSeals(key ?? folder.key, of: folder.place), most: most)
  }

  @Test func isFoundAsItWasSaidAndOutlivesTheProcess() throws {
    let folder = try ListFolder()
    let codes = (0..<20).map { Code("pass-\($0)") }
    let checked = open(folder)
    expect(checked.find(codes[0]) == nil && folder.names == [])
    checked.take(codes.enumerated().map { (ticket($0.offset), $0.element) })
    checked.take([(ticket(7), codes[3]), (nil, codes[4]), (nil, Code("unknown"))])
    for reader in [checked, open(folder)] {
      for (number, code) in codes.enumerated() {
        expectEqual(reader.find(code), number == 3 ? ticket(7) : number == 4 ? nil : ticket(number), "\(number)")
      }
      expectEqual(reader.count, 19)
    }
    // Another key, another server: nothing is found.
    expect(open(folder, key: SealKey.random().key).find(codes[0]) == nil)
    var status = stat()
    expect(stat(folder.place.checkedPath, &status) == 0 && status.st_mode & 0o777 == 0o600)
    // No code stands in the file.
    let bytes = try Data(contentsOf: URL(filePath: folder.place.checkedPath))
    expect(bytes.range(of: Data("pass-".utf8)) == nil)
  }

  @Test func whatWasSaidLastCounts() throws {
    let folder = try ListFolder()
    let checked = open(folder)
    let code = Code("pass")
    checked.take([(ticket(1), code), (nil, code), (ticket(2), code)])
    expectEqual(checked.find(code), ticket(2))
    checked.take([(ticket(3), code), (nil, code)])
    expectEqual(checked.find(code), nil)
    expectEqual(checked.count, 0)
  }

  /// A row that somebody changed, or that the card has let rot, admits nobody.
  @Test func aChangedRowIsNotBelieved() throws {
    let folder = try ListFolder()
    let code = Code("pass")
    for change in ["ends = ends + 1", "at = at + 1", "kind = 'standard'", "kind = NULL", "proof = x'0000000000000000'"]
    {
      open(folder).take([(ticket(0), code)])
      let database = try SQLiteFolder.change(folder.place.checkedPath, "UPDATE checked SET \(change)")
      expectEqual(database, 1)
      expect(open(folder).find(code) == nil, "\(change)")
    }
  }

  @Test func aDamagedFileIsBegunAnew() throws {
    let folder = try ListFolder()
    let code = Code("pass")
    for damage in ["no database at all, but long enough to be taken for one", ""] {
      for name in folder.names { unlink("\(folder.path)/\(name)") }
      try damage.write(toFile: folder.place.checkedPath, atomically: false, encoding: .utf8)
      let checked = open(folder)
      expect(checked.find(code) == nil)
      checked.take([(ticket(0), code)])
      checked.take([(ticket(0), code)])
      expectEqual(checked.find(code), ticket(0))
    }
  }

  /// What was to be forgotten and could not is forgotten all the same.
  @Test func whatCannotBeWrittenIsNotBelieved() throws {
    let folder = try ListFolder()
    let code = Code("pass")
    open(folder).take([(ticket(0), code)])
    let checked = open(folder)
    expectEqual(checked.find(code), ticket(0))
    try #require(
      try SQLiteFolder.change(
        folder.place.checkedPath, "CREATE TRIGGER t BEFORE DELETE ON checked BEGIN SELECT raise(ABORT, 'no'); END") >= 0
    )
    checked.take([(nil, code)])
    expectEqual(checked.find(code), nil)
  }

  @Test func theOldestGoFirst() throws {
    let folder = try ListFolder()
    let checked = open(folder, most: 200)
    for number in 0..<1_000 {
      checked.take([(ticket(number, at: Self.now + .seconds(Int64(number))), Code("pass-\(number)"))])
    }
    expect(checked.count <= 200 && checked.count >= 190, "\(checked.count)")
    expect(checked.find(Code("pass-0")) == nil && checked.find(Code("pass-700")) == nil)
    for number in 810..<1_000 { expect(checked.find(Code("pass-\(number)")) != nil, "\(number)") }
  }

  /// 100,000 of them take 10 MB at most.
  @Test func manyTakeLittleRoom() throws {
    let folder = try ListFolder()
    let checked = open(folder)
    for start in stride(from: 0, to: CheckedTickets.most, by: 10_000) {
      checked.take((start..<(start + 10_000)).map { (ticket($0), Code("\(1_000_000_000_000 + $0)")) })
    }
    expectEqual(checked.count, CheckedTickets.most)
    var status = stat()
    expect(stat(folder.place.checkedPath, &status) == 0 && status.st_size <= 10_000_000, "\(status.st_size)")
    expectEqual(checked.find(Code("\(1_000_000_000_000 + 77)")), ticket(77))
  }

  @Test func aListThatIsNewerHasTheLastWord() async throws {
    let folder = try ListFolder()
    let code = Code("pass")
    let list = try StoredTicketList(folder.place, key: folder.key)
    list.keep(ticket(0), of: code)
    let found = try #require(try await list.find(code)?.ticket)
    expect(
      found.checkedAt == Self.now && found.until == ticket(0).ends && found.kind == "premium" && found.status == .valid)
    try folder.load([UInt8]("code,status\npass,cancelled\n".utf8), folder.settings(), asOf: Self.now.seconds + 1)
    try await expectEqual(list.find(code)?.ticket?.status, .cancelled)
    list.keep(ticket(0, at: Self.now + .seconds(2)), of: code)
    try await expectEqual(list.find(code)?.ticket?.status, .valid)
    list.keep(nil, of: code)
    try await expectEqual(list.find(code)?.ticket?.status, .cancelled)
  }

  /// Gates need not ask a list that surely is not there; where something was kept, they have to.
  @Test func whatWasKeptIsAListToAsk() async throws {
    let folder = try ListFolder()
    let list = try StoredTicketList(folder.place, key: folder.key)
    try await expectEqual(list.find(Code("pass")), nil)
    list.keep(nil, of: Code("pass"))
    expect(list.isAbsent)
    list.keep(ticket(0), of: Code("pass"))
    expect(!list.isAbsent)
    try await expectEqual(list.find(Code("pass"))?.ticket?.checkedAt, Self.now)
    try await expectEqual(list.find(Code("another")), nil)
    // The next process knows it by the file.
    let next = try StoredTicketList(folder.place, key: folder.key)
    expect(!next.isAbsent)
    try await expectEqual(next.find(Code("pass"))?.ticket?.checkedAt, Self.now)
  }

  /// Whatever happens in whichever order, what is found is what was said last.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 6, release: 60)))) func isAMap(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try ListFolder()
    var checked = open(folder)
    var known: [Code: CheckedTicket] = [:]
    for _ in 0..<120 {
      if random.chance(10) { checked = open(folder) }
      let news: [(checked: CheckedTicket?, code: Code)] = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (
          random.chance(30) ? nil : ticket(.random(in: 0...9, using: &random)),
          Code("pass-\(Int.random(in: 0...12, using: &random))")
        )
      }
      checked.take(news)
      for (said, code) in news { known[code] = said }
      let code = Code("pass-\(Int.random(in: 0...12, using: &random))")
      expectEqual(checked.find(code), known[code], "seed \(seed)")
      expect(checked.count == known.count || checked.count == 0, "seed \(seed)")
    }
  }
}

/// Changes a file as somebody would who has a program for it.
private enum SQLiteFolder {
  static func change(_ path: String, _ sql: String) throws -> Int {
    let database = try Database(path, .present, busyMilliseconds: 1_000)
    try database.execute(sql)
    return database.changes
  }
}
