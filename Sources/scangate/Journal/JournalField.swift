import WireText
import Gateway
import Journal
import ScanModel

/// A value of a scan or a request as JSON and CSV have it: one list for both, so that they tell the same.
struct JournalField {
  enum Value {
    case text(String?)
    case number(Int64)
    case milliseconds(Duration)
    case truth(Bool)
  }

  let name: String
  let value: Value

  init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }
}

extension JSONText {
  /// An object of these fields.
  init(_ fields: [JournalField]) {
    self.init()
    for field in fields {
      switch field.value {
      case .text(let text): add(field.name, text)
      case .number(let number): add(field.name, number)
      case .milliseconds(let duration): add(milliseconds: field.name, duration)
      case .truth(let truth): add(field.name, truth)
      }
    }
  }
}

extension JournalRow {
  /// What is told of a scan, in order; what events have too is named as there.
  /// - Parameters:
  ///   - wholeCodes: whether the code is told as it is, or its last characters.
  ///   - outbox: provisional admissions that wait or are conflicts, by their scans.
  static func columns(
    wholeCodes: Bool, outbox: [ScanID: JournalOwed] = [:]
  ) -> [(name: String, value: (JournalRow) -> JournalField.Value)] {
    func owed(_ row: JournalRow) -> JournalOwed? { row.id.flatMap { outbox[$0] } }
    return [
      ("id", { .text($0.id?.description) }),
      ("gate", { .text($0.gate.name) }),
      ("reader", { .text($0.reader.name) }),
      ("code", { .text(wholeCodes ? $0.code?.text : $0.code?.shortened) }),
      ("symbology", { .text($0.symbology?.description) }),
      ("verdict", { .text($0.verdict) }),
      ("reason", { .text($0.reason) }),
      ("decided_by", { .text($0.decider) }),
      ("note", { .text($0.note) }),
      ("detail", { .text($0.detail) }),
      ("ticket_system", { .text($0.system.name) }),
      ("entry", { .text($0.entryID) }),
      ("admitted", { .number(Int64($0.admitted)) }),
      ("allowance", { $0.allowance == Entitlement.unlimited ? .text(nil) : .number(Int64($0.allowance)) }),
      ("first_used_at", { .text($0.firstUse?.at.iso8601) }),
      ("first_used_gate", { .text($0.firstUse?.gate?.name) }),
      ("first_used_request", { .text($0.firstUse?.request?.description) }),
      ("output_fault", { .text($0.outputFault) }),
      ("read_at", { .text(($0.at.wall - ($0.at.monotonic - $0.readAt)).iso8601) }),
      ("decided_at", { .text($0.at.wall.iso8601) }),
      ("clock_trusted", { .truth($0.at.isTrusted) }),
      ("decided_ms", { .milliseconds($0.decidedIn) }),
      ("boot", { .text($0.boot.description) }),
      ("outbox", { .text(owed($0)?.state) }),
      ("outbox_reason", { .text(owed($0)?.ending?.reason) }),
      ("outbox_said", { .text(owed($0)?.ending?.said) }),
      // What came later stands last, for those who read by place.
      ("event_id", { .text($0.eventID) }),
      ("event", { .text($0.event) }),
      ("annulled_at", { .text($0.annulledAt?.iso8601) }),
    ]
  }

  /// The scan's values, with the code shortened.
  func fields(outbox: [ScanID: JournalOwed] = [:]) -> [JournalField] {
    Self.columns(wholeCodes: false, outbox: outbox).map { JournalField($0.name, $0.value(self)) }
  }
}

extension JournalFlood {
  /// What is told of scans that were only counted.
  var fields: [JournalField] {
    [
      JournalField("gate", .text(flood.gate.name)),
      JournalField("refused", .number(Int64(flood.refused))),
      JournalField("undecided", .number(Int64(flood.undecided))),
      JournalField("from", .text(flood.began.iso8601)),
      JournalField("until", .text(flood.at.wall.iso8601)),
      JournalField("clock_trusted", .truth(flood.at.isTrusted)),
      JournalField("boot", .text(boot.description)),
    ]
  }
}

extension JournalAttempt {
  /// The request's fields, without what became of it.
  var fields: [JournalField] {
    [
      JournalField("id", .text(id.description)),
      JournalField("scan", .text(scan.description)),
      JournalField("gate", .text(gate.name)),
      JournalField("code", .text(code?.shortened)),
      JournalField("ticket_system", .text(system.name)),
      JournalField("server", .text(server)),
      JournalField("asked_at", .text(at.wall.iso8601)),
      JournalField("clock_trusted", .truth(at.isTrusted)),
      JournalField("boot", .text(boot.description)),
    ]
  }

  /// The request with what became of it, as JSON.
  var json: JSONText {
    var line = JSONText(fields)
    line.add("conclusions", objects: conclusions.map { JSONText($0.fields).text })
    return line
  }
}

extension JournalAttempt.Conclusion {
  fileprivate var fields: [JournalField] {
    [
      JournalField("fate", .text(fate)),
      JournalField("late", .truth(isLate)),
      JournalField("may_have_redeemed", .truth(mayHaveRedeemed)),
      JournalField("verdict", .text(verdict)),
      JournalField("reason", .text(reason)),
      JournalField("entry", .text(entryID)),
      JournalField("recorded_at", .text(recordedAt?.iso8601)),
      JournalField("said", .text(said)),
      JournalField("at", .text(at.wall.iso8601)),
      JournalField("clock_trusted", .truth(at.isTrusted)),
    ]
  }
}
