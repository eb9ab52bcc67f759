internal import FoundationEssentials
internal import Glibc

/// A process that has a device open.
struct DeviceHolder: Sendable, Hashable {
  /// Its number.
  var process: Int32
  /// What it is called.
  var name: String

  /// For messages.
  var title: String { "\(name) (process \(process))" }
}

/// Which processes have devices open, as far as whoever asks may see: root sees all.
enum DeviceHolders {
  /// By node; a node that nobody is seen to have is not in it.
  static func holders(of nodes: Set<String>, in machine: Machine) -> [String: [DeviceHolder]] {
    guard !nodes.isEmpty else { return [:] }
    var found: [String: [DeviceHolder]] = [:]
    for name in machine.names(in: "/proc") {
      guard let process = Int32(name), process != getpid() else { continue }
      var seen: Set<String> = []
      for number in machine.names(in: "/proc/\(process)/fd") {
        guard let target = link(machine.path("/proc/\(process)/fd/\(number)")), nodes.contains(target) else { continue }
        seen.insert(target)
      }
      guard !seen.isEmpty else { continue }
      let holder = DeviceHolder(process: process, name: machine.text(of: "/proc/\(process)/comm") ?? "a program")
      for node in seen { found[node, default: []].append(holder) }
    }
    return found.mapValues { $0.sorted { $0.process < $1.process } }
  }

  private static func link(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }
}
