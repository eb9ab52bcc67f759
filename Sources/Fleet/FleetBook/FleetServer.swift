/// One of a fleet's servers.
package struct FleetServer: Sendable, Hashable, CustomStringConvertible {
  /// The port where none is given.
  package static let usualPort: UInt16 = 4_222

  /// A name or an address, which its certificate has to have.
  package var host: String
  /// The port.
  package var port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Host and port, for messages.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
