package import FleetBook
package import ScanModel
internal import WireCoding

/// What a station's journal has of one of its scans until the fleet was told all of it, and beyond that as long as the scan holds a place of
/// which nobody knows what it did.
package struct ClaimRow: Hashable, Sendable {
  /// What was to be done.
  package var intent: ClaimIntent
  /// What became of it; `nil` where nothing was concluded: then no gate has opened.
  package var conclusion: ClaimConclusion?
  /// Where the fleet was told.
  package var told: Set<ClaimKey> = []
  /// The admission as staff know it, for whoever has to name it.
  package var subject: ClaimSubject?
  /// Its place in the order in which the station's rows came to owe something; 0 of one that owes nothing yet, or that an earlier version has
  /// written. `ClaimRows` gives it and keeps it beside the row.
  package internal(set) var order: UInt64 = 0

  package init(_ intent: ClaimIntent, conclusion: ClaimConclusion? = nil, subject: ClaimSubject? = nil) {
    self.intent = intent
    self.conclusion = conclusion
    self.subject = subject
  }

  /// What is still to be told; of a row without a conclusion nothing, as long as its scan is being decided.
  package var owed: [ClaimDebt] { (conclusion?.debts ?? []).filter { !told.contains($0.key) } }

  /// Whether a later scan of the same ticket may take the places that this one has: no gate has opened on it, and its entry may be there.
  package var mayBeRepeated: Bool {
    guard let conclusion else { return true }
    guard !conclusion.isAdmission else { return false }
    return conclusion.debts.contains { $0.goal == .interrupted } || !intent.repeats.isEmpty && !conclusion.debts.isEmpty
  }

  /// Whether nothing of it is to be remembered.
  package var isOver: Bool { conclusion != nil && owed.isEmpty && !mayBeRepeated }

  /// Whether it is an admission without the fleet's word of which the fleet was not told.
  package var isUntoldAlone: Bool {
    conclusion?.isAdmission == true && intent.aloneSince != nil && !owed.isEmpty
  }
}

/// An admission as staff know it. Sealed with the journal; none of it is told to the fleet.
package struct ClaimSubject: Hashable, Sendable {
  /// The reader that read the code.
  package var reader: ReaderID
  /// The code, in the ticket system's own form.
  package var code: Code
  /// The gate's ticket system.
  package var system: TicketSystemID
  /// Its server, as in `LedgerKey.server`.
  package var server: String
  /// The ticket's key in the station's ledger.
  package var ticket: TicketKey
  /// When it was presented, by the civil clock.
  package var at: WallTime

  package init(
    reader: ReaderID, code: Code, system: TicketSystemID, server: String, ticket: TicketKey, at: WallTime
  ) {
    self.reader = reader
    self.code = code
    self.system = system
    self.server = server
    self.ticket = ticket
    self.at = at
  }
}

// MARK: In bytes

extension ClaimRow {
  /// So many keys a scan has at most: a ticket, a sale, and a line of it.
  private static let mostKeys = 16
  /// So many scans whose place one takes at most.
  private static let mostRepeats = 64

  func put(into writer: inout WireWriter) {
    writer.put(scan: intent.scan)
    writer.put(intent.gate.name, limit: ClaimSeal.longestGate)
    writer.putList(intent.keys.prefix(Self.mostKeys)) { $0.put($1.description) }
    writer.put(intent.redeems)
    writer.putList(intent.repeats.prefix(Self.mostRepeats)) { $0.put(scan: $1) }
    writer.putOptional(intent.aloneSince) { $0.put($1.nanoseconds) }
    writer.putOptional(conclusion) { writer, conclusion in
      writer.put(conclusion.isAdmission)
      writer.putList(conclusion.debts.prefix(Self.mostKeys)) { $1.put(into: &$0) }
    }
    writer.putList(told.prefix(Self.mostKeys)) { $0.put($1.description) }
    writer.putOptional(subject) { writer, subject in
      writer.put(subject.reader.name)
      writer.put(bytes: subject.code.bytes)
      writer.put(subject.system.name)
      writer.put(subject.server, limit: Self.longestServer)
      writer.put(bytes: subject.ticket.bytes)
      writer.put(subject.at.nanoseconds)
    }
  }

