import Expectations
import Glibc
import SQLiteFile
import ScanModel
import Testing

@testable import TicketLists

/// The port, as gates have it.
@Suite struct StoredTicketListTests {
  @Test func aNewListIsTakenWithTheNextQuestion() async throws {
    let folder = try ListFolder()
    let list = try StoredTicketList(folder.place, key: folder.key)
    expect(try await list.state() == nil)
    expect(try await list.find(Code("a")) == nil)
    try folder.load("code\na\n")
    try await expectEqual(list.find(Code("a"))?.ticket, ListedTicket(status: .valid))
    let state = try #require(try await list.state())
    expect(state.told.asOf == WallTime(seconds: 1_700_000_000) && state.count == 1)
    try folder.load("code,status\na,cancelled\nb,paid\n")
    try await expectEqual(list.find(Code("a"))?.ticket?.status, .cancelled)
    try await expectEqual(list.state()?.count, 2)
    unlink(folder.place.path)
    expect(try await list.find(Code("b")) == nil)
    expect(try await list.state() == nil)
  }

  /// Gates that look into a list at each scan ask nobody where there is none, until somebody imports one.
  @Test func thatThereIsNoneIsKnownAtOnce() async throws {
    let folder = try ListFolder()
    let list = try StoredTicketList(folder.place, key: folder.key)
    expect(!list.isAbsent, "nobody has looked")
    expect(try await list.find(Code("a")) == nil)
    expect(list.isAbsent)
    let replacement = try await list.replacement(of: nil, asOf: WallTime(seconds: 1_700_000_000)) { _ in nil }
    try await replacement.add([ToldTicket(code: "a", isWholeSale: true, status: .valid)])
    expect(list.isAbsent)
    _ = try await replacement.finish(mayShrink: true)
    expect(!list.isAbsent)
    try await expectEqual(list.find(Code("a"))?.ticket, ListedTicket(status: .valid))
    expect(!list.isAbsent)
    unlink(folder.place.path)
    expect(!list.isAbsent, "nobody has looked")
    expect(try await list.state() == nil && list.isAbsent)
    // By another process.
    try folder.load("code\na\n")
    expect(!list.isAbsent)
    // What cannot be looked for is not absent.
    unlink(folder.place.path)
    mkdir(folder.place.path, 0o700)
    defer { rmdir(folder.place.path) }
    await #expect(throws: TicketListFault.self) { try await list.find(Code("a")) }
    expect(!list.isAbsent)
  }

  /// It was 100 s old when it was imported.
  @Test func itsAgeIsCountedFromTheImportInTheSameStartOfTheMachineOnly() async throws {
    let folder = try ListFolder()
    let before = ImportMark.now()
    try folder.load("code\na\n")
    let age = try #require(try await StoredTicketList(folder.place, key: folder.key).state()?.told.running)
    let sinceThen = Duration.nanoseconds(ImportMark.now().sinceBoot - before.sinceBoot)
    expect(age >= .seconds(100) && age <= .seconds(100) + sinceThen)
    let reader = try TicketListReader(folder.place, key: folder.key)
    expectEqual(reader.own.age(at: ImportMark(boot: "another", sinceBoot: .max)), nil)
    expectEqual(reader.own.age(at: ImportMark(boot: before.boot, sinceBoot: 0)), nil)
  }

  @Test func aListOfAnEarlierVersionHasNoAge() async throws {
    let folder = try ListFolder()
    try folder.load("code\na\n")
    try Database(folder.place.path, .write, busyMilliseconds: 0).execute("DROP TABLE import")
    let list = try StoredTicketList(folder.place, key: folder.key)
    let state = try #require(try await list.state())
    expect(state.told.running == nil && state.count == 1)
    try await expectEqual(list.find(Code("a"))?.ticket, ListedTicket(status: .valid))
  }

  @Test func anImportThatWasMadeYoungerIsDamage() throws {
    let folder = try ListFolder()
    try folder.load("code\na\n")
    try Database(folder.place.path, .write, busyMilliseconds: 0).execute(
      "UPDATE import SET since_boot = since_boot + 1")
    #expect(throws: TicketListFault.self) { try TicketListReader(folder.place, key: folder.key) }
  }

  @Test func aDamagedListIsAFaultUntilAnotherIsThere() async throws {
    let folder = try ListFolder()
    let list = try StoredTicketList(folder.place, key: folder.key)
    let number = open(folder.place.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    expectEqual(write(number, "no list at all", 14), 14)
    close(number)
    await #expect(throws: TicketListFault.self) { try await list.find(Code("a")) }
    try folder.load("code\na\n")
    expect(try await list.find(Code("a"))?.ticket != nil)
  }

  @Test func manyAskAtOnce() async throws {
    let folder = try ListFolder()
    try folder.load("code\n" + (0..<500).map { "c\($0)\n" }.joined())
    let list = try StoredTicketList(folder.place, key: folder.key)
    let found = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<1_000 {
        group.addTask { ((try? await list.find(Code("c\(index)")))?.ticket != nil) == (index < 500) }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    expect(found)
  }

  @Test func whatCannotBeOpenedIsNamed() throws {
    let folder = try ListFolder()
    mkdir(folder.place.path, 0o700)
    defer { rmdir(folder.place.path) }
    let error = #expect(throws: TicketListFault.self) { try folder.find("a") }
    expectEqual(error?.description.contains(folder.place.path), true)
    let writing = #expect(throws: TicketListFault.self) { try folder.load("code\na\n") }
    expectEqual(writing?.description.contains(folder.place.path), true)
    expectEqual(folder.names, ["tickets-venue.sqlite"])
  }
}
