/// Why a venue cannot be opened or served. Each description says what happened, where, and what to do.
package enum VenueError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another process listens there.
  case addressInUse(host: String, port: Int)
  /// The address cannot be listened on for another reason.
  case cannotListen(host: String, port: Int, reason: String)
  /// The database cannot be opened, read or written.
  case database(path: String, reason: String)
  /// The file is an SQLite database of some other program.
  case notAVenue(path: String)
  /// The database was written by a later version of this program.
  case tooNew(path: String, version: Int)
  /// The control socket cannot be made.
  case cannotControl(path: String, reason: String)
  /// No venue answers on the control socket, or not as one does.
  case noControl(path: String, reason: String)
  /// A seed or key that was given cannot be used.
  case unusable(String)

  /// The error for people.
  package var description: String {
    switch self {
    case .addressInUse(let host, let port):
      "venue: \(host):\(port) is in use by another process; stop that one, or listen on another port (0 takes a free one)"
    case .cannotListen(let host, let port, let reason):
      "venue: cannot listen on \(host):\(port): \(reason); give an address of this machine and a port it may use"
    case .database(let path, let reason):
      "venue: database \(path): \(reason)"
    case .notAVenue(let path):
      "venue: \(path) is a database, but not one of a venue; it was left as it is: name another file"
    case .tooNew(let path, let version):
      "venue: \(path) has schema version \(version), which is newer than this program; update it or name another file"
    case .cannotControl(let path, let reason):
      "venue: control socket \(path): \(reason)"
    case .noControl(let path, let reason):
      "venue: no venue answers on \(path): \(reason); start one with scangate venue serve --control \(path)"
    case .unusable(let what):
      "venue: \(what)"
    }
  }
}
