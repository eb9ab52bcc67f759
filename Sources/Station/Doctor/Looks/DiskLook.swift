internal import Glibc
internal import LinuxIO
internal import ScanConfiguration
internal import StationProtocol

/// Looks at the disk on which the state folder lies.
enum DiskLook {
  static func findings(_ folder: String, _ journal: JournalConfiguration?) -> [Finding] {
    // A folder that is still to be made: where it would lie.
    var path = folder
    while access(path, F_OK) != 0, path.utf8.count > 1 {
      path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
      if path.isEmpty { path = "/" }
    }
    guard let space = DiskSpace(of: path) else { return [] }
    return judge(space, of: folder, stopsGates: journal?.whenFailing == .stop)
  }

  /// - Parameter stopsGates: whether gates admit nobody while the journal keeps nothing.
  static func judge(_ space: DiskSpace, of folder: String, stopsGates: Bool) -> [Finding] {
    let bad: Finding.Severity = stopsGates ? .fault : .warning
    if space.isReadOnly {
      return [
        Finding(
          bad, .disk, folder, "Its disk is read-only: nothing is kept of who is admitted. It may be worn out.",
          cure: "dmesg | tail -n 50")
      ]
    }
    let disk = StationSnapshot.Disk(free: space.free, size: space.size)
    let megabytes = disk.words
    let cure = "sudo journalctl --vacuum-size=100M; sudo apt-get clean; df -h \(folder)"
    if disk.isFull || space.files.map({ $0 < 16 }) == true {
      return [Finding(bad, .disk, folder, "Its disk is full: \(megabytes), and soon nothing is kept.", cure: cure)]
    }
    if disk.isFillingUp {
      return [Finding(.warning, .disk, folder, "Its disk is filling up: \(megabytes).", cure: cure)]
    }
    return [Finding(.good, .disk, folder, "Its disk has room: \(megabytes).")]
  }
}
