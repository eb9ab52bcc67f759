import CSQLite
import Glibc
import PowerCut

/// Transactions numbered from 1, whose order and wholeness can be told from the database alone.
enum Workload {
  static let file = "station.db"
  private static let slots = 7

  private static func body(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(number % 251), count: number * 977 % 2_900)
  }
  private static let bodies = (0...400).map(body)

  static func create(in database: PlainDatabase) throws {
    try database.run(
      """
      BEGIN;
      CREATE TABLE fact (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
      CREATE TABLE memory (slot INTEGER PRIMARY KEY, last INTEGER NOT NULL);
      CREATE INDEX fact_length ON fact (length(body));
      COMMIT;
      """)
  }

  static func commit(_ number: Int, in database: PlainDatabase) throws {
    try database.run("BEGIN IMMEDIATE")
    try database.rows("INSERT INTO fact VALUES (\(number), ?)", blob: bodies[number])
    try database.run("INSERT OR REPLACE INTO memory VALUES (\(number % slots), \(number)); COMMIT")
  }

  struct Damage: Error, CustomStringConvertible { let description: String }

  /// How many transactions the database holds: all up to that one, each wholly, and nothing of a later one.
  static func count(in database: PlainDatabase) throws -> Int {
    let integrity = try database.text("PRAGMA integrity_check")
    guard integrity == "ok" else { throw Damage(description: "integrity_check: \(integrity)") }
    let tables = try database.text("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")
    if tables == "0" { return 0 }
    guard tables == "2" else { throw Damage(description: "\(tables) of 2 tables") }
    var count = 0
    try database.rows("SELECT id, body FROM fact ORDER BY id") { row in
      count += 1
      guard sqlite3_column_int64(row, 0) == count else { throw Damage(description: "\(count) is missing") }
      let length = Int(sqlite3_column_bytes(row, 1))
      let isSame =
        length == bodies[count].count
        && (length == 0 || sqlite3_column_blob(row, 1).map { memcmp($0, bodies[count], length) } == 0)
      guard isSame else { throw Damage(description: "\(count) holds something else") }
    }
    var slots: [Int: Int] = [:]
    try database.rows("SELECT slot, last FROM memory") {
      slots[Int(sqlite3_column_int64($0, 0))] = Int(sqlite3_column_int64($0, 1))
    }
    let expected = Dictionary((1...max(count, 1)).map { ($0 % Self.slots, $0) }, uniquingKeysWith: max)
    guard slots == (count == 0 ? [:] : expected) else {
      throw Damage(description: "of \(count) the memory is \(slots)")
    }
    return count
  }
}

/// What became of a log's images.
struct Judgement {
  var images = 0
  /// Images in which something promised was missing.
  var losses: [String] = []
  /// Images that did not open, or held a part of a transaction.
  var damages: [String] = []

  var isGood: Bool { losses.isEmpty && damages.isEmpty }

  init(_ cuts: CutImages) throws {
    let folder = try ImageFolder()
    for image in cuts { try judge(image, in: folder) }
  }

  private mutating func judge(_ image: CutImage, in folder: ImageFolder) throws {
    images += 1
    try folder.lay(image)
    do {
      let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
      try database.run("PRAGMA synchronous = OFF")
      let count = try Workload.count(in: database)
      let promised = image.promised.max() ?? 0
      if count < promised { losses.append("\(image.label): \(promised) was promised, \(count) are there") }
    } catch {
      damages.append("\(image.label): \(error)")
    }
  }

  /// For the message of a test that fails.
  var text: String {
    "\(images) images, \(losses.count) with losses, \(damages.count) damaged\n"
      + (losses.prefix(3) + damages.prefix(3)).joined(separator: "\n")
  }
}
