/// What staff ask of whoever sends the outbox and keeps the journal: empty files in the state folder, so that it reaches the
/// gateway that runs as well as the next one.
package struct OutboxOrders: Sendable {
  private let state: String

  /// Names the state folder; touches nothing.
  package init(state: String) { self.state = state }

  /// Whether nothing is to be sent until further notice.
  /// - Throws: that this cannot be told.
  package func isHeld() throws(SealFault) -> Bool { try has(StateFile.outboxHold) }

  /// Whether everything is to be sent, what ended without being told included.
  /// - Throws: that this cannot be told.
  package func isRetryAsked() throws(SealFault) -> Bool { try has(StateFile.outboxRetry) }

  /// Asks that nothing is sent from now on.
  /// - Throws: why that cannot be noted.
  package func hold() throws(SealFault) { try folder().replace(StateFile.outboxHold, with: []) }

  /// Ends that nothing is sent.
  /// - Throws: why that cannot be noted.
  package func release() throws(SealFault) { try folder().remove(StateFile.outboxHold, overwriting: false) }

  /// Asks that everything is sent, and that nothing is held any more.
  /// - Throws: why that cannot be noted.
  package func retry() throws(SealFault) {
    let folder = try folder()
    // In this order: a cut of power in between leaves it held, and asked for.
    try folder.replace(StateFile.outboxRetry, with: [])
    try folder.remove(StateFile.outboxHold, overwriting: false)
  }

  /// Takes away that everything is to be sent, for whoever sends it now.
  /// - Returns: whether it was asked for, and nothing is held.
  /// - Throws: why that cannot be noted: then it would be asked for again.
  package func takeRetry() throws(SealFault) -> Bool {
    guard let folder = try PrivateFolder.open(state), try !folder.has(StateFile.outboxHold) else { return false }
    return try folder.remove(StateFile.outboxRetry, overwriting: false)
  }

  /// Says that the journal may be relied on, wherever it came from.
  /// - Throws: why that cannot be noted.
  package func acceptJournal() throws(SealFault) { try folder().replace(StateFile.journalAccept, with: []) }

  /// Takes away that this was said.
  /// - Returns: whether it was.
  /// - Throws: why that cannot be told.
  package func takeJournalAcceptance() throws(SealFault) -> Bool {
    guard let folder = try PrivateFolder.open(state) else { return false }
    return try folder.remove(StateFile.journalAccept, overwriting: false)
  }

  private func has(_ name: String) throws(SealFault) -> Bool {
    guard let folder = try PrivateFolder.open(state) else { return false }
    return try folder.has(name)
  }

  private func folder() throws(SealFault) -> PrivateFolder {
    guard let folder = try PrivateFolder.open(state) else {
      throw SealFault(.system, "There is no state folder \(state). The gateway makes it at its first start.")
    }
    return folder
  }
}
