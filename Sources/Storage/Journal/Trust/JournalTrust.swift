import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization

/// Whether the journal holds everything on which a gate has opened, and whether it is this station's own and newest: a note
/// beside it.
///
/// ```
///            ┌────────── markIncomplete: a gate opens on what cannot be written ──────────┐
///  closed ─▶ whole ── orderly end, everything durable ──▶ closed                    ▼
///    ▲        ▲                                                                  partial
///    └────────┴──── next start: another generation, in which nothing of before hangs together ◀┘
/// ```
/// What a ledger remembers is bound to its generation as to a boot. In a later one, an attempt without conclusion may have
/// opened a gate, and a claim without a request may have taken.
///
/// The journal itself writes the note, beside its own beginning and end: `closed` always before its log goes, so that a log
/// that is missing after `whole` was taken away by somebody else, whenever the process ends.
///
/// The note names the journal's file, its count of starts and facts, the machine, and itself. A journal that was brought back from
/// a copy, or came from another machine, disagrees with it in one of these. A second file says how far the journal had come
/// (`JournalReach`): one that has lost something of that, and one that was damaged, are not believed either. Then it has to be accepted.
package final class JournalTrust: Sendable {
  /// Whether the journal was not found to be this station's own, newest, and whole.
  package let isForeign: Bool

  private struct Held: ~Copyable, Sendable {
    var file: OwnedDescriptor
    var note: JournalNote
  }

  private struct Told {
    var generation: UInt64
    var words: [String]
    var isBegun = false
    var listener: (@Sendable (JournalState) -> Void)?
  }

  private let path: String
  private let machine: MachineIdentity
  private let reach: JournalReach
  private let told: Mutex<Told>
  private let held = Mutex<Held?>(nil)
  private let accepted: Atomic<Bool>
  private let marked = Atomic(false)
  /// A thread is writing the mark; one that hangs is not joined by others.
  private let isMarking = Atomic(false)

  /// Reads the note and the journal; writes nothing.
  /// - Parameter journal: the journal's file.
  package convenience init(of journal: String) {
    self.init(of: journal, on: MachineIdentity(holding: journal))
  }

  init(of journal: String, on machine: MachineIdentity, boot: BootID = .current()) {
    path = journal + ".generation"
    self.machine = machine
    reach = JournalReach(of: journal, boot: boot)
    let finding = Finding(journal, JournalNote.read(path), ReachRecord.read(beside: journal), machine, boot)
    isForeign = finding.isForeign
    told = Mutex(Told(generation: finding.generation, words: finding.words))
    accepted = Atomic(!finding.isForeign)
  }

  /// The generation of this process; final once the journal is open.
  package var generation: UInt64 { told.withLock { $0.generation } }

  /// Why what is remembered of earlier generations is not trusted; `nil` where it is.
  package var doubt: String? { told.withLock { $0.words.isEmpty ? nil : $0.words.joined(separator: " ") } }

  /// Whether the journal may be relied on: it is this station's own and newest, or somebody has said that it may.
  package var isAccepted: Bool { accepted.load(ordering: .acquiring) }

  /// Somebody has said so: notes it.
  /// - Returns: whether it could be noted; else it has to be said again after the next start.
  @discardableResult package func accept() -> Bool {
    let wasDoubted = !accepted.exchange(true, ordering: .acquiringAndReleasing)
    defer { if wasDoubted { told.withLock { $0.listener }?(.accepted) } }
    return write { $0.isAccepted = true }
  }

  /// Told that the journal was replaced by one in which something may be missing.
  func distrust(_ words: String) {
    accepted.store(false, ordering: .releasing)
    let (isBegun, listener) = told.withLock { told in
      told.words.append(words)
      // What this process remembers is not touched by it; for the next one it is of an earlier generation.
      if !told.isBegun { told.generation &+= 1 }
      return (told.isBegun, told.listener)
    }
    guard isBegun else { return }
    _ = write { note in
      note.isAccepted = false
      note.generation &+= 1
    }
    listener?(.doubted(words))
  }

  /// Begins the generation; called by the one process that has the journal.
  /// - Parameters:
  ///   - written: how far the journal is written.
  ///   - durable: how far of that is surely on the disk.
  ///   - listener: told from now on what becomes of the doubt, and at once where there is one.
  /// - Throws: why the note cannot be written.
  func begin(
    _ written: JournalPosition, durable: JournalPosition, listener: (@Sendable (JournalState) -> Void)? = nil
  ) throws(SystemError) {
    let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw SystemError(errno: errno, call: "open") }
    let note = JournalNote(
      generation: generation, state: .whole, session: written.session, journal: written.journal, machine: machine,
      isAccepted: isAccepted)
    held.withLock { $0 = Held(file: OwnedDescriptor(owning: number), note: note) }
    guard write(anew: true, { _ in }) else { throw SystemError(errno: errno, call: "write") }
    // After the note: what it says is about the journal that the note names.
    reach.begin(written: written, durable: durable)
    told.withLock { told in
      told.isBegun = true
      told.listener = listener
    }
    if !isAccepted, let doubt { listener?(.doubted(doubt)) }
  }

  /// Goes on in another file, which counts its starts by itself.
  func goOn(_ store: JournalStore) {
    let position = store.position
    _ = write { ($0.session, $0.journal) = (position.session, position.journal) }
    reach.begin(written: position, durable: store.begun.durable)
    if let words = store.begun.replacing { distrust(words) }
  }

  /// The kernel has everything up to `position`.
  func wrote(_ position: JournalPosition) { reach.wrote(position) }

  /// How far the journal is written: a sync that begins now covers that.
  var written: JournalPosition? { reach.written }

  /// The disk has everything up to `position`.
  func synced(_ position: JournalPosition) { reach.synced(position) }

  /// Notes, by a thread of its own, that a gate opens on something that could not be written. Durable when it returns.
  /// - Parameter limit: the longest that the disk is waited for.
  /// - Returns: false where not even that can be noted in time.
  package func markIncomplete(within limit: Duration = .seconds(1)) async -> Bool {
    if marked.load(ordering: .acquiring) { return true }
    guard !isMarking.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    let answer = OneAnswer<Bool>()
    do throws(SystemError) {
      try SystemThread.start("journal-note") {
        let isNoted = self.write { $0.state = .partial }
        if isNoted { self.marked.store(true, ordering: .releasing) }
        self.isMarking.store(false, ordering: .releasing)
        answer.give(isNoted)
      }
    } catch {
      isMarking.store(false, ordering: .releasing)
      return false
    }
    return await answer.first(within: limit, else: false)
  }

  /// Notes the end, before the journal's log goes; nothing after it was marked incomplete.
  /// - Parameters:
  ///   - facts: the journal's newest fact.
  ///   - isWhole: whether everything is durable.
  func end(facts: Int64, isWhole: Bool) {
    _ = write(anew: true) { note in
      if note.state == .whole { note.state = isWhole ? .closed : .partial }
      note.facts = facts
    }
    held.withLock { $0 = nil }
    reach.end()
  }

  /// - Parameter anew: whether in another file than before, where the disk has room: so that what was copied until then is not
  ///   taken for the note when it is copied back into its place.
  private func write(anew: Bool = false, _ change: (inout JournalNote) -> Void) -> Bool {
    held.withLock { held in
      guard var new = held.take() else { return false }
      change(&new.note)
      if anew, let made = Self.make(path, new.note) {
        held = Held(file: made, note: new.note)
        return true
      }
      new.note.file = FileStamp(new.file)
      let isWritten = Self.put(new.note, into: new.file)
      held = consume new
      return isWritten
    }
  }

  private static func put(_ note: JournalNote, into file: borrowing OwnedDescriptor) -> Bool {
    let bytes = note.bytes
    return pwrite(file.number, bytes, bytes.count, 0) == bytes.count && fdatasync(file.number) == 0
  }

  private static func make(_ path: String, _ note: JournalNote) -> OwnedDescriptor? {
    do throws(SystemError) {
      var new = try FileReplacement(of: path)
      let file = try OwnedDescriptor.duplicate(of: new.file.number)
      var note = note
      note.file = FileStamp(file)
      try SmallFile.write(file.number, note.bytes)
      // In its place and perhaps not for good: it is the note all the same.
      do throws(SystemError) { try new.finish() } catch  where error.call == "sync" {}
      return file
    } catch {
      return nil
    }
  }
}
