internal import FoundationEssentials
internal import Glibc
package import LinuxIO

/// The machine that is looked at: its own files, or those of a test below a folder.
package struct Machine: Sendable {
  /// The gateway's user of an installed station.
  package static let serviceUser = "scangate"
  /// The output holder's.
  package static let holderUser = "scangate-outputs"

  /// What stands before every path of the system; nothing for this machine.
  package var root: String
  /// The user that the service runs as; `nil` where it is not installed.
  package var service: UserAccount?
  /// The user that drives the outputs; likewise.
  package var holder: UserAccount?

  package init(
    root: String = "", service: UserAccount? = UserAccount(named: Self.serviceUser),
    holder: UserAccount? = UserAccount(named: Self.holderUser)
  ) {
    self.root = root
    self.service = service
    self.holder = holder
  }

  /// Where a path of the system is.
  func path(_ path: String) -> String { root + path }

  /// The names in a folder of the system, sorted; none where it cannot be read.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []).sorted()
  }

  /// What a small file of the system says, without what ends its line; `nil` where it cannot be read.
  func text(of file: String) -> String? {
    guard let bytes = try? SmallFile.read(path(file), limit: 4_096) else { return nil }
    var text = bytes[...]
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether something lies there.
  func has(_ file: String) -> Bool { access(path(file), F_OK) == 0 }
}
