internal import Glibc
internal import LinuxIO
package import ReportProtocol

/// Why there is no report, and no page of the journal.
package struct ReportAbsence: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of absence it is; decides what is done about it.
  package enum Kind: Sendable, Equatable {
    /// Nobody makes reports here.
    case nobody
    /// This user may not ask.
    case notAllowed
    /// Whoever makes them refuses us: another version.
    case refused
    /// It does not answer in time, or broke off.
    case silent
    /// The asker gave up.
    case cancelled
    /// It says why: what was asked makes no sense, others are being served, the journal cannot be read.
    case fault(ReportFault.Kind)
  }

  package var kind: Kind
  /// What happened, and what to do.
  package var description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  init(_ error: SystemError, at path: String) {
    switch error.errno {
    case EACCES, EPERM:
      self.init(.notAllowed, "\(path): this user may not ask for reports. Use sudo.")
    case EAGAIN: self = .silent(at: path)
    default:
      self.init(.nobody, "Nobody makes reports at \(path). Start it: systemctl start scangate-report.socket")
    }
  }

  static func silent(at path: String) -> Self {
    Self(.silent, "Whoever makes reports at \(path) does not answer. See `systemctl status scangate-report`.")
  }
}
