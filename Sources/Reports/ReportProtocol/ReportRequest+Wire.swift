internal import ScanModel
package import WireCoding

extension ReportRequest {
  /// The packet.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .hello(let version, let program):
      // The layout of this one stays for ever: it is how ends of different versions find out.
      writer.put(1 as UInt8, version, program)
    case .report(let question):
      writer.put(2 as UInt8, question.form.rawValue)
      writer.put(from: question.from, until: question.until)
      writer.putOptional(question.gate) { $0.put($1.name, limit: ReportLimits.maximumName) }
      writer.putOptional(question.event) { $0.put($1, limit: ReportLimits.maximumEvent) }
      writer.putOptional(question.zone) { $0.put($1, limit: ReportLimits.maximumName) }
      writer.putOptional(question.language) { $0.put($1, limit: ReportLimits.maximumName) }
    case .page(let question):
      writer.put(3 as UInt8, question.limit)
      writer.putOptional(question.before) { $0.put($1) }
      writer.put(from: question.from, until: question.until)
      writer.putOptional(question.gate) { $0.put($1.name, limit: ReportLimits.maximumName) }
      writer.putOptional(question.verdict) { $0.put($1, limit: ReportLimits.maximumName) }
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1:
      self = .hello(version: try reader.take(), program: try reader.takeText())
      // A later version may say more here.
      return
    case 2:
      guard let form = ReportQuestion.Form(rawValue: try reader.take()) else { throw WireError("an unknown form") }
      let (from, until) = (try reader.takeTime(), try reader.takeTime())
      self = .report(
        ReportQuestion(
          from: from, until: until, gate: try reader.takeName(ReportLimits.maximumName).map { GateID($0) },
          event: try reader.takeName(ReportLimits.maximumEvent), zone: try reader.takeName(ReportLimits.maximumName),
          form: form, language: try reader.takeName(ReportLimits.maximumName)))
    case 3:
      let limit = try reader.take(UInt16.self)
      let before = try reader.takeOptional { (reader) throws(WireError) in try reader.take(Int64.self) }
      let (from, until) = (try reader.takeTime(), try reader.takeTime())
      self = .page(
        JournalPageQuestion(
          before: before, limit: limit, gate: try reader.takeName(ReportLimits.maximumName).map { GateID($0) },
          verdict: try reader.takeName(ReportLimits.maximumName), from: from, until: until))
    case let type: throw WireError("a request of unknown type \(type)")
    }
    try reader.end()
  }
}

extension WireWriter {
  fileprivate mutating func put(from: WallTime?, until: WallTime?) {
    putOptional(from) { $0.put($1.nanoseconds) }
    putOptional(until) { $0.put($1.nanoseconds) }
  }
}

extension WireReader {
  fileprivate mutating func takeTime() throws(WireError) -> WallTime? {
    try takeOptional { (reader) throws(WireError) in WallTime(nanoseconds: try reader.take()) }
  }

  fileprivate mutating func takeName(_ limit: Int) throws(WireError) -> String? {
    try takeOptional { (reader) throws(WireError) in try reader.takeText(limit: limit) }
  }
}
