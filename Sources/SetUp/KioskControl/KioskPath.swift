internal import WireText

/// Paths of the service.
enum KioskPath {
  static let health = "/health"
  /// Where later servers have it.
  static let laterHealth = "/v1/health"
  static let register = "/register-kiosk"
  static let activate = "/kiosks/activate"
  /// Where servers with a beacon take the codes that they print.
  static let beacon = "/v2/beacon/activate"
  static let configuration = "/kiosks/configuration"
  static let validate = "/kiosks/validate-token"

  /// The real servers' place of a station's configuration.
  static func remoteConfiguration(_ segment: String) -> String { "/kiosks/\(segment)/remote-config" }

  /// A station's row of the service's table.
  static func row(_ segment: String) -> String { "/kiosks/\(segment)" }

  static func status(_ segment: String) -> String { "/kiosks/\(segment)/status" }

  /// A station's identifier as one segment of a path; `nil` where it can be none: empty, or a way out of the folder.
  static func segment(_ identifier: String) -> String? {
    guard !identifier.isEmpty, identifier.utf8.count <= 128, identifier != ".", identifier != ".." else { return nil }
    return PercentCoding.encode(identifier)
  }
}
