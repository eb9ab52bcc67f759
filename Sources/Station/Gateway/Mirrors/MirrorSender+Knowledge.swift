internal import ScanModel

/// What is known of somebody who has passed.
extension MirrorSender {
  /// Whether it is too long ago to be told of; no clock may tell yet.
  enum Age { case recent, old, doubtful }

  /// How long ago it was.
  func age(of passage: JournaledPassage) -> Age {
    let now = now
    if passage.boot == dependencies.boot {
      return now.monotonic - passage.at.monotonic <= Self.recent ? .recent : .old
    }
    guard passage.at.isTrusted else { return .old }
    // A machine without a battery clock knows in a moment.
    guard now.isTrusted else { return now.monotonic - began < Self.longestDoubt ? .doubtful : .old }
    return now.wall - passage.at.wall <= Self.recent ? .recent : .old
  }

  /// When it was, by a clock that is believed.
  private func time(of passage: JournaledPassage) -> WallTime? {
    if passage.at.isTrusted { return passage.at.wall }
    let now = now
    guard now.isTrusted, passage.boot == dependencies.boot else { return nil }
    return now.wall - (now.monotonic - passage.at.monotonic)
  }

  /// What the scan itself does not tell, as far as the ticket system has told it since or before: what was admitted offline was told
  /// to it, and who leaves was admitted once.
  /// - Returns: whether the event is the ticket system's own word, too; what a presented code says anybody can have printed.
  func completed(
    _ passage: JournaledPassage
  ) async throws(JournalFault) -> (passage: MirroredPassage, isProven: Bool) {
    var known = MirroredPassage(
      station: station, gate: passage.gate, scan: passage.scan, isExit: passage.isExit, event: passage.eventID,
      holder: passage.holder, at: time(of: passage), isProvisional: passage.isProvisional)
    if passage.decider == .server { return (known, true) }
    var isProven = false
    if let ticket = passage.ticket, let details = await keeper.details(of: ticket) {
      if let event = details.eventID { (known.event, isProven) = (event, true) }
      known.holder = known.holder ?? details.holder
    }
    let wantsEarlier = known.event == nil || passage.isExit && !(isProven && known.holder != nil)
    guard wantsEarlier, let earlier = try await journal.admission(before: passage) else { return (known, isProven) }
    if !isProven, let event = earlier.eventID { (known.event, isProven) = (event, earlier.decider == .server) }
    known.holder = known.holder ?? earlier.holder
    return (known, isProven)
  }
}

extension JournaledPassage {
  /// Whether somebody was admitted without the ticket system's word.
  fileprivate var isProvisional: Bool { decider == .list || decider == .policy }
}
