internal import Glibc
internal import LinuxIO
package import ScanModel
package import Sealing

/// The list of a ticket system, as its gates ask it. It reads from a thread of its own, and takes a newly imported list with
/// the next question: nothing is restarted.
package actor StoredTicketList: TicketList {
  /// Which file is open.
  private struct Identity: Equatable {
    var device: UInt64
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
    var size: Int64
  }

  private let place: TicketListPlace
  private let key: SealKey
  private let seals: TicketListSeals
  private let thread: DeviceLoop
  private var open: (identity: Identity, reader: TicketListReader)?

  /// Names the list; it may be imported later.
  /// - Throws: that no thread can be had for it.
  package init(_ place: TicketListPlace, key: SealKey) throws(TicketListFault) {
    self.place = place
    self.key = key
    seals = TicketListSeals(key, of: place)
    do throws(SystemError) {
      thread = try DeviceLoop(name: "ticket list")
    } catch {
      throw TicketListFault("No thread can be had for the list of tickets (\(error.words)).")
    }
  }

  deinit { thread.stop() }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  package func find(_ code: Code) throws(TicketListFault) -> ListedTicket? {
    do throws(TicketListFault) {
      return try reader()?.find(code)
    } catch {
      // The disk may have hiccuped: what is opened anew is read anew.
      open = nil
      throw error
    }
  }

  package func state() throws(TicketListFault) -> TicketListState? {
    guard let reader = try reader() else { return nil }
    var state = reader.state
    state.age = reader.age(at: .now())
    return state
  }

  /// On a thread of its own: gates ask this one meanwhile.
  package nonisolated func replace(
    _ span: Range<WallTime>?, with tickets: [ToldTicket], asOf: WallTime, mayShrink: Bool,
    folding: @escaping @Sendable (Code) -> TicketKey?
  ) async throws(TicketListFault) -> Int {
    try await SystemThread.run("list import") { [place, key] in
      Result { () throws(TicketListFault) in
        try TicketImport.replace(span, with: tickets, asOf: asOf, mayShrink, place, key, folding: folding)
      }
    }.get()
  }

  /// The list that lies there now.
  private func reader() throws(TicketListFault) -> TicketListReader? {
    var status = stat()
    guard stat(place.path, &status) == 0 else {
      let error = SystemError(errno: errno, call: "stat")
      open = nil
      if error.errno == ENOENT { return nil }
      throw TicketListFault(error, at: place.path)
    }
    let identity = Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size))
    if let open, open.identity == identity { return open.reader }
    open = nil
    let reader = try TicketListReader(place, at: place.path, seals: seals)
    open = (identity, reader)
    return reader
  }
}
