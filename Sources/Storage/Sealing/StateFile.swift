internal import Glibc
internal import LinuxIO

/// The names of what lies in a station's state folder.
enum StateFile {
  /// The station's key, as a line of hexadecimal digits.
  static let plainKey = "seal-key"
  /// The station's key, sealed by the systemd credential.
  static let sealedKey = "seal-key.sealed"
  /// Known words, sealed by the station's key: another key does not open them.
  static let keyCheck = "seal-key.check"
  /// The folder of credentials.
  static let credentials = "credentials"
  /// The folder of records.
  static let records = "records"
  /// The end of the name of a file that is sealed.
  static let sealed = ".sealed"
  /// The journal.
  static let journal = "journal.sqlite"
  /// The beginning of the name of a list of tickets.
  static let listPrefix = "tickets-"
  /// Locked by whoever writes the journal: the service.
  static let journalLock = "journal.sqlite.lock"
  /// A former version's: while it was there, nothing was sent from the outbox.
  static let formerHold = "outbox.hold"
  /// All that a former version took orders by.
  static let formerOrders = [formerHold, "outbox.retry", "journal.accept", "setup.arm"]
}

/// A credential that systemd gives to a service (`LoadCredential=` and its like): a file in `$CREDENTIALS_DIRECTORY`.
enum GivenCredential {
  /// Its bytes; `nil` where it is not given. Access is systemd's concern: the files are root's and readable by the service.
  static func read(_ name: String, in folder: String) throws(SealFault) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      let bytes = try SmallFile.read(file.number, upTo: limit)
      if bytes.count > limit { throw SystemError(errno: EFBIG, call: "read") }
      return bytes
    } catch {
      if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
      throw PrivateFolder.fault("The systemd credential \(path) cannot be read", error.errno)
    }
  }

  private static let limit = 8_192
}
