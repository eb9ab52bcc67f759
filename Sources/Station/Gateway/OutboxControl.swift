package import ScanModel

/// What staff want of the outbox and the journal, and where it is kept so that it outlives the service.
package struct OutboxControl: Sendable {
  /// How often it is looked at what commands have left.
  static let interval: Duration = .seconds(2)

  /// Whether nothing is to be sent.
  package var isHeld: @Sendable () async -> Bool
  /// Takes the order to send everything now: the conflicts that can be sent once more; `nil` without such an order.
  package var retry: @Sendable () async -> [OwedAdmission]?
  /// Keeps that nothing is to be sent, or no longer.
  /// - Returns: why that cannot be kept: then nothing has changed.
  package var hold: @Sendable (Bool) async -> String?
  /// Keeps that everything is to be sent, which ends a hold; likewise.
  package var askRetry: @Sendable () async -> String?
  /// Relies on a journal that was found doubtful; whether it was, `nil` where there is no journal to rely on.
  package var accept: @Sendable () async -> Bool?

  /// Without arguments nobody orders anything, and nothing can be ordered.
  package init(
    isHeld: @escaping @Sendable () async -> Bool = { false },
    retry: @escaping @Sendable () async -> [OwedAdmission]? = { nil },
    hold: @escaping @Sendable (Bool) async -> String? = { _ in "This station keeps no orders." },
    askRetry: @escaping @Sendable () async -> String? = { "This station keeps no orders." },
    accept: @escaping @Sendable () async -> Bool? = { nil }
  ) {
    self.isHeld = isHeld
    self.retry = retry
    self.hold = hold
    self.askRetry = askRetry
    self.accept = accept
  }
}
