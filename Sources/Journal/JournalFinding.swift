import Glibc
import SQLiteFile

/// What a start finds: note and journal beside each other.
struct Finding {
  var generation: UInt64
  /// What disagrees, in words for the operator.
  var words: [String] = []
  /// Whether it is not the journal that this station wrote last, as far as the note can tell.
  var isForeign = false

  init(_ journal: String, _ found: (note: JournalNote, file: FileStamp?)?, _ machine: MachineIdentity) {
    let isThere = access(journal, F_OK) == 0
    var log = stat()
    let hasLog = stat(journal + "-wal", &log) == 0 && log.st_size > 0
    guard let (note, file) = found else {
      // A start that ended before it noted anything leaves a journal in which nothing is.
      guard isThere, Standing(journal, hasLog: hasLog).map({ $0.facts > 0 || $0.remembers }) ?? true else {
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
    isForeign = !words.isEmpty || !note.isAccepted
    if note.state == .partial {
      words.append("The journal \(journal) could not take everything before the last end.")
    }
    if note.state == .whole, !hasLog, standing?.hasAll(of: note.session) != true {
      words.append("The write-ahead log of the journal \(journal) is gone: what was written last is lost.")
    }
    if !words.isEmpty { generation += 1 }
    if !note.isAccepted { words.append("What was found of the journal at an earlier start is not accepted yet.") }
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

  /// Looks into a journal that this process does not have open; `nil` where that cannot be told.
  init?(_ path: String, hasLog: Bool) {
    guard let database = try? Database(path, hasLog ? .read : .frozen, busyMilliseconds: 1_000),
      (try? database.integer("PRAGMA application_id")) == Schema.applicationID,
      let last = try? database.integer("SELECT max(id) FROM session"),
      let gone = try? database.integer("SELECT facts FROM retention"),
      let remembers = try? database.integer("SELECT EXISTS (SELECT 1 FROM memory)")
    else { return nil }
    session = last
    stop = try? database.integer("SELECT max(session) FROM stop")
    self.remembers = remembers == 1
    facts = gone
    for table in JournalStore.factTables {
      facts = max(facts, (try? database.integer("SELECT max(seq) FROM \(table)")) ?? 0)
    }
    journal = try? database.integer("SELECT id FROM origin")
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
