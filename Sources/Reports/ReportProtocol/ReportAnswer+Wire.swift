internal import ScanModel
package import WireCoding

extension ReportAnswer {
  /// The packet. Rows beyond `ReportLimits.rowsOfPacket`, and bytes beyond `ReportLimits.maximumPiece`, are not in it.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .welcome(let version): writer.put(1 as UInt8, version)
    case .refused(let words):
      // The layout of this one stays for ever, too.
      writer.put(2 as UInt8)
      writer.put(words, limit: ReportLimits.maximumWords)
    case .waiting(let ahead): writer.put(3 as UInt8, ahead)
    case .progress(let scans): writer.put(4 as UInt8, scans)
    case .file(let head): writer.put(5 as UInt8, head.byteCount, head.scans, head.pages)
    case .piece(let bytes):
      writer.put(6 as UInt8)
      writer.put(bytes: bytes.prefix(ReportLimits.maximumPiece))
    case .rows(let rows):
      writer.put(7 as UInt8)
      writer.putList(rows.prefix(ReportLimits.rowsOfPacket)) { $0.put($1) }
    case .end(let next):
      writer.put(8 as UInt8)
      writer.putOptional(next) { $0.put($1) }
    case .failed(let fault):
      writer.put(9 as UInt8, fault.kind.rawValue)
      writer.put(fault.description, limit: ReportLimits.maximumWords)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Collection<UInt8>) throws(WireError) {
    guard bytes.count <= ReportLimits.maximumPacket else { throw WireError("a packet of \(bytes.count) bytes") }
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1: self = .welcome(version: try reader.take())
    case 2: self = .refused(try reader.takeText(limit: ReportLimits.maximumWords))
    case 3: self = .waiting(ahead: try reader.take())
    case 4: self = .progress(scans: try reader.take())
    case 5:
      let head = ReportFileHead(
        byteCount: try reader.take(), scans: try reader.take(), pages: try reader.take())
      guard head.byteCount <= ReportLimits.maximumFile else { throw WireError("a report of \(head.byteCount) bytes") }
      self = .file(head)
    case 6: self = .piece(try reader.takeBytes(limit: ReportLimits.maximumPiece))
    case 7:
      self = .rows(
        try reader.takeList(limit: ReportLimits.rowsOfPacket) { (reader) throws(WireError) in try reader.takeLine() })
    case 8: self = .end(next: try reader.takeOptional { (reader) throws(WireError) in try reader.take(Int64.self) })
    case 9:
      guard let kind = ReportFault.Kind(rawValue: try reader.take()) else { throw WireError("an unknown fault") }
      self = .failed(ReportFault(kind, try reader.takeText(limit: ReportLimits.maximumWords)))
    case let type: throw WireError("an answer of unknown type \(type)")
    }
    try reader.end()
  }
}

extension WireWriter {
  fileprivate mutating func put(_ line: JournalLine) {
    put(line.place)
    putOptional(line.id) { $0.put(bytes: $1.bytes) }
    put(line.gate.name, line.reader.name)
    put(line.at.nanoseconds, line.isTrusted)
    put(line.decidedIn)
    put(line.verdict, line.reason, line.decider, line.note, line.event)
    put(line.isAnnulled, line.outputFault)
  }
}

extension WireReader {
  fileprivate mutating func takeLine() throws(WireError) -> JournalLine {
    let place = try take(Int64.self)
    let id = try takeOptional { (reader) throws(WireError) in
      guard let id = ScanID(bytes: try reader.takeBytes(limit: 16)) else { throw WireError("a scan's id is none") }
      return id
    }
    return JournalLine(
      place: place, id: id, gate: GateID(try takeText()), reader: ReaderID(try takeText()),
      at: WallTime(nanoseconds: try take()), isTrusted: try takeFlag(), decidedIn: try takeDuration(),
      verdict: try takeText(), reason: try takeText(), decider: try takeText(), note: try takeText(),
      event: try takeText(), isAnnulled: try takeFlag(), outputFault: try takeText())
  }
}
