package import FleetBook
package import ScanModel
internal import WireText

/// What the servers have of an event's book, for whoever closes it.
package struct EventBook: Sendable, Equatable {
  /// Whether nothing can be written any more.
  package var isClosed: Bool
  /// Whether the fleet's key that we have is this event's.
  package var isOwn: Bool
  /// How many claims it has, and how many bytes they are.
  package var claims: Int64
  package var bytes: Int64
  /// How long ago the last one was written, by the leader's clock; `nil` where none was, or that is not told.
  package var age: Duration?

  package init(isClosed: Bool, isOwn: Bool, claims: Int64, bytes: Int64, age: Duration?) {
    self.isClosed = isClosed
    self.isOwn = isOwn
    self.claims = claims
    self.bytes = bytes
    self.age = age
  }

  /// Reads what the leader tells of the stream; `nil` where that is no fleet's.
  init?(_ json: JSONValue, _ settings: JetStreamSettings) {
    guard let config = json["config"], let state = json["state"],
      let mark = config["metadata"]?[StreamRules.markName]?.string
    else { return nil }
    isClosed = config["sealed"] == .bool(true)
    isOwn = mark == settings.mark
    claims = state["num_subjects"]?.integer ?? 0
    bytes = state["bytes"]?.integer ?? 0
    guard claims > 0, let last = state["last_ts"]?.string.flatMap(ClaimAnswer.time),
      let now = json["ts"]?.string.flatMap(ClaimAnswer.time)
    else { return }
    age = max(.zero, now - last)
  }
}

/// The end of an event's book. Only who administers the servers may do any of it.
///
/// ```
///   open ── close: sealed, for ever ──▶ closed: can be read, never written ── remove ──▶ none
/// ```
/// A stream that is sealed is never opened again, by nobody. So it is the servers that refuse, whatever a station believes.
extension JetStreamClaimStore {
  /// What there is; `nil` where there is no such book.
  package func eventBook(until end: MonotonicTime) async throws(ClaimFault) -> EventBook? {
    guard let json = try await told(until: end) else { return nil }
    guard let book = EventBook(json, link.settings) else { throw noBook }
    return book
  }

  /// Closes it; one that is closed stays so. Comes back once the leader tells that it is.
  package func closeBook(until end: MonotonicTime) async throws(ClaimFault) {
    try await bring(until: end, "closed", isDone: { $0?["config"]?["sealed"] == .bool(true) }) {
      json throws(ClaimFault) in
      guard let json, EventBook(json, link.settings) != nil, case .object(var config)? = json["config"] else {
        throw noBook
      }
      config["sealed"] = .bool(true)
      return NATSRequest(
        subject: "$JS.API.STREAM.UPDATE.\(link.settings.stream)", data: [UInt8](JSONValue.object(config).text.utf8))
    }
  }

  /// Deletes a closed one, with all that it has. One that is open is none to delete.
  package func removeBook(until end: MonotonicTime) async throws(ClaimFault) {
    try await bring(until: end, "removed", isDone: { $0 == nil }) { json throws(ClaimFault) in
      guard let json, let book = EventBook(json, link.settings) else { throw noBook }
      guard book.isClosed else {
        throw .refused("The book of \(link.settings.bucket) is open: close it first, by scangate fleet close.")
      }
      return NATSRequest(subject: "$JS.API.STREAM.DELETE.\(link.settings.stream)")
    }
  }

  var noBook: ClaimFault { .otherVersion("The servers have no fleet's book \(link.settings.bucket).") }

  /// Asks for it until it is seen to be done: an answer may be lost, and a leader be replaced.
  func bring(
    until end: MonotonicTime, _ what: String, isDone: (JSONValue?) -> Bool,
    _ request: (JSONValue?) throws(ClaimFault) -> NATSRequest
  ) async throws(ClaimFault) {
    while true {
      let json = try await told(until: end)
      if isDone(json) { return }
      let answer = await link.ask(try request(json), until: min(end, link.time.now() + .seconds(5)))
      if case .answered(let messages) = answer, let data = messages.first?.data, let json = try? JSONValue(data),
        let error = json["error"]
      {
        let (number, words) = (error["err_code"]?.integer ?? 0, error["description"]?.string ?? "")
        // No leader yet, or it is gone meanwhile.
        guard [10_005, 10_008, 10_009, 10_059].contains(number) else {
          throw .refused(
            "The book of \(link.settings.bucket) is not \(what) (\(number), \(TerminalText.clean(words))).")
        }
      }
      guard link.time.now() < end else { throw .noQuorum }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  /// What the leader tells of the stream; `nil` where it knows of none.
  func told(until end: MonotonicTime) async throws(ClaimFault) -> JSONValue? {
    while true {
      let answer = await link.ask(
        NATSRequest(subject: "$JS.API.STREAM.INFO.\(link.settings.stream)"),
        until: min(end, link.time.now() + JetStreamLimits.telling))
      if case .answered(let messages) = answer, let data = messages.first?.data, let json = try? JSONValue(data) {
        if json["config"] != nil { return json }
        if json["error"]?["err_code"]?.integer == 10_059 { return nil }
      }
      guard link.time.now() < end else { throw .noQuorum }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }
}

extension JSONValue {
  /// The document as it would be sent.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let truth): truth ? "true" : "false"
    case .number(let text): text
    case .string(let text): JSONText.string(text)
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { JSONText.string($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }
}
