import Glibc
import SQLiteFile
import ScanModel

/// What a start finds: note and journal beside each other.
struct Finding {
  var generation: UInt64
  /// What disagrees, in words for the operator.
  var words: [String] = []
  /// Whether it is not the journal that this station wrote last, or not the whole of it, as far as can be told.
  var isForeign = false

  /// - Parameters:
  ///   - found: the note, and which file it lies in.
  ///   - reached: how far the journal had come. Read before the journal is looked into, which may be in use.
  init(
    _ journal: String, _ found: (note: JournalNote, file: FileStamp?)?, _ reached: ReachRecord?,
    _ machine: MachineIdentity, _ boot: BootID
  ) {
    let (size, log) = (Self.size(journal), Self.size(journal + "-wal"))
    let hasLog = (log ?? 0) > 0
    // An empty file is no journal; and SQLite would throw away the log beside it.
    let isThere = (size ?? 0) > 0
    guard let (note, file) = found else {
      // A start that ended before it noted anything leaves a journal in which nothing is.
      let standing = isThere ? Standing(journal, hasLog: hasLog) : nil
      guard isThere, standing.map({ $0.facts > 0 || $0.remembers }) ?? !Recognition.isUndone(journal) else {
        generation = 1
        return
      }
      // One that never was: which there were is not known.
      generation = .random(in: 1 << 32...1 << 62)
      isForeign = true
      words = [
        "The note \(journal).generation is gone: whether the journal is this station's newest cannot be told."
      ]
      return
    }
    generation = note.generation
    guard isThere else {
      generation += 1
      isForeign = true
      words = [
        "The journal \(journal) is gone: nothing is known of who is in. Put it back from a copy, or let staff look."
      ]
      return
    }
    let standing = Standing(journal, hasLog: hasLog)
    if let place = note.machine.flatMap({ machine.difference(from: $0) }) {
      words.append("The journal \(journal) was written \(place).")
    }
    if let own = note.file, let file, own != file {
      words.append("The journal \(journal) was brought back from a copy.")
    }
    if let standing, let which = note.journal, let other = standing.journal, which != other {
      words.append("Another journal lies in the place of \(journal).")
    } else if let standing, standing.isOlder(than: note) {
      words.append("The journal \(journal) is older than what this station wrote last.")
    }
    let loss = JournalLoss(standing?.position, reached, in: boot)
    if note.state == .whole, !hasLog, standing?.hasAll(of: note.session) != true {
      // In the same start of the machine it is known whether it was needed. After a cut of power an empty one can be all that was synced.
      let isKnown = loss != nil && (reached?.boot == boot || log != nil)
      if !isKnown || loss != .nothing {
        words.append("The write-ahead log of the journal \(journal) is gone: what was written last is lost.")
      }
    } else if words.isEmpty, let lost = loss?.words(journal) {
      words.append(lost)
    }
    if note.state == .partial {
      words.append(
        "The journal \(journal) could not take everything before the last end: who was admitted then is missing.")
    }
    isForeign = !words.isEmpty || !note.isAccepted
    if !words.isEmpty { generation += 1 }
    if !note.isAccepted { words.append("What was found of the journal at an earlier start is not accepted yet.") }
  }

  private static func size(_ path: String) -> Int64? {
    var entry = stat()
    return stat(path, &entry) == 0 ? Int64(entry.st_size) : nil
  }
}

/// What a journal has lost of what it had reached.
enum JournalLoss: Equatable {
  case nothing
  /// So many facts, and what is no fact.
  case lost(facts: Int64)

  /// - Returns: `nil` where that cannot be told.
  init?(_ present: JournalPosition?, _ reached: ReachRecord?, in boot: BootID) {
    guard let present, let bound = reached?.bound(in: boot), present.journal == bound.journal else { return nil }
    self = present.isBehind(bound) ? .lost(facts: max(0, bound.facts &- present.facts)) : .nothing
  }

  /// In words, of the journal at `path`; `nil` where nothing is lost.
  func words(_ path: String) -> String? {
    guard case .lost(let facts) = self else { return nil }
    return
      "The journal \(path) has lost what was written last, \(facts) facts: its write-ahead log was damaged or cut off."
  }
}

/// How far a journal has come, as it lies there.
private struct Standing {
  /// Its last start.
  var session: Int64
  /// The last one that ended in order.
  var stop: Int64?
  /// Its newest fact.
  var facts: Int64
  /// Whether ledgers remember anything.
  var remembers: Bool
  /// Which journal it is; `nil` before version 3.
  var journal: Int64?
  /// How far it has come, as its counts tell.
  var position: JournalPosition?

  /// Looks into a journal that this process does not have open; `nil` where that cannot be told.
  init?(_ path: String, hasLog: Bool) {
    guard let database = try? Database(path, hasLog ? .read : .frozen, busyMilliseconds: 1_000),
      (try? database.integer("PRAGMA application_id")) == Schema.applicationID,
      let last = try? database.integer("SELECT ifnull(max(id), 0) FROM session"),
      let facts = try? JournalPosition.facts(in: database),
      let remembers = try? database.integer("SELECT EXISTS (SELECT 1 FROM memory)")
    else { return nil }
    session = last
    stop = try? database.integer("SELECT max(session) FROM stop")
    self.remembers = remembers == 1
    self.facts = facts
    position = JournalPosition(database)
    journal = position?.journal
  }

  /// Whether it has come less far than the note says.
  func isOlder(than note: JournalNote) -> Bool {
    guard let noted = note.session else { return false }
    if session < noted { return true }
    return session == noted && note.state == .closed && note.facts.map { facts < $0 } == true
  }

  /// Whether a journal without log has all of that start of the gateway: it ended in order, or another one followed, whose log
  /// went on where this one's ended.
  func hasAll(of noted: Int64?) -> Bool {
    guard let noted else { return false }
    return session > noted || session == noted && stop == noted
  }
}
