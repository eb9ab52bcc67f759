/// An order's number: 128 random bits, so that no two orders of any listeners share one. An order that is repeated, over another
/// connection as well, bears the same one and is done once.
package struct OrderID: Hashable, Sendable, CustomStringConvertible {
  private let id: AttemptID
  /// Makes a new number.
  package init() { id = AttemptID() }
  /// Makes the number of 16 bytes, as `bytes` gives them; `nil` of another count.
  package init?(bytes: some Collection<UInt8>) {
    guard let id = AttemptID(bytes: bytes) else { return nil }
    self.id = id
  }
  /// Makes the number of its `description`; `nil` unless it is 32 hexadecimal digits.
  package init?(hexadecimal text: String) {
    guard let id = AttemptID(hexadecimal: text) else { return nil }
    self.id = id
  }
  /// The number in 16 bytes.
  package var bytes: [UInt8] { id.bytes }
  /// 32 lower-case hexadecimal digits.
  package var description: String { id.description }
}
