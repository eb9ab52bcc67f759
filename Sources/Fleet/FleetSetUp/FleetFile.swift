package import Glibc

/// A file of a fleet's folder.
package struct FleetFile: Sendable, Equatable {
  /// Where, from the folder.
  package let path: String
  package let bytes: [UInt8]
  /// Who may do what with it: `secret` and `open`.
  package let mode: mode_t

  /// What its owner alone reads.
  static let secret: mode_t = 0o600
  /// What anybody may read who gets as far as that: the folder itself is its owner's alone.
  static let open: mode_t = 0o644

  init(_ path: String, _ bytes: [UInt8], _ mode: mode_t) {
    self.path = path
    self.bytes = bytes
    self.mode = mode
  }

  init(_ path: String, _ text: String, _ mode: mode_t = FleetFile.open) {
    self.init(path, [UInt8](text.utf8), mode)
  }
}

/// Where in a fleet's folder everything is.
enum FleetPath {
  static let layout = "fleet.json"
  static let readMe = "README.txt"
  static let key = "keep/fleet.key"
  static let administrator = "keep/administrator"
  static func authority(_ number: Int) -> String { "keep/authority-\(number).pem" }
  static func authorityKey(_ number: Int) -> String { "keep/authority-\(number).key" }
  static func server(_ node: FleetNode, _ file: String) -> String { "servers/\(node.name)/\(file)" }
  static func station(_ station: FleetLayout.Station, _ file: String) -> String { "stations/\(station.name)/\(file)" }
  static let credential = "credential"
  static let section = "fleet.yaml"
  /// Which servers a station believes: what its section calls `ca`.
  static let stationAuthority = "fleet-ca.pem"
}
