internal import Glibc
internal import LinuxIO

/// Wipes what a station knows: its key, its credentials, what services have given it, its journal and its lists of tickets, so
/// that another venue can have the machine.
package struct FactoryReset: Sendable {
  /// What was wiped, and what was left.
  package struct Result: Sendable, Equatable {
    /// Files that are gone, by their names in the state folder.
    package var wiped: [String] = []
    /// What else lies there; not ours to delete.
    package var left: [String] = []
  }

  private let state: String

  /// Names the state folder; touches nothing.
  package init(state: String) { self.state = state }

  /// What `run` would wipe now, and leave; `nil` where there is no such folder.
  package func preview() throws(SealFault) -> Result? {
    guard let folder = try PrivateFolder.open(state) else { return nil }
    return try Self.sort(folder)
  }

  /// Wipes. The key goes first: whatever is left after a kill or a cut of power opens no more, and a second run goes on.
  /// - Throws: that the service runs, or why a file cannot be deleted.
  package func run() throws(SealFault) -> Result {
    guard let folder = try PrivateFolder.open(state) else { return Result() }
    let lock = try Self.lock(folder)
    defer { _ = flock(lock.number, LOCK_UN) }
    return try folder.locked { folder throws(SealFault) in
      let result = try Self.sort(folder)
      for name in result.wiped {
        if let place = Self.folders.first(where: { name.hasPrefix($0 + "/") }) {
          guard let subfolder = try folder.subfolder(place) else { continue }
          try subfolder.remove(String(name.dropFirst(place.count + 1)), overwriting: true)
        } else {
          // Journal and lists may be large, and without the key their codes and names are noise.
          try folder.remove(name, overwriting: !Self.isJournal(name) && !Self.isList(name))
        }
      }
      return result
    }
  }

  /// The folders of what is sealed.
  private static let folders = [StateFile.credentials, StateFile.records]

  /// Files in the order in which they go: keys, credentials and records, the journal, lists of tickets, and the check of the
  /// key last, so that half a reset is not taken for a new station.
  private static func sort(_ folder: borrowing PrivateFolder) throws(SealFault) -> Result {
    let keys = [StateFile.plainKey, StateFile.sealedKey].flatMap { [$0, $0 + FileReplacement.ending] }
    let checks = [StateFile.keyCheck, StateFile.keyCheck + FileReplacement.ending]
    let names = try folder.names()
    var result = Result(wiped: keys.filter(names.contains))
    for place in folders {
      guard let subfolder = try folder.subfolder(place) else { continue }
      for name in try subfolder.names() {
        let isOurs = [StateFile.sealed, StateFile.sealed + FileReplacement.ending].contains(where: name.hasSuffix)
        let path = "\(place)/\(name)"
        if isOurs { result.wiped.append(path) } else { result.left.append(path) }
      }
    }
    let orders = StateFile.formerOrders.flatMap { [$0, $0 + FileReplacement.ending] }
    result.wiped += names.filter(isJournal) + names.filter(isList) + (orders + checks).filter(names.contains)
    let known = Set(result.wiped + folders + [StateFile.journalLock])
    result.left += names.filter { !known.contains($0) }
    return result
  }

  /// The journal, its log and index, copies from before a migration, and damaged ones that were set aside.
  private static func isJournal(_ name: String) -> Bool {
    name.hasPrefix(StateFile.journal) && name != StateFile.journalLock
  }

  /// A list of tickets on board, whole or broken off, or what is kept beside it of single tickets, with its log and index.
  private static func isList(_ name: String) -> Bool {
    name.hasPrefix(StateFile.listPrefix)
      && [".sqlite", ".sqlite.new", ".sqlite-wal", ".sqlite-shm"].contains(where: name.hasSuffix)
  }

  private static func lock(_ folder: borrowing PrivateFolder) throws(SealFault) -> OwnedDescriptor {
    let lock = try folder.lockFile(StateFile.journalLock)
    if flock(lock.number, LOCK_EX | LOCK_NB) == 0 { return lock }
    guard errno == EWOULDBLOCK else { throw PrivateFolder.fault("\(folder.path) cannot be locked", errno) }
    let bytes = (try? SmallFile.read(lock.number, upTo: 32)) ?? []
    let digits = String(decoding: bytes.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
    let who = digits.isEmpty ? "another process" : "the process \(digits)"
    throw SealFault(
      .system, "\(folder.path) is in use by \(who). Stop the service first: systemctl stop scangate")
  }
}
