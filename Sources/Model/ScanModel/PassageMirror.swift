/// The port to a log that a ticket system keeps of who came and went, beside its own record of admissions. It admits nobody, and
/// nobody waits for it.
package protocol PassageMirror: Sendable {
  /// Whether the log has a place for it: under an event that the ticket system can name. Pure, and never a request.
  func takes(_ passage: MirroredPassage) -> Bool

  /// How long it is until its part of the budget allows another request; `nil` where it does now.
  func wait() -> Duration?

  /// Tells of a passage, within the part of the budget that everybody else leaves. Sent once at most: what was sent is never sent
  /// again, whatever came back.
  func tell(_ passage: MirroredPassage) async -> MirrorAnswer
}

/// Somebody who went through a gate, as a log is told of it. It has no code and nothing that opens a gate.
package struct MirroredPassage: Sendable, Equatable {
  /// The station's name.
  package var station: String
  /// The gate.
  package var gate: GateID
  /// The scan: unique for ever.
  package var scan: ScanID
  /// Whether they went out.
  package var isExit: Bool
  /// The event, as the ticket system calls it.
  package var event: String?
  /// The ticket's holder.
  package var holder: String?
  /// When; `nil` where no clock tells.
  package var at: WallTime?
  /// Whether they were admitted without the ticket system's word.
  package var isProvisional: Bool

  package init(
    station: String, gate: GateID, scan: ScanID, isExit: Bool = false, event: String? = nil, holder: String? = nil,
    at: WallTime? = nil, isProvisional: Bool = false
  ) {
    self.station = station
    self.gate = gate
    self.scan = scan
    self.isExit = isExit
    self.event = event
    self.holder = holder
    self.at = at
    self.isProvisional = isProvisional
  }
}

/// What became of a passage that a log was told of. The words say what happened, to which host, and what to do.
package enum MirrorAnswer: Sendable, Equatable {
  /// It is in the log.
  case taken
  /// It is not, and never will be: the ticket system does not take this one. Others it may.
  case refused(String)
  /// It is not, and may be told of again, after so long where that is known. Without words nothing is wrong: its turn has not come.
  case unsent(String?, retryAfter: Duration?)
  /// Whether it is there nobody knows, nor ever will.
  case lost(String)
  /// There is no such log, or not for our key: nothing more is to be told. Whether that is the ticket system's own refusal of this
  /// one, after which it is not there; else nobody knows.
  case off(String, isRefusal: Bool)
}
