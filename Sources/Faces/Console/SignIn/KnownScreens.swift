import LibCrypto
import LinuxIO
import ScanModel

/// The door screens that have signed in, as the console writes them down in its state folder: a line for each, `NUMBER:DIGEST:END`. Without
/// a folder they are forgotten with the process.
struct KnownScreens: Sendable {
  private struct Screen {
    let digest: [UInt8]
    let end: WallTime
  }

  static let longest = 262_144

  private let path: String?
  private var screens: [String: Screen] = [:]

  static func path(in folder: String) -> String { "\(folder)/screens" }

  /// Those of a folder; what cannot be read is none.
  init(in folder: String?) {
    path = folder.map(Self.path)
    guard let path, let bytes = try? SmallFile.read(path, limit: Self.longest) else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
      guard parts.count == 3, let digest = Hexadecimal.bytes(parts[1]), digest.count == SHA256.byteCount,
        let end = Int64(parts[2]), screens.count < PageDevices.most
      else { continue }
      screens[parts[0]] = Screen(digest: digest, end: WallTime(seconds: end))
    }
  }

  /// Whether a device's code was used.
  func isKnown(_ id: String) -> Bool { screens[id] != nil }

  /// The number of the device that shows this. All are compared, each in a time that does not depend on what it is.
  func device(showing secret: String, at now: WallTime) -> String? {
    let digest = PageSecret.digest(secret)
    var found: String?
    for (id, screen) in screens where areEqualInConstantTime(screen.digest, digest) && now < screen.end { found = id }
    return found
  }

  /// These with a device that has used its code, and without others than those of `devices`.
  /// - Returns: what it shows from now on, too.
  func adding(_ device: PageDevice, of devices: PageDevices, at now: WallTime) -> (
    screens: KnownScreens, secret: String
  ) {
    let secret = PageSecret.new()
    var new = self
    new.screens = screens.filter { devices.device(numbered: $0.key) != nil }
    new.screens[device.id] = Screen(digest: PageSecret.digest(secret), end: now + PageDevice.life)
    return (new, secret)
  }

  /// Writes them down, whole or not at all; a disk may take its time.
  func write() throws(SystemError) {
    guard let path else { return }
    let lines = screens.map { "\($0):\(Hexadecimal.text($1.digest)):\($1.end.seconds)\n" }
    try SmallFile.replace(path, with: [UInt8](lines.sorted().joined().utf8))
  }
}
