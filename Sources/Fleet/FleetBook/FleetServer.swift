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

  /// The servers in the order in which one station tries them: it begins at its own place, so that not all stations are one server's guests, and
  /// goes on in the file's order. A station has the same order after each start.
  package static func order(_ servers: [FleetServer], of station: String) -> [FleetServer] {
    guard servers.count > 1 else { return servers }
    // FNV-1a: what a standard library hashes with differs at each start.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in station.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let first = Int((hash >> 32) % UInt64(servers.count))
    return Array(servers[first...] + servers[..<first])
  }

  /// Host and port, for messages.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
