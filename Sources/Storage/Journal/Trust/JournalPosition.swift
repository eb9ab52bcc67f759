import SQLiteFile

/// How far a journal has come, by counts that only rise. They are rows like any other: what is lost of the log takes them along.
struct JournalPosition: Sendable, Equatable {
  /// Which journal it is.
  var journal: Int64
  /// Its last start.
  var session: Int64
  /// Its newest fact.
  var facts: Int64
  /// How often its log was begun anew, or something was written that is no fact.
  var turns: Int64

  /// Whether something is not there that was there at `other`.
  func isBehind(_ other: JournalPosition) -> Bool {
    session < other.session || facts < other.facts || turns < other.turns
  }
}

extension JournalPosition {
  /// The newest fact of a file. What was deleted by age was older; what was deleted by size may have been the newest.
  static func facts(in database: Database) throws(SQLiteError) -> Int64 {
    var newest = try database.integer("SELECT max(facts, names) FROM retention") ?? 0
    for table in JournalStore.factTables {
      do throws(SQLiteError) {
        newest = max(newest, try database.integer("SELECT max(seq) FROM \(table)") ?? 0)
      } catch {
        // An earlier version does not have it: it holds nothing.
        guard error.isAbsence else { throw error }
      }
    }
    return newest
  }

  /// Where the file is that a connection reads; `nil` where it counts nothing of that, or cannot be read.
  init?(_ database: Database) {
    guard let journal = try? database.integer("SELECT id FROM origin"),
      let session = try? database.integer("SELECT ifnull(max(id), 0) FROM session"),
      let facts = try? Self.facts(in: database), let turns = try? database.integer("SELECT checkpoints FROM retention")
    else { return nil }
    self.init(journal: journal, session: session, facts: facts, turns: turns)
  }
}
