import Journal
import ScanModel

extension JournalOwed {
  /// `waiting`, or how it ended.
  var state: String { ending?.name ?? "waiting" }

  /// What is told of a provisional admission, in order; what scans have too is named as there.
  /// - Parameter wholeCodes: whether the code is told as it is, or its last characters.
  static func columns(wholeCodes: Bool) -> [(name: String, value: (JournalOwed) -> JournalField.Value)] {
    [
      ("id", { .text($0.attempt.description) }),
      ("scan", { .text($0.scan.description) }),
      ("gate", { .text($0.gate.name) }),
      ("code", { .text(wholeCodes ? $0.code?.text : $0.code?.shortened) }),
      ("ticket_system", { .text($0.system.name) }),
      ("server", { .text($0.server) }),
      ("decided_by", { .text($0.decider) }),
      ("may_be_told", { .truth($0.mayBeTold) }),
      ("admitted_at", { .text($0.at.wall.iso8601) }),
      ("clock_trusted", { .truth($0.at.isTrusted) }),
      ("boot", { .text($0.boot.description) }),
      ("state", { .text($0.state) }),
      ("reason", { .text($0.ending?.reason) }),
      ("said", { .text($0.ending?.said) }),
      ("entry", { .text($0.ending?.entryID) }),
      ("recorded_at", { .text($0.ending?.recordedAt?.iso8601) }),
      ("ended_at", { .text($0.ending?.at.wall.iso8601) }),
    ]
  }

  /// Its values.
  func fields(wholeCodes: Bool = false) -> [JournalField] {
    Self.columns(wholeCodes: wholeCodes).map { JournalField($0.name, $0.value(self)) }
  }
}

extension Journal.Reader {
  /// Provisional admissions that wait or are conflicts, by their scans.
  func outboxByScan() throws(JournalFault) -> [ScanID: JournalOwed] {
    Dictionary(try outbox(.all).map { ($0.scan, $0) }, uniquingKeysWith: { _, later in later })
  }
}
