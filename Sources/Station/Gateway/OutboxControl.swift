package import ScanModel

/// What orders about the outbox and the journal need of where both are kept.
package struct OutboxControl: Sendable {
  /// The conflicts that can be sent once more.
  package var retriable: @Sendable () async throws(JournalFault) -> [OwedAdmission]
  /// Relies on a journal that was found doubtful.
  /// - Returns: whether that is noted: else it has to be said again after the next start.
  package var accept: @Sendable () async -> Bool

  /// Without arguments there is nothing to send once more, and no journal to rely on.
  package init(
    retriable: @escaping @Sendable () async throws(JournalFault) -> [OwedAdmission] = { () throws(JournalFault) in [] },
    accept: @escaping @Sendable () async -> Bool = { true }
  ) {
    self.retriable = retriable
    self.accept = accept
  }
}
