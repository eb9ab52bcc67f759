package import ScanModel

/// What staff want of the outbox, as `scangate outbox hold` and `retry` leave it for the service.
package struct OutboxControl: Sendable {
  /// How often they are looked at.
  static let interval: Duration = .seconds(2)

  /// Whether nothing is to be sent.
  package var isHeld: @Sendable () async -> Bool
  /// Takes the order to send everything now: the conflicts that can be sent once more; `nil` without such an order.
  package var retry: @Sendable () async -> [OwedAdmission]?

  /// Without arguments nobody orders anything.
  package init(
    isHeld: @escaping @Sendable () async -> Bool = { false },
    retry: @escaping @Sendable () async -> [OwedAdmission]? = { nil }
  ) {
    self.isHeld = isHeld
    self.retry = retry
  }
}
