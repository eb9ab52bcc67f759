internal import FleetBook
internal import ScanModel
internal import Synchronization
internal import WireText

/// Whether the book is the one that this station knows, and has all that it has written.
///
/// The witness is the station's own last write that was acknowledged: whoever has written its key since has a later revision, so that a leader
/// that has it at an earlier one, or not at all, has an old book, however much others have written since. One old disk among three is
/// healed by the two others, and nobody notices. A leader that was replaced, or has just begun, may be behind for a moment: it is asked again.
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

  func judgeBook(_ told: BookTold) async -> BookJudgement {
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
    state.withLock { $0.suspectSince = nil }
    return .good
  }

  /// What was acknowledged is remembered.
  func wrote(_ key: ClaimKey, _ revision: ClaimRevision) {
    state.withLock { state in
      guard let mark = state.mark, revision > mark.revision else { return }
      state.mark?.key = key
      state.mark?.revision = revision
    }
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
