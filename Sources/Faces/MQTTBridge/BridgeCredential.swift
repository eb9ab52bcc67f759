internal import Glibc
internal import LinuxIO

/// The bridge's secrets: files that the service manager hands to this process alone.
package enum BridgeCredential {
  /// Where they lie on an installed station, for root alone.
  package static let usual = "/etc/scangate/mqtt"
  /// The longest password in bytes.
  private static let longest = 1_024

  /// Reads the password that the configuration calls `name`.
  /// - Parameters:
  ///   - folder: where files have these names, for who runs the bridge by hand; `nil` where the service manager has handed them over:
  ///     `LoadCredential=mqtt:/etc/scangate/mqtt` makes them `mqtt_NAME`.
  /// - Throws: that it is not there or none, and what to do; no word of what it holds.
  package static func password(_ name: String, in folder: String?) throws(BrokerFault) -> BrokerSettings.Password {
    let path: String
    if let folder {
      path = "\(folder)/\(name)"
    } else if let handed = getenv("CREDENTIALS_DIRECTORY") {
      path = "\(String(cString: handed))/mqtt_\(name)"
    } else {
      throw BrokerFault("Nobody has handed over the password \(name): name its folder with --credentials.")
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try SmallFile.read(path, limit: longest + 2)
    } catch {
      throw BrokerFault(
        "The password \(name) cannot be read (\(error.words)). Put it into \(usual)/\(name), as root, and start "
          + "the bridge anew: systemctl restart scangate-mqtt")
    }
    var line = bytes[...]
    while line.last == UInt8(ascii: "\n") || line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    guard (1...longest).contains(line.count), let text = String(validating: line, as: UTF8.self),
      !line.contains(where: { $0 < 0x20 })
    else {
      throw BrokerFault("What stands in \(usual)/\(name) is no password: one line, up to \(longest) bytes.")
    }
    return BrokerSettings.Password(text)
  }
}
