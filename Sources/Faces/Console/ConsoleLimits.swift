package import NIOCore

/// How much of the console one may use, and for how long.
package struct ConsoleLimits: Sendable {
  /// The longest body of a request, in bytes.
  static let maximumBody = 16_384
  /// The longest head of a request, in bytes: all its fields and its first line.
  static let maximumHead = 16_384
  /// The most fields of a head.
  static let maximumFields = 64

  /// The most connections at a time; one more is closed at once.
  package var connections = 320
  /// How many of them only this machine gets, and how many only others get.
  package var reserved = 32
  /// The most of them from one address that is not this machine's.
  package var connectionsPerAddress = 240
  /// How long a connection may take to say hello in TLS.
  package var handshake = TimeAmount.seconds(10)
  /// How long a connection's first head may take.
  package var head = TimeAmount.seconds(10)
  /// How long a request's body may take, from its head.
  package var body = TimeAmount.seconds(10)
  /// How long a connection may be without a request after an answer, its head included.
  package var idle = TimeAmount.seconds(75)
  /// How long what was written may wait for a peer to take any of it.
  package var write = TimeAmount.seconds(20)
  /// How long a peer may take to close its side once ours is.
  package var parting = TimeAmount.seconds(2)

  package init() {}
}
