internal import Glibc
internal import LinuxIO
internal import SQLiteFile
package import ScanModel

/// Where a ticket system's list lies, and what it is bound to.
package struct TicketListPlace: Sendable {
  /// The station's state folder.
  package let state: String
  /// The ticket system.
  package let system: TicketSystemID
  /// Its server, as the ledger names it: a list made for another one is not this one's.
  package let server: String
  /// Where it came from over a fleet; `nil` of the station's own.
  package let origin: ListOrigin?

  /// Names the list; touches nothing.
  package init(state: String, system: TicketSystemID, server: String, origin: ListOrigin? = nil) {
    self.state = state
    self.system = system
    self.server = server
    self.origin = origin
  }

  /// The file's name.
  package var name: String { "tickets-\(system.name)\(origin == nil ? "" : ".fleet").sqlite" }
  /// The file.
  package var path: String { "\(state)/\(name)" }

  /// What its file is bound to.
  var boundTo: String { origin.map { "\(server) by the fleet \($0.fleet)" } ?? server }

  /// Whether there is a list.
  /// - Throws: that this cannot be told.
  package func isPresent() throws(TicketListFault) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    let error = SystemError(errno: errno, call: "stat")
    if error.errno == ENOENT { return false }
    throw TicketListFault(error, at: path)
  }
}

extension TicketListFault {
  /// What SQLite refused, in words.
  init(_ error: SQLiteError, at path: String) {
    let words = error.errno == 0 ? error.message : SystemError(errno: error.errno, call: "").words
    let again = "Import it again: scangate tickets import"
    switch true {
    case error.isFull:
      self.init("No space is left for the list of tickets \(path), or for what is sorted (/var/tmp). Free some space.")
    case error.isDamage:
      self.init("The list of tickets \(path) is damaged (\(words)): it is not believed. \(again)")
    case error.isDiskError:
      self.init("The disk of the list of tickets \(path) gives errors: \(words). Replace it soon.")
    default: self.init("The list of tickets \(path) cannot be used: \(words). See who may read it, or import it again.")
    }
  }

  /// What the system refused, in words.
  init(_ error: SystemError, at path: String) {
    let remedy =
      switch error.errno {
      case EACCES, EPERM: "Run this as root, or as the user of the service."
      case ENOSPC, EDQUOT: "Make room on the disk."
      case EROFS, EIO: "See dmesg on the disk."
      default: "See who may read it, or import it again."
      }
    self.init("The list of tickets \(path) cannot be used (\(error.words)). \(remedy)")
  }
}
