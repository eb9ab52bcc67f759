import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import Testing

@testable import Journal

/// A journal that is not the one that this station wrote last, in all the ways in which it comes back.
@Suite struct ForeignJournalTests {
  private static let machine = MachineIdentity(board: "b", system: "s", disk: "d")
  private static let files = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite.generation"]

  private func found(_ folder: Folders, on machine: MachineIdentity = Self.machine) -> JournalTrust {
    JournalTrust(of: folder.journal, on: machine)
  }

  /// An evening in which somebody is admitted.
  @discardableResult private func evening(_ folder: Folders, accepting: Bool = false) async throws -> JournalTrust {
    let trust = found(folder)
    let journal = try openJournal(folder.journal, trust: trust)
    if accepting { trust.accept() }
    journal.enqueue(JournalBatch(facts: [.scan(sampleScan("somebody"))]))
    await journal.close()
    return trust
  }

  private func backup(_ folder: Folders) throws -> [String: [UInt8]] {
    var kept: [String: [UInt8]] = [:]
    for name in Self.files where folder.names.contains(name) { kept[name] = try readFile("\(folder.path)/\(name)") }
    return kept
  }

  /// Writes files back: over those that are there, as cp does, or as new ones, as tar and rsync do.
  private func restore(_ kept: [String: [UInt8]], to folder: Folders, asNew: Bool, only: String? = nil) throws {
    for name in Self.files where only == nil || name == only {
      if asNew || kept[name] == nil { unlink("\(folder.path)/\(name)") }
      if let bytes = kept[name] { try writeFile("\(folder.path)/\(name)", bytes) }
    }
  }

  @Test func whatGoesOnInOrderIsOurs() async throws {
    let folder = try Folders()
    for _ in 0..<3 {
      let trust = try await evening(folder)
      expect(
        !trust.isForeign && trust.doubt == nil && trust.isAccepted && trust.generation == 1, "\(trust.doubt ?? "")")
    }
    // Killed, with its log.
    let child = try Child("hold", folder.journal)
    _ = try child.next("open ")
    child.killAndWait()
    let trust = try await evening(folder)
    expect(!trust.isForeign && trust.doubt == nil, "\(trust.doubt ?? "")")
  }

  @Test(arguments: [false, true]) func aFolderThatWasBroughtBackIsNoticed(asNew: Bool) async throws {
    let folder = try Folders()
    try await evening(folder)
    let kept = try backup(folder)
    try await evening(folder)
    try restore(kept, to: folder, asNew: asNew)
    let trust = found(folder)
    expect(trust.isForeign && !trust.isAccepted && trust.generation == 2)
    expectEqual(trust.doubt?.contains("brought back from a copy"), true)
  }

  /// A copy of the running journal, with its log: it looks like one that was killed.
  @Test func soIsACopyOfTheRunningJournal() async throws {
    let folder = try Folders()
    try await evening(folder)
    let journal = try openJournal(folder.journal, trust: found(folder))
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("early"))])))
    let kept = try backup(folder)
    await journal.close()
    try restore(kept, to: folder, asNew: false)
    expect(found(folder).isForeign)
  }

  @Test func anOlderJournalBesideTheRightNoteIsNoticed() async throws {
    let folder = try Folders()
    try await evening(folder)
    let kept = try backup(folder)
    let journal = try openJournal(folder.journal, trust: found(folder))
    journal.enqueue(JournalBatch(facts: [.scan(sampleScan("early"))]))
    try await journal.written(journal.enqueue(JournalBatch()))
    // As documented, while it runs.
    let copy = folder.path + "/copy"
    try stranger(folder.journal).execute("VACUUM INTO '\(copy)'")
    journal.enqueue(JournalBatch(facts: [.scan(sampleScan("late"))]))
    await journal.close()
    try restore(kept, to: folder, asNew: true, only: "journal.sqlite")
    expectEqual(found(folder).doubt?.contains("older than"), true)
    // Of the same start, but not its end.
    try writeFile(folder.journal, try readFile(copy))
    expect(found(folder).isForeign && found(folder).doubt?.contains("older than") == true)
  }

  @Test func anotherJournalIsNoticed() async throws {
    let (folder, other) = (try Folders(), try Folders())
    try await evening(folder)
    for _ in 0..<3 { try await evening(other) }
    try writeFile(folder.journal, try readFile(other.journal))
    expectEqual(found(folder).doubt?.contains("Another journal"), true)
  }

  @Test func anotherMachineIsNoticed() async throws {
    let folder = try Folders()
    try await evening(folder)
    for (machine, isForeign) in [
      (MachineIdentity(board: "b", system: "s", disk: "d"), false),
      // An image that makes its identifier anew, on the same board.
      (MachineIdentity(board: "b", system: "other", disk: "d"), false),
      (MachineIdentity(board: nil, system: "s", disk: nil), false),
      (MachineIdentity(board: nil, system: nil, disk: nil), false),
      (MachineIdentity(board: "other", system: "s", disk: "d"), true),
      (MachineIdentity(board: nil, system: "other", disk: "d"), true),
      (MachineIdentity(board: "b", system: "s", disk: "other"), true),
    ] {
      let trust = found(folder, on: machine)
      expect(trust.isForeign == isForeign, "\(machine): \(trust.doubt ?? "no doubt")")
    }
  }

  @Test func itStaysSoUntilSomebodyAcceptsIt() async throws {
    let folder = try Folders()
    try await evening(folder)
    try await evening(folder)
    let note = try readFile("\(folder.journal).generation")
    try writeFile("\(folder.path)/note", note)
    expect(rename("\(folder.path)/note", "\(folder.journal).generation") == 0)
    for _ in 0..<2 {
      let trust = try await evening(folder)
      expect(trust.isForeign && !trust.isAccepted && trust.generation == 2 && trust.doubt != nil)
    }
    try await evening(folder, accepting: true)
    let trust = try await evening(folder)
    expect(!trust.isForeign && trust.isAccepted && trust.doubt == nil && trust.generation == 2)
  }

  /// The journal's own ways to another file are ours.
  @Test func whatTheJournalDoesItselfIsOurs() async throws {
    let folder = try Folders()
    try await evening(folder)
    try await evening(folder)
    // Deleted while it was in use, and written anew.
    var journal = try openJournal(folder.journal, trust: found(folder))
    unlink(folder.journal)
    try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan("a"))])))
    await journal.close()
    expectEqual(found(folder).doubt, nil)
    // Damaged, and begun anew: another one, which the note names. It is doubted for what it has lost alone.
    try writeFile(folder.journal, [UInt8]("a letter to somebody, long enough to be a file of its own".utf8))
    journal = try openJournal(folder.journal, trust: found(folder))
    await journal.close()
    let trust = found(folder)
    expect(trust.isForeign && trust.doubt?.hasPrefix("What was found of the journal at an earlier start") == true)
  }

  @Test func aNoteIsReadAsItWasWritten() {
    var note = JournalNote(generation: 7, state: .whole)
    expect(JournalNote(note.bytes)?.session == 0 && JournalNote(note.bytes)?.isAccepted == true)
    note.session = 42
    note.facts = .max
    note.journal = 9
    note.machine = MachineIdentity(board: "b", system: nil, disk: "d")
    note.isAccepted = false
    expectEqual(JournalNote(note.bytes), note)
    let length = note.bytes.count
    note.state = .partial
    note.isAccepted = true
    expectEqual(note.bytes.count, length)
  }
}
