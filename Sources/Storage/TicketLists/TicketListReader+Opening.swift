internal import SQLiteFile
internal import ScanModel

/// What is looked at when a list is opened.
extension TicketListReader {
  /// The parts of what is on board, by their numbers.
  static func parts(_ database: Database) throws(SQLiteError) -> [Int64: ListPart] {
    var parts: [Int64: ListPart] = [:]
    // A row's proof has the part that it is of in it.
    try database.prepare("SELECT id, as_of, imported, boot, since_boot FROM part LIMIT \(mostParts + 1)").each {
      row throws(SQLiteError) in
      guard let id = row.integer(0), let asOf = row.integer(1), let imported = row.integer(2) else { return }
      var part = ListPart(asOf: asOf, imported: imported)
      if let boot = row.text(3), let since = row.integer(4) { part.mark = ImportMark(boot: boot, sinceBoot: since) }
      parts[id] = part
    }
    guard parts.count <= mostParts else { throw SQLiteError.damage("it has too many parts") }
    return parts
  }

  /// One for each day on which something came on board.
  static let mostParts = 10_000

  /// When it was imported, by the clock of that start of the machine; `nil` in a list of an earlier version.
  static func mark(
    _ database: Database, _ seals: TicketListSeals, _ birth: [UInt8]
  ) throws(SQLiteError) -> ImportMark? {
    guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'import'") == 1
    else {
      return nil
    }
    var found: (mark: ImportMark, proof: [UInt8]?)?
    try database.prepare("SELECT boot, since_boot, proof FROM import WHERE id = 1").each { row throws(SQLiteError) in
      guard let boot = row.text(0), let since = row.integer(1) else { return }
      found = (ImportMark(boot: boot, sinceBoot: since), row.blob(2))
    }
    guard let found, found.proof == seals.proof(of: found.mark, in: birth) else {
      throw SQLiteError.damage("its import's row is not as it was written")
    }
    return found.mark
  }

  /// That a list is another system's, server's or key's is told as SQLite's errors are: one way leads out.
  static func check(
    _ head: TicketListHead, _ proof: [UInt8], _ place: TicketListPlace, _ path: String, _ seals: TicketListSeals
  ) throws(SQLiteError) {
    let again = "Import one: scangate tickets import FILE --system \(place.system.name)"
    guard head.system == place.system.name, head.server == place.boundTo else {
      throw SQLiteError(
        code: foreign,
        message:
          "it was made for \(head.system) (\(head.server)), not for \(place.system.name) (\(place.boundTo)). \(again)")
    }
    guard seals.proves(proof, head) else {
      throw SQLiteError(
        code: foreign,
        message: "it was made with another key than this station's, or was changed since. \(again)")
    }
  }

  /// No result code of SQLite.
  private static let foreign: Int32 = 0x7F00

  /// The same for whoever asked.
  static func fault(_ error: SQLiteError, _ path: String) -> TicketListFault {
    error.code == foreign
      ? TicketListFault("The list of tickets \(path) cannot be used: \(error.message)")
      : TicketListFault(error, at: path)
  }
}