  /// The longest address of a server in bytes.
  private static let longestServer = 4_096

  init(_ reader: inout WireReader) throws(WireError) {
    let scan = try reader.takeScan()
    let gate = GateID(try reader.takeText(limit: ClaimSeal.longestGate))
    let keys = try reader.takeList(limit: Self.mostKeys) { (reader) throws(WireError) in try reader.takeClaimKey() }
    let redeems = try reader.takeFlag()
    let repeats = try reader.takeList(limit: Self.mostRepeats) { (reader) throws(WireError) in try reader.takeScan() }
    let since = try reader.takeOptional { (reader) throws(WireError) in WallTime(nanoseconds: try reader.take()) }
    intent = ClaimIntent(
      scan: scan, gate: gate, keys: keys, redeems: redeems, repeats: Set(repeats), aloneSince: since)
    conclusion = try reader.takeOptional { (reader) throws(WireError) in
      ClaimConclusion(
        scan: scan, isAdmission: try reader.takeFlag(),
        debts: try reader.takeList(limit: Self.mostKeys) { (reader) throws(WireError) in try ClaimDebt(&reader) })
    }
    told = Set(
      try reader.takeList(limit: Self.mostKeys) { (reader) throws(WireError) in try reader.takeClaimKey() })
    subject = try reader.takeOptional { (reader) throws(WireError) in
      ClaimSubject(
        reader: ReaderID(try reader.takeText()), code: Code(bytes: try reader.takeBytes(limit: Int(UInt16.max))),
        system: TicketSystemID(try reader.takeText()), server: try reader.takeText(limit: Self.longestServer),
        ticket: TicketKey(try reader.takeBytes(limit: Int(UInt16.max))), at: WallTime(nanoseconds: try reader.take()))
    }
  }
}

extension ClaimDebt {
  fileprivate func put(into writer: inout WireWriter) {
    writer.put(key.description)
    entry.put(into: &writer)
    switch goal {
    case .admitted: writer.put(1 as UInt8)
    case .released: writer.put(2 as UInt8)
    case .interrupted: writer.put(3 as UInt8)
    case .left(let exit, let target):
      writer.put(4 as UInt8)
      writer.put(scan: exit)
      writer.putOptional(target) { $0.put(scan: $1) }
    }
    switch rule {
    case .quantity(let told):
      writer.put(1 as UInt8)
      writer.putOptional(told) { $0.put($1) }
    case .interval(let interval):
      writer.put(2 as UInt8)
      writer.put(interval)
    case .atMost(let most):
      writer.put(3 as UInt8)
      writer.put(most)
    }
  }

  fileprivate init(_ reader: inout WireReader) throws(WireError) {
    let key = try reader.takeClaimKey()
    let entry = try ClaimEntry(&reader)
    let goal: Goal =
      switch try reader.take(UInt8.self) {
      case 1: .admitted
      case 2: .released
      case 3: .interrupted
      case 4:
        .left(
          by: try reader.takeScan(),
          of: try reader.takeOptional { (reader) throws(WireError) in try reader.takeScan() })
      case let other: throw WireError("\(other) is nothing that is told of a claim")
      }
    let rule: ClaimDemand.Rule =
      switch try reader.take(UInt8.self) {
      case 1: .quantity(try reader.takeOptional { (reader) throws(WireError) in try reader.take(UInt32.self) })
      case 2: .interval(try reader.takeDuration())
      case 3: .atMost(try reader.take())
      case let other: throw WireError("\(other) is no rule of a claim")
      }
    self.init(key, entry, goal, rule: rule)
  }
}

extension WireWriter {
  mutating func put(scan: ScanID) { for byte in scan.bytes { put(byte) } }
}

extension WireReader {
  mutating func takeScan() throws(WireError) -> ScanID {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(try take()) }
    guard let scan = ScanID(bytes: bytes) else { throw WireError("16 bytes are no scan") }
    return scan
  }

  mutating func takeClaimKey() throws(WireError) -> ClaimKey {
    guard let key = ClaimKey(try takeText()) else { throw WireError("a text is no claim's key") }
    return key
  }
}
