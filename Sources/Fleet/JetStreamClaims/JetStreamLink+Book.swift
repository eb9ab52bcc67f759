internal import FleetBook
internal import ScanModel
internal import Synchronization
internal import WireText

/// Whether the book is the one that this station knows, and has all that it has written.
///
/// The witness is the station's own last write that was acknowledged: whoever has written its key since has a later revision, so that a leader
/// that has it at an earlier one, or not at all, has an old book, however much others have written since. One old disk among three is
/// healed by the two others, and nobody notices. And a book grows: a leader whose last revision is less than this station has seen, or who gives
/// such a one to what is written next, has another book than the one before it, and is not believed. A leader that was replaced, or has just begun, may be behind for a moment: it is asked again.
extension JetStreamLink {
  /// What the judgement of a book came to.
  enum BookJudgement: Equatable {
    case good
    /// Nobody says.
    case unheard
    /// It may be an old one: nothing is claimed meanwhile.
    case doubtful
    /// Why it is not to be relied on.
    case bad(ClaimFault)
  }

  /// - Parameter seen: the greatest revision that this station knew of before the leader was asked.
  func judgeBook(_ told: BookTold, seen: ClaimRevision) async -> BookJudgement {
    guard let marks else { return .good }
    var mark: BookMark?
    if state.withLock({ $0.isRecalled }) {
      mark = state.withLock { $0.mark }
    } else {
      do throws(JournalFault) {
        mark = try await marks.recall(until: time.now() + JetStreamLimits.telling)
      } catch { return .bad(.refused(error.description)) }
    }
    guard let known = mark, known.accepted >= told.accepted else {
      keep(BookMark(made: told.made, accepted: told.accepted))
      return .good
    }
    keep(known)
    guard known.made == told.made else {
      return sure(
        told,
        "The book \(settings.bucket) is another one than this station knows: it was made at \(told.made), the former one at \(known.made)."
      )
    }
    var found = ClaimRevision.none
    if let key = known.key {
      switch await message(
        .object(("last_by_subj", settings.subject(key))), until: time.now() + JetStreamLimits.telling, isBounded: false)
      {
      case .failure: return .unheard
      case .success(let message): found = message?.revision ?? .none
      }
    }
    if told.accepted < known.accepted {
      return sure(told, "The book \(settings.bucket) has gone back to before it was accepted last.")
    }
    if found < known.revision {
      return sure(
        told,
        "The book \(settings.bucket) has gone back: this station has made its write \(known.revision.number), and it is not there, of \(told.last.number). A server was started with an old disk, or with a copy."
      )
    }
    if told.last < min(seen, highest) {
      return sure(
        told,
        "The book \(settings.bucket) has gone back: this station has seen its write \(seen.number), and it has no more than \(told.last.number). A server was started with an old disk, or the servers' books differ."
      )
    }
    state.withLock { $0.suspectSince = nil }
    return .good
  }

  /// The greatest revision that this station knows of.
  var highest: ClaimRevision { state.withLock { $0.highest } }

  /// A revision was read of the leader.
  func saw(_ revision: ClaimRevision) { state.withLock { $0.highest = max($0.highest, revision) } }

  /// What was acknowledged is remembered.
  /// - Parameter before: the greatest revision that was known before it was sent.
  /// - Returns: whether the leader may be believed: in one book what is written later has a greater revision.
  func wrote(_ key: ClaimKey, _ revision: ClaimRevision, after before: ClaimRevision) -> Bool {
    let isBelieved = state.withLock { state in
      // One that was accepted meanwhile begins anew.
      guard marks == nil || revision > min(before, state.highest) else {
        state.isGood = false
        state.settle(.noQuorum)
        return false
      }
      state.highest = max(state.highest, revision)
      // A book is known by claims.
      guard key.kind != .word, let mark = state.mark, revision > mark.revision else { return true }
      state.mark?.key = key
      state.mark?.revision = revision
      return true
    }
    if !isBelieved { judgeAgain() }
    return isBelieved
  }

  /// Has the station remember what it knows by now.
  func noteBook() {
    let mark = state.withLock { state -> BookMark? in
      guard state.isRecalled, state.mark != state.noted else { return nil }
      state.noted = state.mark
      return state.mark
    }
    if let mark { marks?.note(mark) }
  }

  private func keep(_ mark: BookMark) {
    state.withLock { state in
      if !state.isRecalled { state.noted = nil }
      state.isRecalled = true
      // What was written while this was judged is later.
      if let now = state.mark, now.made == mark.made, now.accepted == mark.accepted, now.revision > mark.revision {
        return
      }
      if state.mark?.made != mark.made || state.mark?.accepted != mark.accepted { state.highest = mark.revision }
      state.mark = mark
    }
    noteBook()
  }

  /// Told only of a leader that a majority follows, and that has been asked for a while.
  private func sure(_ told: BookTold, _ words: String) -> BookJudgement {
    let now = time.now()
    let since = state.withLock { state in
      if !told.isFollowed { state.suspectSince = nil } else if state.suspectSince == nil { state.suspectSince = now }
      return state.suspectSince
    }
    guard let since, now - since >= settings.suspicion else { return .doubtful }
    return .bad(
      .otherVersion(
        "\(words) Whom it has forgotten it would let in again. Bring the disks back that have it; only where they are lost for sure: scangate fleet accept"
      ))
  }
}
