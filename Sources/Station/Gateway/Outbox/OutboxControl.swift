package import ScanModel

/// What orders need of where outbox and journal are kept.
package struct OutboxControl: Sendable {
  /// The conflicts that can be sent once more.
  package var retriable: @Sendable () async throws(JournalFault) -> [OwedAdmission]
  /// Relies on a journal that was found doubtful.
  /// - Returns: whether that is noted: else it has to be said again after the next start.
  package var accept: @Sendable () async -> Bool
  /// Codes that were presented lately and are shown so when they are shortened, the last ones first; each once, and a bounded number.
  /// Empty where they cannot be had.
  package var presented: @Sendable (_ shortened: String) async -> [Code]

  /// Without arguments there is nothing to send once more, no journal to rely on, and nothing was presented.
  package init(
    retriable: @escaping @Sendable () async throws(JournalFault) -> [OwedAdmission] = { () throws(JournalFault) in [] },
    accept: @escaping @Sendable () async -> Bool = { true },
    presented: @escaping @Sendable (_ shortened: String) async -> [Code] = { _ in [] }
  ) {
    self.presented = presented
    self.retriable = retriable
    self.accept = accept
  }
}
