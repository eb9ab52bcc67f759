internal import Glibc
internal import LinuxIO
internal import Synchronization
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
  /// Whether holders and seats are kept and told.
  private let keepsDetails: Atomic<Bool>
  private let now: @Sendable () -> WallTime
  private let seals: TicketListSeals
  private let thread: DeviceLoop
  /// `nil` where the system tells nothing of folders: then each question looks.
  private let absence: FileAbsence?
  private var open: (identity: Identity, reader: TicketListReader)?
  private let checked: CheckedTickets
  /// Whether anything may have been kept of single tickets: most systems keep nothing, and no disk is asked for it.
  private let mayKeep = Atomic(false)
  /// What is to be kept of single tickets, as it was said last: as long as the disk hangs, each code has one place.
  private let news = Mutex<[Code: CheckedTicket?]>([:])

  /// Names the list; it may be imported later.
  /// - Parameter keepsDetails: whether holders and seats are kept, sealed, and told.
  /// - Throws: that no thread can be had for it.
  package init(_ place: TicketListPlace, key: SealKey, keepsDetails: Bool = false) throws(TicketListFault) {
    try self.init(place, key: key, keepsDetails: keepsDetails, now: { SystemTime().wall() })
  }

  /// The same with a clock of its own.
  init(
    _ place: TicketListPlace, key: SealKey, keepsDetails: Bool, now: @escaping @Sendable () -> WallTime
  ) throws(TicketListFault) {
    self.place = place
    self.keepsDetails = Atomic(keepsDetails)
    self.now = now
    self.key = key
    seals = TicketListSeals(key, of: place)
    absence = try? FileAbsence(of: place.name, in: place.state)
    let checked = CheckedTickets(place, seals: seals)
    let isPresent = checked.isPresent
    self.checked = checked
    do throws(SystemError) {
      thread = try DeviceLoop(name: "ticket list")
    } catch {
      throw TicketListFault("No thread can be had for the list of tickets (\(error.words)).")
    }
    mayKeep.store(isPresent, ordering: .releasing)
  }

  deinit { thread.stop() }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  package func find(_ code: Code) throws(TicketListFault) -> ListFinding? {
    let said = mayKeep.load(ordering: .acquiring) ? kept(of: code) : nil
    do throws(TicketListFault) {
      let found = try reader()?.finding(code, at: .now(), now())
      guard let said else { return found }
      // What was told of it later in a list has the last word.
      if case .named(_, let told)? = found, told.asOf >= said.at { return found }
      return .named(ListedTicket(said), ListAge(asOf: said.at))
    } catch {
      // The disk may have hiccuped: what is opened anew is read anew.
      open = nil
      guard let said else { throw error }
      return .named(ListedTicket(said), ListAge(asOf: said.at))
    }
  }

  package func state() throws(TicketListFault) -> TicketListState? { try reader()?.state(at: .now()) }

  package nonisolated func keep(_ checked: CheckedTicket?, of code: Code) {
    if checked != nil { mayKeep.store(true, ordering: .releasing) }
    let isFirst = news.withLock { news in
      let isFirst = news.isEmpty
      news.updateValue(checked, forKey: code)
      return isFirst
    }
    if isFirst { Task { await self.takeNews() } }
  }

  private func kept(of code: Code) -> CheckedTicket? {
    takeNews()
    return checked.find(code)
  }

  private func takeNews() {
    let news = news.withLock { news in
      defer { news = [:] }
      return news
    }
    if !news.isEmpty { checked.take(news.map { ($0.value, $0.key) }) }
  }

  package func tellsKinds() throws(TicketListFault) -> Bool { try reader()?.tellsKinds() ?? false }

  package nonisolated var isAbsent: Bool { !mayKeep.load(ordering: .acquiring) && absence?.isKnown ?? false }

  package nonisolated func replacement(
    of span: Range<WallTime>?, asOf: WallTime, folding: @escaping @Sendable (Code) -> TicketKey?
  ) async throws(TicketListFault) -> any TicketListReplacement {
    try ListReplacement(of: span, asOf: asOf, place, key, settings(folding), now: now)
  }

  /// What holds from the next question and the next list on: whether holders and seats are kept and told; from any thread.
  package nonisolated func keepDetails(_ isOn: Bool) { keepsDetails.store(isOn, ordering: .releasing) }

  /// Writes the list anew without the holders and seats that are over, or that are not to be kept; nothing where it has none. Gates ask
  /// the list meanwhile as always.
  /// - Returns: whether it was written.
  /// - Throws: why it cannot be.
  @discardableResult package nonisolated func tidy() async throws(TicketListFault) -> Bool {
    try await ListReplacement(of: nil, asOf: now(), place, key, settings { _ in nil }, now: now).tidy()
  }

  private nonisolated func settings(_ folding: @escaping @Sendable (Code) -> TicketKey?) -> ListReplacement.Settings {
    ListReplacement.Settings(keepsDetails: keepsDetails.load(ordering: .acquiring), folding: folding)
  }

  /// The list that lies there now.
  private func reader() throws(TicketListFault) -> TicketListReader? {
    var status = stat()
    var fault: Int32 = 0
    let look = { [place] in
      fault = stat(place.path, &status) == 0 ? 0 : errno
      return fault != ENOENT
    }
    guard absence?.look(look) ?? look() else {
      open = nil
      return nil
    }
    guard fault == 0 else {
      open = nil
      throw TicketListFault(SystemError(errno: fault, call: "stat"), at: place.path)
    }
    let identity = Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size))
    let keepsDetails = keepsDetails.load(ordering: .acquiring)
    if let open, open.identity == identity {
      open.reader.keepsDetails = keepsDetails
      return open.reader
    }
    open = nil
    let reader = try TicketListReader(place, at: place.path, seals: seals, keepsDetails: keepsDetails)
    open = (identity, reader)
    return reader
  }
}

extension ListedTicket {
  /// A ticket of which its ticket system has said that it admits.
  fileprivate init(_ said: CheckedTicket) {
    self.init(status: .valid, until: said.ends, kind: said.kind, checkedAt: said.at)
  }
}
