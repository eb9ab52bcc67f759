import CSQLite
import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Journal

/// The check that follows an unclean stop, and what it says where the disk does not let it look.
@Suite(.serialized) struct CheckTests {
  private func filled(_ path: String) async throws {
    let journal = try openJournal(path)
    for number in 0..<500 { journal.enqueue(JournalBatch(facts: [.scan(sampleScan("\(number)"))])) }
    await journal.close()
  }

  @Test func whatCannotBeReadIsNoDamage() async throws {
    let folder = try Folders()
    try await filled(folder.journal)
    let database = try Database(folder.journal, .present, busyMilliseconds: 0)
    try expectEqual(database.quickCheck { false }, nil)
    let other = try Database(folder.journal, .present, busyMilliseconds: 0)
    _ = try other.integer("SELECT count(*) FROM sqlite_master")
    let blindness = try Blindness(folder.journal)
    let error = #expect(throws: SQLiteError.self) { _ = try other.quickCheck { false } }
    expect(error?.isDiskError == true && error?.isDamage == false, "\(String(describing: error))")
    blindness.end()
    try expectEqual(other.quickCheck { false }, nil)
  }

  @Test func whatIsDamagedIsFoundAndACallerMayEndIt() async throws {
    let folder = try Folders()
    try await filled(folder.journal)
    var bytes = try readFile(folder.journal)
    let count = bytes.count
    for index in 0..<200 { bytes[count / 8 * 4 + index] ^= 0x55 }
    for index in 0..<count / 2 { bytes[count / 2 + index] ^= 0x55 }
    try writeFile(folder.journal, bytes)
    let database = try Database(folder.journal, .present, busyMilliseconds: 0)
    expect(try database.quickCheck { false } != nil)
    let error = #expect(throws: SQLiteError.self) { _ = try database.quickCheck { true } }
    expectEqual(error?.primary, SQLITE_INTERRUPT)
  }

  /// It is made again, by the next start at the latest.
  @Test func aCheckThatTheDiskRefusesIsNotDone() async throws {
    let folder = try Folders()
    try await filled(folder.journal)
    let journal = try openJournal(folder.journal)
    // Its connection is open, and has seen but a few pages.
    await until { journal.knowsItsKeys }
    let blindness = try Blindness(folder.journal)
    journal.core.orders.withLock { $0.needsCheck = true }
    journal.core.houseWaker.wake()
    let words = try #require(await notice(journal, of: "could not be looked through"))
    expect(words.contains("gives errors"), "\(words)")
    blindness.end()
    expect(journal.core.orders.withLock { $0.needsCheck && $0.damage == nil })
    await journal.close()
    expect(!folder.names.contains { $0.contains("damaged") })
    // As nobody has looked, it does not count for an orderly end.
    let next = try openJournal(folder.journal)
    await until { !next.core.orders.withLock { $0.needsCheck } }
    await next.close()
    let sound = try openJournal(folder.journal)
    expect(!sound.core.orders.withLock { $0.needsCheck })
    await sound.close()
    try expectEqual(codes(folder.journal).count, 500)
  }
}

/// A file that this process has open, and that the kernel no longer lets it read: each of its descriptors is one that only
/// writes, until the end.
private struct Blindness {
  private var kept: [(number: Int32, copy: Int32)] = []

  init(_ path: String) throws {
    let blind = open(path, O_WRONLY | O_CLOEXEC)
    try #require(blind >= 0)
    // All of them first: a copy that is kept may have the number of one that was listed.
    let numbers = Folders.list("/proc/self/fd").compactMap { Int32($0) }.filter { number in
      var target = [CChar](repeating: 0, count: 4_096)
      let length = readlink("/proc/self/fd/\(number)", &target, target.count)
      return number != blind && length > 0
        && String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
    }
    for number in numbers {
      kept.append((number, fcntl(number, F_DUPFD_CLOEXEC, 0)))
      dup2(blind, number)
    }
    close(blind)
    let isBlind = !kept.isEmpty
    try #require(isBlind)
  }

  func end() {
    for (number, copy) in kept {
      dup2(copy, number)
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      close(copy)
    }
  }
}
