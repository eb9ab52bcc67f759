package import ScanModel

/// What a station remembers of a fleet's book, by which it knows one that has gone back: servers that were started with an old disk, or a
/// book that was made anew, know nothing of tickets that were used.
package struct BookMark: Hashable, Sendable {
  /// When the book was made, as its servers tell it.
  package var made: String
  /// The last time that its administrator has said that it counts as it is; greater each time, 0 of none.
  package var accepted: Int64
  /// The last that this station has written, as far as it knows. Whoever has written the key since has a later revision.
  package var key: ClaimKey?
  package var revision: ClaimRevision

  package init(made: String, accepted: Int64, key: ClaimKey? = nil, revision: ClaimRevision = .none) {
    self.made = made
    self.accepted = accepted
    self.key = key
    self.revision = revision
  }
}

/// Where a station remembers it.
package protocol BookMarks: Sendable {
  /// What was remembered last; `nil` of nothing.
  /// - Throws: where that cannot be told: nothing is not taken for "never seen".
  nonisolated(nonsending) func recall(until end: MonotonicTime) async throws(JournalFault) -> BookMark?

  /// Remembers this from now on; from any thread, returns at once.
  func note(_ mark: BookMark)
}
