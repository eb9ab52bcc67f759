internal import Glibc
internal import LinuxIO
internal import SQLiteFile
package import ScanModel
internal import Sealing

/// Where a ticket system's list lies, and what it is bound to.
package struct TicketListPlace: Sendable {
  /// The station's state folder.
  package let state: String
  /// The ticket system.
  package let system: TicketSystemID
  /// Its server, as the ledger names it: a list made for another one is not this one's.
  package let server: String

  /// Names the list; touches nothing.
  package init(state: String, system: TicketSystemID, server: String) {
    self.state = state
    self.system = system
    self.server = server
  }

  /// The file's name.
  package var name: String { "tickets-\(system.name).sqlite" }
  /// The file.
  package var path: String { "\(state)/\(name)" }

  /// Whether there is a list.
  /// - Throws: that this cannot be told.
  package func isPresent() throws(TicketListFault) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    let error = SystemError(errno: errno, call: "stat")
    if error.errno == ENOENT { return false }
    throw TicketListFault(error, at: path)
  }
}

/// What seals and proves a list: digests by which codes are found, and proofs that a row is as it was written.
struct TicketListSeals: Sendable {
  /// A row's proof in bytes: who cannot compute one gets a row believed with a chance of 1 in 2⁶⁴, and a rotten bit likewise.
  static let proofLength = 8

  private let digester: Digester
  private let sealer: Sealer
  private let place: [UInt8]

  init(_ key: SealKey, of place: TicketListPlace) {
    digester = key.digester(for: .list)
    sealer = key.sealer(for: .list)
    self.place = [UInt8](place.server.utf8)
  }

  /// A code's digest: 16 bytes, so that of a million tickets and as many strangers no two share one. The server is in it: a
  /// code says nothing in another server's list.
  func digest(of code: Code) -> [UInt8] { digester.digest([0], place, code.bytes) }

  /// The digest of what a code has in common with all that the ticket system may take for it; only while a list is made.
  func digest(ofFolded key: TicketKey) -> [UInt8] { digester.digest([3], place, key.bytes) }

  /// - Parameter list: `TicketListHead.birth` of the row's list: in another list's file the row proves nothing, or an old ticket
  ///   could be put into a new list.
  func proof(of row: StoredTicket, in list: [UInt8]) -> [UInt8] {
    var numbers: [UInt8] = []
    for value in [row.status, row.from, row.until, row.quantity, row.twin] {
      numbers.append(value == nil ? 0 : 1)
      withUnsafeBytes(of: (value ?? 0).bigEndian) { numbers.append(contentsOf: $0) }
    }
    let sale = optional(row.sale)
    guard let event = row.event, !event.isPlain else {
      return short(digester.digest([1], list, row.digest, numbers, sale))
    }
    return short(
      digester.digest([1], list, row.digest, numbers, sale, optional(event.identity), optional(event.kind)))
  }

  func proof(ofSale sale: String, quantity: Int64, in list: [UInt8]) -> [UInt8] {
    short(
      digester.digest([2], place, list, [UInt8](sale.utf8), withUnsafeBytes(of: quantity.bigEndian) { [UInt8]($0) }))
  }

  func proof(of mark: ImportMark, in list: [UInt8]) -> [UInt8] {
    short(
      digester.digest(
        [3], place, list, [UInt8](mark.boot.utf8), withUnsafeBytes(of: mark.sinceBoot.bigEndian) { [UInt8]($0) }))
  }

  private func optional(_ text: String?) -> [UInt8] { text.map { [1] + [UInt8]($0.utf8) } ?? [] }

  private func short(_ digest: [UInt8]) -> [UInt8] { [UInt8](digest.prefix(Self.proofLength)) }

  /// Proves later that key, system and server are the same, and what is told of the whole.
  func proof(of head: TicketListHead) -> [UInt8] { sealer.seal([], binding: head.bytes) }
  func proves(_ proof: [UInt8], _ head: TicketListHead) -> Bool { sealer.open(proof, binding: head.bytes) != nil }
}

/// What a list's file says of the whole.
struct TicketListHead: Equatable {
  var system: String
  var server: String
  var asOf: Int64
  var imported: Int64
  var count: Int64

  /// What tells this list from every other one of the same ticket system.
  static func birth(asOf: Int64, imported: Int64) -> [UInt8] {
    [asOf, imported].flatMap { value in withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) } }
  }

  fileprivate var bytes: [UInt8] {
    var bytes = [UInt8]("ticket list".utf8)
    for text in [system, server] {
      withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: text.utf8)
    }
    for number in [asOf, imported, count] {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
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
  /// The version of a list whose rows have event ids or kinds, too.
  static let version: Int64 = 3
  /// That of one whose rows have none: what read lists before knows what is in it.
  static let plain: Int64 = 2

  static let tables = """
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(plain);
    CREATE TABLE list (
      id INTEGER PRIMARY KEY CHECK (id = 1), system TEXT NOT NULL, server TEXT NOT NULL, as_of INTEGER NOT NULL,
      imported INTEGER NOT NULL, count INTEGER NOT NULL, proof BLOB NOT NULL, bits INTEGER NOT NULL, looks TEXT NOT NULL
    ) STRICT;
    CREATE TABLE import (
      id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, since_boot INTEGER NOT NULL, proof BLOB NOT NULL
    ) STRICT;
    CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, identity TEXT, kind TEXT) STRICT;
    CREATE TABLE ticket (
      digest BLOB PRIMARY KEY, status INTEGER NOT NULL, "from" INTEGER, "until" INTEGER, quantity INTEGER NOT NULL,
      sale TEXT, twin INTEGER NOT NULL, event INTEGER REFERENCES event (id), proof BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sale (sale TEXT PRIMARY KEY, quantity INTEGER NOT NULL, proof BLOB NOT NULL) STRICT, WITHOUT ROWID;
    """
}

extension TicketListFault {
  /// What SQLite refused, in words.
  init(_ error: SQLiteError, at path: String) {
    let words = error.errno == 0 ? error.message : SystemError(errno: error.errno, call: "").words
    let again = "Import it again: scangate tickets import"
    switch true {
    case error.isFull:
      self.init("No space is left for the list of tickets \(path), or for what is sorted (/var/tmp). Free some space.")
    case error.isDamage:
      self.init("The list of tickets \(path) is damaged (\(words)): it is not believed. \(again)")
    case error.isDiskError:
      self.init("The disk of the list of tickets \(path) gives errors: \(words). Replace it soon.")
    default: self.init("The list of tickets \(path) cannot be used: \(words). See who may read it, or import it again.")
    }
  }

  /// What the system refused, in words.
  init(_ error: SystemError, at path: String) {
    let remedy =
      switch error.errno {
      case EACCES, EPERM: "Run this as root, or as the user of the service."
      case ENOSPC, EDQUOT: "Make room on the disk."
      case EROFS, EIO: "See dmesg on the disk."
      default: "See who may read it, or import it again."
      }
    self.init("The list of tickets \(path) cannot be used (\(error.words)). \(remedy)")
  }
}
