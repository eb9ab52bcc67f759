internal import Calls
internal import WireText
package import ScanModel
internal import TicketTransport

/// The log of check-ins (`POST /api/checkins`) as a mirror of who came and went. The server keeps names there, and believes whatever it
/// is told: no ticket is used by it, and nobody admitted.
package struct EventScheduleMirror: PassageMirror {
  /// How long one request may take: nobody waits, and what has had no answer by then is lost.
  private static let patience = Duration.seconds(30)
  /// The longest name that servers take, in characters.
  private static let longestName = 255
  /// Who has no name.
  private static let nobody = "-"

  private let client: EventScheduleClient
  private let time: any TimeSource

  /// Makes the mirror of a client, of whose budget it takes a third at most; asks nothing yet.
  package init(client: EventScheduleClient, time: any TimeSource = SystemTime()) {
    self.client = client
    self.time = time
  }

  package func takes(_ passage: MirroredPassage) -> Bool { Self.event(of: passage) != nil }

  package func wait() -> Duration? { client.waitForCheckIns() }

  package func tell(_ passage: MirroredPassage) async -> MirrorAnswer {
    guard let event = Self.event(of: passage) else {
      return .refused("\(client.host) takes check-ins by an event's number, and none is known.")
    }
    let body = Self.body(of: passage, event)
    let outcome = await client.addCheckIn(body, deadline: time.now() + Self.patience)
    switch outcome.result {
    case .notSent(let fault):
      let isTurn = fault.reason == .rateLimited
      return .unsent(isTurn ? nil : fault.detail, retryAfter: fault.retryAfter)
    case .pending: return .lost("\(client.host) did not answer in time; \(Self.whenLost).")
    case .lost(let fault): return .lost(fault.detail)
    case .answered(let answer):
      return MirrorAnswer(answer, host: client.host, hiding: client.redactions(), words: client.words)
    }
  }

  /// What the server may have done where its answer is lost.
  static let whenLost = "the check-in may be in its log"

  /// Servers take the number alone, however they tell it themselves.
  private static func event(of passage: MirroredPassage) -> Int64? { passage.event.flatMap { EventID($0).number } }

  /// The members that real servers keep come first; the others are the document's, and dropped by those that do not know them. So the
  /// notes say what must not be lost.
  private static func body(of passage: MirroredPassage, _ event: Int64) -> [UInt8] {
    var notes = "station=\(passage.station);gate=\(passage.gate);scan=\(passage.scan)"
    if passage.isExit { notes += ";action=checkout" }
    if passage.isProvisional { notes += ";offline=yes" }
    var body = JSONText.object()
    body.add("event_id", event)
    body.add("attendee_name", name(passage.holder))
    body.add("notes", notes)
    body.add("gate_id", passage.gate.name)
    body.add("device_id", passage.station)
    body.add("action", passage.isExit ? "checkout" : "checkin")
    if let at = passage.at { body.add("ts", at.iso8601Seconds) }
    body.add("idempotency_key", passage.scan.description)
    if passage.isProvisional { body.add("is_offline", true) }
    return body.bytes
  }

  private static func name(_ holder: String?) -> String {
    guard let holder, holder.contains(where: { !$0.isWhitespace }) else { return nobody }
    return String(String.UnicodeScalarView(holder.unicodeScalars.prefix(longestName)))
  }
}

extension EventScheduleClient {
  /// How long it is until there is a place in the budget for a check-in; `nil` where there is one.
  func waitForCheckIns() -> Duration? { metered.wait(.spare) }

  /// Writes a name into the log of check-ins, once at most. Nobody waits for it: it takes a third of the budget, and leaves that to
  /// whoever else asks.
  func addCheckIn(_ body: [UInt8], deadline: MonotonicTime) async -> HTTPOutcome {
    var call = call(.post, "/checkins", body: body)
    call.whenLost = EventScheduleMirror.whenLost
    return await metered.perform(call, .spare, deadline: deadline)
  }
}
