internal import Glibc
internal import LinuxIO

/// The process that has a station's journal: the gateway that runs with its state folder. Told by the kernel's list of locks: to try the
/// lock would keep a gateway from it that is just starting.
enum RunningGateway {
  /// Its number; `nil` where none runs, or that cannot be told.
  static func holder(ofStateFolder folder: String, in machine: Machine) -> Int32? {
    let path = "\(folder)/journal.sqlite.lock"
    var entry = stat()
    guard stat(path, &entry) == 0, let locks = try? SmallFile.read(machine.path("/proc/locks"), limit: 1 << 20) else {
      return nil
    }
    // Whose claim it is stands in it; below some file systems the kernel lists another device.
    let claim = (try? SmallFile.read(path, limit: 32)).flatMap { bytes in
      Int32(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
    }
    // glibc's macros major and minor (sys/sysmacros.h).
    let number = UInt64(entry.st_dev)
    let device = (
      UInt32(truncatingIfNeeded: number >> 8 & 0xFFF | number >> 32 & ~0xFFF),
      UInt32(truncatingIfNeeded: number & 0xFF | number >> 12 & ~0xFF)
    )
    return holder(of: UInt64(entry.st_ino), device: device, claim: claim, in: String(decoding: locks, as: UTF8.self))
  }

  /// Who holds a lock on a file, by the lines of `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 812 b3:02:1312 0 EOF`.
  /// - Parameter claim: who says that it has it.
  static func holder(
    of inode: UInt64, device: (major: UInt32, minor: UInt32), claim: Int32?, in locks: String
  ) -> Int32? {
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      // A line with an arrow is of somebody who waits.
      guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]) else { continue }
      let place = words[5].split(separator: ":")
      guard place.count == 3, UInt64(place[2]) == inode else { continue }
      let isHere = UInt32(place[0], radix: 16) == device.major && UInt32(place[1], radix: 16) == device.minor
      // A process of another container has no number here.
      if isHere || process == claim { return process > 0 ? process : claim ?? 0 }
    }
    return nil
  }
}
