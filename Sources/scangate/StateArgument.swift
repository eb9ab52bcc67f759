import ArgumentParser
import Glibc
import LinuxIO
import Sealing

/// Where the station keeps what outlives it: its key, its credentials and its journal.
struct StateArgument: ParsableArguments {
  /// The state folder of an installed station.
  static let installed = "/var/lib/scangate"
  private static let user = "scangate"
  private static let service = "/run/credentials/scangate.service"

  @Option(
    help: ArgumentHelp(
      "The state folder. Without it that of the service ($STATE_DIRECTORY, /var/lib/scangate), or your own in ~/.local/state.",
      valueName: "folder"), completion: .directory)
  var state: String?

  /// The state folder.
  var folder: String {
    if let state { return state }
    if let given = Self.variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(given) }
    if geteuid() == 0 || Self.owner(of: Self.installed) == geteuid() { return Self.installed }
    let home = Self.variable("XDG_STATE_HOME") ?? "\(Self.variable("HOME") ?? "")/.local/state"
    return "\(home)/scangate"
  }

  /// Where the station's key comes from. By hand as root, the credentials of the running service are seen.
  var keys: SealKeySource {
    var given = Self.variable("CREDENTIALS_DIRECTORY")
    if given == nil, folder == Self.installed, access(Self.service, R_OK) == 0 { given = Self.service }
    return SealKeySource(state: folder, given: given)
  }

  /// Makes the folders above the state folder where it is the user's own, and the service's one for the service.
  func prepare() {
    guard state == nil, Self.owner(of: folder) == nil else { return }
    if folder == Self.installed {
      guard geteuid() == 0, let user = UserAccount(named: Self.user), mkdir(folder, 0o700) == 0 else { return }
      _ = chown(folder, user.id, gid_t.max)
    } else {
      var path = ""
      for part in folder.split(separator: "/").dropLast() {
        path += "/\(part)"
        _ = mkdir(path, 0o700)
      }
    }
  }

  /// What to tell somebody who works on a folder of their own where a station is installed.
  var hint: String? {
    guard state == nil, folder != Self.installed, Self.variable("STATE_DIRECTORY") == nil,
      Self.owner(of: Self.installed) != nil
    else { return nil }
    return "This is your own folder. For the installed service, run it as root: sudo scangate …"
  }

  /// A variable of the environment; `nil` where it is empty or not set.
  static func variable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  private static func owner(of path: String) -> uid_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_uid : nil
  }
}
