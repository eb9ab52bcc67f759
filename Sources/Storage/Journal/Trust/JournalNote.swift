import CLinux
import Glibc
import LinuxIO
import ScanModel

/// What the note beside a journal says: `….generation`.
///
/// ```
/// 00000000000000000007 closed                                       64 bytes: all that earlier versions read and write
/// session 42 facts 9001 journal 7315 copy 131-17660… machine … accepted yes
/// ```
/// It never gets longer, so that a full disk takes it too.
struct JournalNote: Sendable, Equatable {
  enum State: String { case closed, whole, partial }

  var generation: UInt64
  var state: State
  /// The journal's count of starts; `nil`, as all that follows, in a note of an earlier version.
  var session: Int64?
  /// The newest fact of the journal at its orderly end.
  var facts: Int64?
  /// Which journal it is.
  var journal: Int64?
  /// Which file the note itself is: a copy of it is another.
  var file: FileStamp?
  var machine: MachineIdentity?
  /// Whether somebody has still to say that the journal may be relied on.
  var isAccepted = true

  /// How long the first line is.
  static let line = 64
}

/// Which file one is, for as long as it is there: copying it, or putting a copy in its place, makes another.
struct FileStamp: Sendable, Equatable {
  let inode: UInt64
  /// In nanoseconds; 0 where the file system does not tell.
  let made: Int64

  init?(_ file: borrowing OwnedDescriptor) {
    var (inode, made): (UInt64, Int64) = (0, 0)
    guard clinux_file_stamp(file.number, &inode, &made) == 0 else { return nil }
    (self.inode, self.made) = (inode, made)
  }

  init?(text: Substring) {
    let parts = text.split(separator: "-")
    guard parts.count == 2, let inode = UInt64(parts[0]), let made = Int64(parts[1]) else { return nil }
    (self.inode, self.made) = (inode, made)
  }
}

extension JournalNote {
  /// Reads a note; `nil` where there is none that can be read.
  /// - Returns: the note, and which file it lies in.
  static func read(_ path: String) -> (note: JournalNote, file: FileStamp?)? {
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = Glibc.read(file.number, &buffer, buffer.count)
    guard let note = JournalNote(Array(buffer.prefix(max(0, count)))) else { return nil }
    return (note, FileStamp(file))
  }

  init?(_ bytes: [UInt8]) {
    func words(_ bytes: some Collection<UInt8>) -> [Substring] {
      String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
    let first = words(bytes.prefix(Self.line))
    guard first.count == 2, let number = UInt64(first[0]), number < .max, let state = State(rawValue: String(first[1]))
    else {
      return nil
    }
    generation = number
    self.state = state
    let second = words(bytes.dropFirst(Self.line))
    for (name, value) in zip(second, second.dropFirst()) {
      switch name {
      case "session": session = Int64(value)
      case "facts": facts = Int64(value)
      case "journal": journal = Int64(value)
      case "copy": file = FileStamp(text: value)
      case "machine": machine = MachineIdentity(text: value)
      case "accepted": isAccepted = value == "yes"
      default: break
      }
    }
  }

  /// The note's bytes.
  var bytes: [UInt8] {
    let first = "\(Self.digits(generation)) \(state.rawValue)"
    let padding = String(repeating: " ", count: max(0, Self.line - 1 - first.utf8.count))
    var second =
      "session \(Self.digits(session ?? 0)) facts \(Self.digits(facts ?? 0)) journal \(Self.digits(journal ?? 0))"
    if let file { second += " copy \(Self.digits(file.inode))-\(Self.digits(file.made))" }
    if let machine { second += " machine \(machine.text)" }
    second += " accepted \(isAccepted ? "yes" : "no ")"
    return Array("\(first)\(padding)\n\(second)\n".utf8)
  }

  private static func digits(_ number: some BinaryInteger) -> String { String(number, digits: 20) }
}
