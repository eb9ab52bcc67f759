internal import FleetBook
internal import ScanModel
internal import WireCoding

/// The rows of a station's claims, and where its journal has them: with what its ledgers remember, in so many places that a change writes
/// few rows again.
///
/// In which order they are to be told lies beside each place, under a key of its own: who does not know of it tells them in any order, and a
/// station can go back to an earlier version while an event lasts.
struct ClaimRows {
  /// So many places there are. Never another number: rows of another one would not be found.
  private static let slots = 256
  /// The version of a place.
  private static let version: UInt8 = 1
  /// The version of a place's order.
  private static let orderVersion: UInt8 = 1
  /// So many rows are kept only because a later scan may take their place; of more the oldest is forgotten, and staff decide.
  static let mostRepeatable = 2_048

  private let server: String
  private(set) var rows: [ScanID: ClaimRow] = [:]
  private var places: [Set<ScanID>]
  /// What the journal has of the order of each place.
  private var orders: [[UInt8]]
  /// The last row in the order.
  private var last: UInt64 = 0
  /// Scans of which nothing is owed, oldest first.
  private var repeatable: [ScanID] = []

  /// - Parameter fleet: its name.
  init(fleet: String) {
    server = Self.server(of: fleet)
    places = Array(repeating: [], count: Self.slots)
    orders = Array(repeating: [], count: Self.slots)
  }

  /// Under which server rows lie; no ticket system's address looks like that.
  static func server(of fleet: String) -> String { "\(ClaimKeeper.serverPrefix)\(fleet)" }

  subscript(scan: ScanID) -> ClaimRow? { rows[scan] }

  private func place(of scan: ScanID) -> Int { Int(scan.bytes.first ?? 0) % Self.slots }

  private func key(_ place: Int) -> LedgerKey {
    LedgerKey(server: server, kind: .entry, bytes: [0] + Array("claims \(place)".utf8))
  }

  private func orderKey(_ place: Int) -> LedgerKey {
    LedgerKey(server: server, kind: .entry, bytes: [0] + Array("claims order \(place)".utf8))
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
    let found = try await book.recall(keys + places.indices.map(orderKey) + [cursorKey, countKey], until: end)
    do throws(WireError) {
      var order: [ScanID: UInt64] = [:]
      for place in places.indices {
        guard let bytes = found[orderKey(place)] else { continue }
        orders[place] = bytes
        order.merge(try Self.order(bytes)) { $1 }
      }
      last = order.values.max() ?? 0
      for bytes in keys.lazy.compactMap({ found[$0] }) {
        var reader = WireReader(bytes)
        let version: UInt8 = try reader.take()
        guard version == Self.version else { throw WireError("they are of version \(version)") }
        for var row in try reader.takeList(
          limit: Int(UInt16.max), { (reader) throws(WireError) in try ClaimRow(&reader) })
        {
          row.order = order[row.intent.scan] ?? 0
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

  /// That of a later version is none to this one.
  private static func order(_ bytes: [UInt8]) throws(WireError) -> [ScanID: UInt64] {
    var reader = WireReader(bytes)
    guard try reader.take(UInt8.self) == orderVersion else { return [:] }
    let pairs = try reader.takeList(limit: Int(UInt16.max)) { (reader) throws(WireError) in
      (try reader.takeScan(), try reader.take(UInt64.self))
    }
    try reader.end()
    return Dictionary(pairs) { $1 }
  }

  private mutating func add(_ row: ClaimRow) {
    let scan = row.intent.scan
    rows[scan] = row
    places[place(of: scan)].insert(scan)
  }

  /// Takes a row as it is now, or forgets it where nothing of it is to be remembered.
  /// - Returns: what the journal has to remember by it.
  mutating func set(_ row: ClaimRow) -> [LedgerKey: [UInt8]?] {
    var row = row
    let scan = row.intent.scan
    if row.isOver { return remove([scan]) }
    row.order = max(row.order, rows[scan]?.order ?? 0)
    if row.order == 0, !row.owed.isEmpty {
      last = last == .max ? .max : last + 1
      row.order = last
    }
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

  /// What is owed, in the order in which it is to be told: first what an earlier version has written, who was let in before who has left.
  var owed: [ClaimDebt] {
    let rows = rows.values.sorted { ($0.order, $0.intent.scan.description) < ($1.order, $1.intent.scan.description) }
    let former = rows.prefix { $0.order == 0 }.flatMap(\.owed)
    return former.filter { !$0.isExit } + former.filter(\.isExit) + rows.drop { $0.order == 0 }.flatMap(\.owed)
  }

  /// Everything, for a journal that has lost it.
  mutating func memory() -> [LedgerKey: [UInt8]?] {
    orders = Array(repeating: [], count: Self.slots)
    return memory(Set(places.indices.filter { !places[$0].isEmpty }))
  }

  private mutating func memory(_ changed: Set<Int>) -> [LedgerKey: [UInt8]?] {
    var memory: [LedgerKey: [UInt8]?] = [:]
    for place in changed {
      let rows = places[place].compactMap { self.rows[$0] }
      let order = Self.order(of: rows)
      if order != orders[place] {
        orders[place] = order
        memory[orderKey(place)] = .some(order.isEmpty ? nil : order)
      }
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

  private static func order(of rows: [ClaimRow]) -> [UInt8] {
    let ordered = rows.filter { $0.order > 0 }.sorted { $0.order < $1.order }
    guard !ordered.isEmpty else { return [] }
    var writer = WireWriter()
    writer.put(orderVersion)
    writer.putList(ordered) { writer, row in
      writer.put(scan: row.intent.scan)
      writer.put(row.order)
    }
    return writer.bytes
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

extension ClaimDebt {
  fileprivate var isExit: Bool { if case .left = goal { true } else { false } }
}
