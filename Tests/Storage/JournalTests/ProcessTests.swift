import Expectations
import Glibc
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// With processes of their own: killed, refused, and out of room.
@Suite(.serialized) struct ProcessTests {
  /// Whatever was told to be written is there after the process was killed, at any instant.
  @Test func whatIsWrittenSurvivesAKill() async throws {
    let folder = try Folders()
    var generator = SeededGenerator(seed: 20)
    var all: [String] = []
    for round in 0..<20 {
      let child = try Child("write", folder.journal)
      var last = 0
      for _ in 0..<Int.random(in: 1...60, using: &generator) {
        last = try #require(Int(try child.next("written ").dropFirst(8)))
      }
      usleep(UInt32.random(in: 0...3_000, using: &generator))
      child.killAndWait()
      // What it told while it was dying counts too.
      while let line = child.next() { last = Int(line.dropFirst(8)) ?? last }

      let journal = try openJournal(folder.journal)
      let keys = (1...last).map { number in
        LedgerKey(server: "server", kind: .ticket, bytes: withUnsafeBytes(of: number) { [UInt8]($0) })
      }
      try await expectEqual(journal.recall(keys).count, last, "round \(round)")
      expect(try await journal.unconcluded().isEmpty, "a batch was written by half")
      await journal.close()
      let found = try codes(folder.journal)
      expect(found.starts(with: all), "round \(round)")
      let new = Array(found.dropFirst(all.count))
      // Each there once and in order; at most the one on its way besides.
      expectEqual(new, (0..<new.count).map { "code \($0 + 1)" })
      expect(new.count >= last, "round \(round): \(last) were told to be written, \(new.count) are there")
      all = found
    }
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test func anotherProcessIsRefusedInWords() async throws {
    let folder = try Folders()
    let child = try Child("hold", folder.journal)
    _ = try child.next("open ")
    let fault = try refusal(folder.journal)
    expect(fault.kind == .unavailable && fault.description.contains("in use by process \(child.process)"))
    // Who only reads is welcome.
    try expectEqual(codes(folder.journal), [])
    child.killAndWait()
    try await openJournal(folder.journal).close()
  }

  /// Files that may not grow: an error of the disk, without a disk.
  @Test func aDiskThatRefusesIsToldAndSurvived() async throws {
    let folder = try Folders()
    try await refused(Child("limit", folder.journal, "200000"), folder.journal, kind: "disk") {}
  }

  @Test(.enabled(if: Disk.canMount)) func aFullDiskIsToldAndSurvived() async throws {
    let folder = try Folders()
    let disk = try Disk(folder.path + "/disk", size: "1m")
    let filler = disk.path + "/filler"
    try writeFile(filler, [UInt8](repeating: 1, count: 600_000))
    let journal = disk.path + "/journal"
    try await refused(Child("limit", journal, "0"), journal, kind: "full") { unlink(filler) }
    // From the first moment on there may be no room: then there is no journal, and it is said why.
    try writeFile(filler, [])
    let file = try OwnedDescriptor.open(filler, O_WRONLY)
    while write(file.number, [UInt8](repeating: 1, count: 4_096), 4_096) > 0 {}
    let fault = try refusal(disk.path + "/another")
    expect(fault.kind == .full && fault.description.contains("No space is left"))
  }

  @Test(.enabled(if: Disk.canMount)) func aDiskWithoutRoomForTheCopyHindersAnUpdate() async throws {
    let folder = try Folders()
    let disk = try Disk(folder.path + "/disk", size: "1m")
    let path = disk.path + "/journal"
    let older = try openJournal(path)
    older.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))]))
    await older.close()
    let filler = disk.path + "/filler"
    try writeFile(filler, [])
    let file = try OwnedDescriptor.open(filler, O_WRONLY)
    while write(file.number, [UInt8](repeating: 1, count: 4_096), 4_096) > 0 {}
    let newer = Schema(steps: Schema.current.steps + ["CREATE TABLE later (a)"])
    let fault = try refusal(path, schema: newer)
    expect(fault.kind == .full && fault.description.contains("Free some space"), "\(fault)")
    expect(!Folders.list(disk.path).contains { $0.contains("backup") })
    // It is open still.
    truncate(filler, 0)
    try await openJournal(path).close()
    try expectEqual(codes(path), ["a"])
    try await openJournal(path, schema: newer).close()
  }

  @Test(.enabled(if: Disk.canMount)) func aReadOnlyDiskIsRefusedInWordsAndRead() async throws {
    let folder = try Folders()
    let disk = try Disk(folder.path + "/disk", size: "4m")
    let path = disk.path + "/journal"
    let journal = try openJournal(path)
    journal.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))]))
    await journal.close()
    disk.makeReadOnly()
    let fault = try refusal(path)
    expect(fault.kind == .disk && fault.description.contains("Read-only file system"))
    // Whoever reads needs to make nothing beside the file.
    try expectEqual(codes(path), ["a"])
    try expectEqual(Journal.verify(path), [])
  }

  /// A child whose journal cannot be written after a while, until `makeRoom` was called.
  private func refused(_ child: Child, _ journal: String, kind: String, makeRoom: () -> Void) async throws {
    var written = 0
    var refused = 0
    var wasTold = false
    while let line = child.next() {
      if line.hasPrefix("written ") { written = Int(line.dropFirst(8)) ?? 0 }
      if line.hasPrefix("state failing \(kind)") { wasTold = true }
      if line.hasPrefix("refused ") { refused = Int(line.dropFirst(8)) ?? 0 }
      if line.hasPrefix("recalled") {
        expectEqual(line, "recalled 1")
        break
      }
    }
    expect(written > 10 && refused == written + 1)
    if !wasTold { _ = try child.next("state failing \(kind)") }
    makeRoom()
    child.tell("room")
    // In either order: the state is told by its own task.
    var cured = Set<String>()
    while cured.count < 2, let line = child.next() {
      if line == "cured" || line == "state working" { cured.insert(line) }
    }
    while child.next() != nil {}
    let found = try codes(journal)
    // What was refused was kept, and written later.
    expectEqual(Array(found.prefix(refused)), (1...max(1, refused)).map { "code \($0)" })
    expectEqual(found.last, "code \(refused + 1)")
    try expectEqual(Journal.verify(journal), [])
  }
}

/// A small disk in memory.
final class Disk {
  let path: String

  /// Whether this process may mount one.
  static let canMount: Bool = {
    guard let folder = try? Folders(), let disk = try? Disk(folder.path + "/disk", size: "64k") else { return false }
    return withExtendedLifetime(disk) { true }
  }()

  init(_ path: String, size: String) throws {
    self.path = path
    mkdir(path, 0o700)
    guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "scangate-test", path) else {
      rmdir(path)
      throw SystemError(errno: EPERM, call: "mount")
    }
  }

  deinit {
    _ = Self.run("umount", "-l", path)
    rmdir(path)
  }

  func makeReadOnly() { expect(Self.run("mount", "-o", "remount,ro", path)) }

  private static func run(_ words: String...) -> Bool {
    var argv = words.map { strdup($0) } + [nil]
    defer { for pointer in argv { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var id = pid_t()
    guard posix_spawnp(&id, words[0], &actions, nil, &argv, environ) == 0 else { return false }
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status == 0
  }
}
