package import FleetBook
package import ScanModel
internal import WireText

/// Lists of tickets in a stream of their own, beside the book, over the connection of the claims. A station may write below its own name alone.
///
/// What is wrong with it, or that servers have none, is no fault of the book's: nothing of a claim asks for it.
package struct JetStreamListStore: ListStore {
  private let link: JetStreamLink

  init(_ link: JetStreamLink) { self.link = link }

  package nonisolated(nonsending) func put(
    _ place: ListPlace, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault) {
    try link.check()
    let settings = link.settings
    let request = NATSRequest(
      subject: settings.listSubject(place), headers: [("Nats-Expected-Stream", settings.listStream)], data: value)
    do throws(ClaimFault) {
      _ = try ClaimAnswer.written(await link.ask(request, until: end)).get()
    } catch { throw judged(error) }
  }

  package nonisolated(nonsending) func get(
    _ place: ListPlace, until end: MonotonicTime
  ) async throws(ClaimFault) -> StoredListPart? {
    try link.check()
    let settings = link.settings
    let subject = settings.listSubject(place)
    let request = NATSRequest(
      subject: "$JS.API.STREAM.MSG.GET.\(settings.listStream)", data: JSONText.object(("last_by_subj", subject)).bytes)
    do throws(ClaimFault) {
      guard let found = try ClaimAnswer.message(await link.ask(request, until: end), settings).get() else { return nil }
      guard found.subject == subject else { throw .lostAnswer }
      return StoredListPart(value: found.value, time: found.time)
    } catch { throw judged(error) }
  }

  package nonisolated(nonsending) func now(until end: MonotonicTime) async throws(ClaimFault) -> WallTime {
    try link.check()
    let request = NATSRequest(subject: "$JS.API.STREAM.INFO.\(link.settings.listStream)")
    guard case .answered(let messages) = await link.ask(request, until: end), let data = messages.first?.data,
      let now = (try? JSONValue(data))?["ts"]?.string.flatMap(ClaimAnswer.time)
    else { throw judged(.lostAnswer) }
    return now
  }

  /// Servers whose files were written before there were lists say nothing to whoever asks for what they do not allow.
  private func judged(_ fault: ClaimFault) -> ClaimFault {
    switch fault {
    case .otherVersion: .otherVersion(Self.none)
    case .lostAnswer, .noQuorum: link.refusesLists ? .otherVersion(Self.none) : fault
    default: fault
    }
  }

  private static let none =
    "The fleet's servers have no room for them: give each its files anew (install.sh), then: scangate fleet open"
}

extension JetStreamClaimStore {
  /// Where stations give each other lists of tickets.
  package var lists: JetStreamListStore { JetStreamListStore(link) }

  /// Makes the room for lists of tickets, where there is none. Only who administers the servers may.
  /// - Parameter bytes: what it may take on each server's disk; what is oldest goes then.
  package func makeListRoom(bytes: Int64, until end: MonotonicTime) async throws(ClaimFault) {
    let settings = link.settings
    var object = JSONText()
    object.add("name", settings.listStream)
    object.add("description", "lists of tickets of a fleet of scangate stations")
    object.add("subjects", texts: [settings.listSubjects])
    object.add("retention", "limits")
    object.add("storage", "file")
    object.add("discard", "old")
    object.add("max_msgs_per_subject", 1)
    object.add("max_msgs", -1)
    object.add("max_age", 0)
    object.add("max_consumers", -1)
    object.add("max_bytes", bytes)
    object.add("max_msg_size", StreamRules.longestMessage)
    object.add("num_replicas", Int64(settings.replicas))
    object.add("allow_direct", false)
    object.add("allow_rollup_hdrs", false)
    object.add("deny_delete", true)
    var metadata = JSONText()
    metadata.add(StreamRules.markName, settings.mark)
    object.add("metadata", object: metadata.text)
    do throws(ClaimFault) {
      try await administer("CREATE", object.text, isDone: [10_058], until: end)
    } catch {
      // Servers ask for room for one that is there once more before they say that it is.
      let found = await link.ask(
        NATSRequest(subject: "$JS.API.STREAM.INFO.\(settings.listStream)"),
        until: link.time.now() + JetStreamLimits.telling)
      if case .stream = StreamAnswer(found) { return }
      throw error
    }
  }

  /// Removes it with all that is in it; an event whose book is removed needs none.
  package func removeListRoom(until end: MonotonicTime) async throws(ClaimFault) {
    try await administer("DELETE", "", isDone: [10_059], until: end)
  }

  /// - Parameter isDone: errors that say that it is as it is to be.
  private func administer(
    _ verb: String, _ data: String, isDone: Set<Int64>, until end: MonotonicTime
  ) async throws(ClaimFault) {
    while true {
      let answer = await link.ask(
        NATSRequest(subject: "$JS.API.STREAM.\(verb).\(link.settings.listStream)", data: [UInt8](data.utf8)),
        until: min(end, link.time.now() + .seconds(5)))
      if case .answered(let messages) = answer, let data = messages.first?.data, let json = try? JSONValue(data) {
        guard let error = json["error"], let number = error["err_code"]?.integer else { return }
        if isDone.contains(number) { return }
        if ![10_005, 10_008, 10_009].contains(number) {
          throw .refused(TerminalText.clean("\(error["description"]?.string ?? "no words") (\(number))"))
        }
      }
      guard link.time.now() < end else { throw .noQuorum }
      try? await Task.sleep(for: .milliseconds(200))
    }
  }
}
