internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import Sealing

/// The list that came over the fleet, as it lies beside the station's own; used by one thread at a time but for `isAbsent`.
final class TakenTicketList: Sendable {
  private let place: TicketListPlace
  private let seals: TicketListSeals
  private let absence: FileAbsence?
  private let open = Opened()

  private final class Opened: @unchecked Sendable {
    // Only `reader` and `forget` touch it, and these only the actor that has the list: one thread at a time.
    var list: (identity: [Int64], reader: TicketListReader)?
  }

  init(_ own: TicketListPlace, from origin: ListOrigin, names: ListNames, key: SealKey) {
    place = TicketListPlace(state: own.state, system: own.system, server: own.server, origin: origin)
    seals = TicketListSeals(key, of: place, names: names)
    absence = try? FileAbsence(of: place.name, in: place.state)
  }

  /// Whether there surely is none, told by no disk.
  var isAbsent: Bool { absence?.isKnown ?? false }

  /// What is open is opened anew.
  func forget() { open.list = nil }

  /// What lies there now; `nil` where that is nothing, or was made for another fleet, event or scope.
  func reader() throws(TicketListFault) -> TicketListReader? {
    guard let identity = try place.identity(absence) else {
      open.list = nil
      return nil
    }
    if let list = open.list, list.identity == identity { return list.reader }
    open.list = nil
    let reader = try TicketListReader(place, at: place.path, seals: seals)
    open.list = (identity, reader)
    return reader
  }

  /// The newer of two lists: by the clocks that nobody sets, where both have one.
  static func newer(
    _ own: TicketListReader?, _ taken: TicketListReader?, at now: ImportMark
  ) -> TicketListReader? {
    guard let own, let taken else { return own ?? taken }
    let (mine, theirs) = (own.state(at: now).told, taken.state(at: now).told)
    if let mine = mine.running, let theirs = theirs.running { return theirs < mine ? taken : own }
    return theirs.asOf > mine.asOf ? taken : own
  }
}

extension TicketListPlace {
  /// Removes what came over a fleet, where something did.
  package func removeTaken() {
    unlink(TicketListPlace(state: state, system: system, server: server, origin: ListOrigin(fleet: "")).path)
  }

  /// What is another one once the file is; `nil` where there is none.
  package func stamp() -> [Int64]? { try? identity(nil) }

  /// The same.
  /// - Parameter absence: who knows without a look that there is none.
  func identity(_ absence: FileAbsence?) throws(TicketListFault) -> [Int64]? {
    var status = stat()
    var fault: Int32 = 0
    let look = { [path] in
      fault = stat(path, &status) == 0 ? 0 : errno
      return fault != ENOENT
    }
    guard absence?.look(look) ?? look() else { return nil }
    guard fault == 0 else { throw TicketListFault(SystemError(errno: fault, call: "stat"), at: path) }
    return [
      Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
      Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_size),
    ]
  }
}
