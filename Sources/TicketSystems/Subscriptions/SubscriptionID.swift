package import ScanModel

/// What the subscription service calls a subscription: the store's original transaction id, 8 to 20 digits. Guessable, and shown by its
/// last four digits all the same.
package struct SubscriptionID: Hashable, Sendable, CustomStringConvertible {
  /// How many digits one has.
  package static let lengths = 8...20

  /// The digits, as ASCII.
  package let bytes: [UInt8]

  /// Takes digits; `nil` for anything else.
  package init?(_ bytes: some Collection<UInt8>) {
    guard Self.lengths.contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.bytes = [UInt8](bytes)
  }

  /// Takes digits; `nil` for anything else.
  package init?(_ text: String) { self.init(text.utf8) }

  /// The digits; for the request and for the pass alone, never for a log.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Its key in the ledger, whatever was shown.
  package var key: TicketKey { TicketKey(bytes) }

  package var description: String { Code(bytes: bytes).shortened }
}
