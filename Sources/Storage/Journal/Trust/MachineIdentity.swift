import Glibc
import LinuxIO
import ScanModel

/// The machine and the disk on which a journal lies, as far as they can be told; each as a short digest.
struct MachineIdentity: Sendable, Equatable {
  /// The board's serial number.
  var board: String?
  /// The identifier of the system's installation (machine-id(5)): a clone has the same.
  var system: String?
  /// The serial number of the disk or card.
  var disk: String?

  private static let unknown = String(repeating: "-", count: 16)

  /// The machine that runs this, and the disk of a file's folder.
  init(holding path: String) {
    board =
      Self.digest(of: "/sys/firmware/devicetree/base/serial-number")
      ?? Self.digest(of: "/sys/class/dmi/id/product_uuid")
    // One that is made anew at each start of the machine says nothing.
    system = access("/run/machine-id", F_OK) == 0 ? nil : Self.digest(of: "/etc/machine-id")
    disk = Self.disk(of: Folder.of(path))
  }

  /// A machine of a test's own.
  init(board: String?, system: String?, disk: String?) {
    let digest = StableHash.digits
    (self.board, self.system, self.disk) = (board.map(digest), system.map(digest), disk.map(digest))
  }

  /// What `text` was made of.
  init?(text: Substring) {
    let parts = text.split(separator: ":").map(String.init)
    guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 16 }) else { return nil }
    let known = parts.map { $0 == Self.unknown ? nil : $0 }
    (board, system, disk) = (known[0], known[1], known[2])
  }

  /// As the note has it: always as long.
  var text: String { [board, system, disk].map { $0 ?? Self.unknown }.joined(separator: ":") }

  /// Where that differs from what was noted, in words; `nil` where nothing is known to differ.
  func difference(from noted: MachineIdentity) -> String? {
    // A board with its own number says more than what was installed on it.
    if let board, let former = noted.board {
      if board != former { return "on another machine" }
    } else if let system, let former = noted.system, system != former {
      return "on another machine"
    }
    if let disk, let former = noted.disk, disk != former { return "on another disk or card" }
    return nil
  }

  private static func disk(of folder: String) -> String? {
    var entry = stat()
    guard stat(folder, &entry) == 0 else { return nil }
    let (major, minor) = (entry.st_dev >> 8 & 0xFFF, entry.st_dev & 0xFF | entry.st_dev >> 12 & 0xFFF00)
    guard let found = realpath("/sys/dev/block/\(major):\(minor)", nil) else { return nil }
    defer { free(found) }
    let device = String(cString: found)
    // A partition's folder lies in that of its disk.
    for place in [device, Folder.of(device)] {
      for name in ["device/cid", "device/wwid", "wwid", "device/serial", "serial"] {
        if let digest = digest(of: "\(place)/\(name)") { return digest }
      }
    }
    return nil
  }

  private static func digest(of path: String) -> String? {
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = max(0, read(file.number, &bytes, bytes.count))
    let text = String(decoding: bytes.prefix(count).filter { $0 > 0x20 }, as: UTF8.self)
    // Nobody is to be kept from making the same; the identifier is not to be read off the note.
    return text.isEmpty || text == "uninitialized" ? nil : StableHash.digits(text)
  }
}
