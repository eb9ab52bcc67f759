internal import ScanModel

/// What one import or refresh has brought: all of it is as old as that.
struct ListPart: Hashable {
  /// When it was true, in nanoseconds since 1970.
  var asOf: Int64
  /// When it came on board.
  var imported: Int64
  /// The same by the clock that nobody sets; `nil` in a list of an earlier version.
  var mark: ImportMark?

  /// What tells a list that it was made with from every other one of the same ticket system.
  var birth: [UInt8] { [asOf, imported].flatMap(\.octets) }

  /// All that it says, for proofs.
  var bytes: [UInt8] { birth + (mark?.sinceBoot ?? 0).octets + [UInt8]((mark?.boot ?? "").utf8) }

  /// How old it is: as old as it was when it came, and the time since.
  func age(at now: ImportMark) -> Duration? {
    mark?.age(at: now).map { $0 + max(.zero, WallTime(nanoseconds: imported) - WallTime(nanoseconds: asOf)) }
  }

  /// The same as the port has it.
  func told(at now: ImportMark) -> ListAge { ListAge(asOf: WallTime(nanoseconds: asOf), running: age(at: now)) }
}

extension Int64 {
  /// Its bytes, the greatest first.
  var octets: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
}

/// What a list's file says of the whole.
struct TicketListHead: Equatable {
  /// When a list was told of all tickets there are, so that a code that it does not name is none.
  enum Whole: Equatable {
    /// By what it was made with.
    case own
    /// By a part that is older.
    case part(ListPart)
    /// Never: it has been told of some days alone.
    case never
  }

  var system: String
  var server: String
  /// What it was made with; rows that say nothing else are of it.
  var own: ListPart
  var count: Int64
  var whole = Whole.own

  /// All that it says, for its proof. The running clock has a proof of its own.
  var bytes: [UInt8] {
    var bytes = [UInt8]("ticket list".utf8)
    for text in [system, server] {
      bytes += Int64(text.utf8.count).octets
      bytes.append(contentsOf: text.utf8)
    }
    bytes += own.birth + count.octets
    switch whole {
    // As lists were before there were parts.
    case .own: break
    case .part(let part): bytes += [1] + part.bytes
    case .never: bytes += [0]
    }
    return bytes
  }
}

/// A ticket as its row has it.
struct StoredTicket {
  var digest: [UInt8]
  var status: Int64?
  var from: Int64?
  var until: Int64?
  var quantity: Int64?
  var sale: String?
  /// Whether the list names another code that the ticket system may take for this one: 1, else 0.
  var twin: Int64?
  /// What its row refers to.
  var event: StoredEvent?
  /// What brought it; `nil` for what the list was made with.
  var part: ListPart?
  /// Holder and seats, sealed; `nil` where none are kept.
  var details: [UInt8]?
  /// What the stations of a fleet call it; `nil` where it is not to be spread.
  var name: [UInt8]?

  /// Whether nothing of holder and seats is kept of it any more: a day after its show began. Of one without a beginning its end counts.
  func isOver(at now: WallTime) -> Bool {
    (from ?? until).map { now >= WallTime(nanoseconds: $0) + TicketListSchema.keepsDetails } ?? false
  }
}

/// What many tickets have in common: their event, and what sort they are of.
struct StoredEvent: Hashable {
  /// For staff.
  var name: String?
  var identity: String?
  var kind: String?

  /// Whether it says nothing that versions before 3 do not know.
  var isPlain: Bool { identity == nil && kind == nil }
}

/// The tables of a list.
enum TicketListSchema {
  /// "SGtl": tells the file from every other program's.
  static let applicationID: Int64 = 0x5347_746C
  /// The version of a list that keeps holders and seats, or has tickets that are not confirmed: what knows neither must not read it.
  static let ofDetails: Int64 = 5
  /// The version of a list that has parts of several ages, or was never told of all tickets: what takes all of it for as old as the
  /// newest must not read it.
  static let ofParts: Int64 = 4
  /// That of one whose rows have event ids or kinds.
  static let ofEvents: Int64 = 3
  /// That of one whose rows have none: what read lists before knows what is in it.
  static let plain: Int64 = 2
  /// Those that this program reads.
  static let versions = plain...ofDetails
  /// For how long holder and seats are kept from the beginning of a show.
  static let keepsDetails = Duration.seconds(86_400)
  /// In the place of a part's number: all of it was told by what the list was made with.
  static let wholeByOwn: Int64 = 0

  /// Makes them.
  /// - Parameter schema: SQLite's name of the file.
  static func tables(in schema: String) -> String {
    """
    PRAGMA \(schema).application_id = \(applicationID);
    CREATE TABLE \(schema).list (
      id INTEGER PRIMARY KEY CHECK (id = 1), system TEXT NOT NULL, server TEXT NOT NULL, as_of INTEGER NOT NULL,
      imported INTEGER NOT NULL, count INTEGER NOT NULL, proof BLOB NOT NULL, bits INTEGER NOT NULL, looks TEXT NOT NULL,
      whole INTEGER REFERENCES part (id)
    ) STRICT;
    CREATE TABLE \(schema).import (
      id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, since_boot INTEGER NOT NULL, proof BLOB NOT NULL
    ) STRICT;
    CREATE TABLE \(schema).part (
      id INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, imported INTEGER NOT NULL, boot TEXT, since_boot INTEGER
    ) STRICT;
    CREATE TABLE \(schema).event (id INTEGER PRIMARY KEY, name TEXT, identity TEXT, kind TEXT) STRICT;
    CREATE TABLE \(schema).ticket (
      digest BLOB PRIMARY KEY, status INTEGER NOT NULL, "from" INTEGER, "until" INTEGER, quantity INTEGER NOT NULL,
      sale TEXT, twin INTEGER NOT NULL, event INTEGER REFERENCES event (id), proof BLOB NOT NULL,
      part INTEGER REFERENCES part (id), details BLOB, name BLOB
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE \(schema).sale (sale TEXT PRIMARY KEY, quantity INTEGER NOT NULL, proof BLOB NOT NULL)
      STRICT, WITHOUT ROWID;
    """
  }
}
