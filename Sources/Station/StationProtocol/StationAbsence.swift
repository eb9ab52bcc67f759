internal import Glibc
internal import LinuxIO

/// Why a station's service cannot be spoken with.
package struct StationAbsence: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of absence it is; decides what is done about it.
  package enum Kind: Sendable, Equatable {
    /// Nobody listens: no service runs.
    case nobody
    /// This user may not.
    case notAllowed
    /// The service refuses us: another version, too many listeners.
    case refused
    /// It listens and does not answer, or the connection was lost: what was asked may have been done.
    case silent
  }

  /// The kind.
  package var kind: Kind
  /// What happened, and what to do.
  package var description: String
  /// Whether an order that was asked for may have been done: it was sent. Else it surely was not.
  package var mayBeDone = false

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Nobody could be reached at `path`.
  init(_ error: SystemError, at path: String) {
    switch error.errno {
    case EACCES, EPERM:
      self.init(
        .notAllowed,
        "\(path): this user may not speak with the service. Use sudo, or add the user to the group scangate-console.")
    case ENOENT, ECONNREFUSED, ENOTSOCK:
      self.init(
        .nobody, "No service runs here: nobody listens at \(path). Start it: systemctl start scangate")
    case EAGAIN:
      self.init(.silent, "The service at \(path) takes no connection now. See `systemctl status scangate`.")
    default: self.init(.nobody, "\(path) cannot be reached (\(error.words)). See `systemctl status scangate`.")
    }
  }

  /// It did not answer in time.
  static func silent(at path: String) -> Self {
    Self(.silent, "The service at \(path) does not answer. See `systemctl status scangate`.")
  }
}
