internal import FleetBook
internal import ScanModel
internal import WireCoding

/// The rows of a station's claims, and where its journal has them: with what its ledgers remember, in so many places that a change writes
/// few rows again.
struct ClaimRows {
  /// So many places there are. Never another number: rows of another one would not be found.
  private static let slots = 256
  /// The version of a place.
  private static let version: UInt8 = 1
  /// So many rows are kept only because a later scan may take their place; of more the oldest is forgotten, and staff decide.
  static let mostRepeatable = 2_048

  private let server: String
  private(set) var rows: [ScanID: ClaimRow] = [:]
  private var places: [Set<ScanID>]
  /// Scans of which nothing is owed, oldest first.
  private var repeatable: [ScanID] = []

  /// - Parameter fleet: its name.
  init(fleet: String) {
    server = Self.server(of: fleet)
    places = Array(repeating: [], count: Self.slots)
  }

  /// Under which server rows lie; no ticket system's address looks like that.
  static func server(of fleet: String) -> String { "\(ClaimKeeper.serverPrefix)\(fleet)" }

  subscript(scan: ScanID) -> ClaimRow? { rows[scan] }

  private func place(of scan: ScanID) -> Int { Int(scan.bytes.first ?? 0) % Self.slots }

  private func key(_ place: Int) -> LedgerKey {
    LedgerKey(server: server, kind: .entry, bytes: [0] + Array("claims \(place)".utf8))
  }

  /// Where a watch has come to.
  var cursorKey: LedgerKey { LedgerKey(server: server, kind: .entry, bytes: [0] + Array("watched".utf8)) }

  /// Whom the fleet was told of.
  private var countKey: LedgerKey { LedgerKey(server: server, kind: .entry, bytes: [0] + Array("counted".utf8)) }

  /// Takes what an earlier process has left.
  /// - Throws: where that cannot be read: what is not known is not taken for nothing.
  nonisolated(nonsending) mutating func recall(
    from book: any AttemptBook, until end: MonotonicTime
  ) async throws(JournalFault) -> (cursor: ClaimRevision, count: StationWord.Count?) {
    let keys = places.indices.map(key)
    let found = try await book.recall(keys + [cursorKey, countKey], until: end)
    do throws(WireError) {
      for bytes in keys.lazy.compactMap({ found[$0] }) {
        var reader = WireReader(bytes)
        let version: UInt8 = try reader.take()
        guard version == Self.version else { throw WireError("they are of version \(version)") }
        for row in try reader.takeList(
          limit: Int(UInt16.max), { (reader) throws(WireError) in try ClaimRow(&reader) })
        {
          add(row)
        }
        try reader.end()
      }
      repeatable = rows.values.filter { $0.conclusion != nil && $0.owed.isEmpty }.map(\.intent.scan)
      var count: StationWord.Count?
      if let bytes = found[countKey] {
        var reader = WireReader(bytes)
        count = StationWord.Count(admitted: try reader.take(), left: try reader.take())
      }
      guard let bytes = found[cursorKey] else { return (.none, count) }
      var reader = WireReader(bytes)
      return (ClaimRevision(try reader.take()), count)
    } catch {
      throw JournalFault(
        .damaged,
        "What the journal has of this station's claims cannot be read (\(error.description)). See: scangate journal verify"
      )
    }
  }

  private mutating func add(_ row: ClaimRow) {
    let scan = row.intent.scan
    rows[scan] = row
    places[place(of: scan)].insert(scan)
  }

  /// Takes a row as it is now, or forgets it where nothing of it is to be remembered.
  /// - Returns: what the journal has to remember by it.
  mutating func set(_ row: ClaimRow) -> [LedgerKey: [UInt8]?] {
    let scan = row.intent.scan
    if row.isOver { return remove([scan]) }
    let wasRepeatable = rows[scan].map { $0.conclusion != nil && $0.owed.isEmpty } ?? false
    add(row)
    var changed: Set<Int> = [place(of: scan)]
    if wasRepeatable, !row.owed.isEmpty { repeatable.removeAll { $0 == scan } }
    if row.conclusion != nil, row.owed.isEmpty, !wasRepeatable {
      repeatable.append(scan)
      if repeatable.count > Self.mostRepeatable {
        let oldest = repeatable.removeFirst()
        drop(oldest)
        changed.insert(place(of: oldest))
      }
    }
    return memory(changed)
  }

  /// Forgets rows.
  mutating func remove(_ scans: some Sequence<ScanID>) -> [LedgerKey: [UInt8]?] {
    var changed: Set<Int> = []
    for scan in scans where rows[scan] != nil {
      drop(scan)
      repeatable.removeAll { $0 == scan }
      changed.insert(place(of: scan))
    }
    return memory(changed)
  }

  private mutating func drop(_ scan: ScanID) {
    rows[scan] = nil
    places[place(of: scan)].remove(scan)
  }

  /// Everything, for a journal that has lost it.
  var memory: [LedgerKey: [UInt8]?] { memory(Set(places.indices.filter { !places[$0].isEmpty })) }

  private func memory(_ changed: Set<Int>) -> [LedgerKey: [UInt8]?] {
    var memory: [LedgerKey: [UInt8]?] = [:]
    for place in changed {
      let rows = places[place].compactMap { self.rows[$0] }
      guard !rows.isEmpty else {
        memory[key(place)] = .some(nil)
        continue
      }
      var writer = WireWriter()
      writer.put(Self.version)
      writer.putList(rows) { $1.put(into: &$0) }
      memory[key(place)] = .some(writer.bytes)
    }
    return memory
  }

  /// A cursor in the journal's form.
  func memory(of cursor: ClaimRevision) -> [LedgerKey: [UInt8]?] {
    var writer = WireWriter()
    writer.put(cursor.number)
    return [cursorKey: writer.bytes]
  }

  /// A count in the journal's form.
  func memory(of count: StationWord.Count) -> [LedgerKey: [UInt8]?] {
    var writer = WireWriter()
    writer.put(count.admitted, count.left)
    return [countKey: writer.bytes]
  }

  /// Scans that a later one on these keys may take the place of.
  func repeats(of keys: [ClaimKey], except running: (ScanID) -> Bool) -> Set<ScanID> {
    Set(
      rows.values.filter { row in
        row.mayBeRepeated && !running(row.intent.scan)
          && (row.intent.keys.contains { keys.contains($0) }
            || row.conclusion?.debts.contains { keys.contains($0.key) } == true)
      }.map(\.intent.scan))
  }
}
