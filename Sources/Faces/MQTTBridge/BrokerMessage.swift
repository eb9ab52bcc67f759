/// Something published.
package struct BrokerMessage: Sendable, Hashable {
  /// Where.
  package var topic: String
  /// What; empty where it was longer than `BridgeLimits.maximumPayload`, see `isTooLong`.
  package var payload: [UInt8]
  /// Of one that we publish: whether the broker keeps it for who comes later. Of one that comes: whether it was kept, and is old.
  package var isRetained: Bool
  /// Whether it was longer than is looked at.
  package var isTooLong = false

  package init(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }

  package init(_ topic: String, text: String, isRetained: Bool = false) {
    self.init(topic, Array(text.utf8), isRetained: isRetained)
  }
}
