internal import Glibc
internal import LinuxIO
internal import Synchronization
package import ScanModel
package import Sealing

/// The list of a ticket system, as its gates ask it. It reads from a thread of its own, and takes a newly imported list with
/// the next question: nothing is restarted.
package actor StoredTicketList: TicketList {
  private let place: TicketListPlace
  private let key: SealKey
  /// Whether holders and seats are kept and told.
  private let keepsDetails: Atomic<Bool>
  private let now: @Sendable () -> WallTime
  private let seals: TicketListSeals
  private let thread: DeviceLoop
  /// `nil` where the system tells nothing of folders: then each question looks.
  private let absence: FileAbsence?
  private var open: (identity: [Int64], reader: TicketListReader)?
  /// What codes are called in the fleet by which the list is given to others; `nil` where it is not.
  private let given: ListNames?
  /// The list that came over the fleet; `nil` where none is taken.
  private let taken: TakenTicketList?
  private let checked: CheckedTickets
  /// Whether anything may have been kept of single tickets: most systems keep nothing, and no disk is asked for it.
  private let mayKeep = Atomic(false)
  /// What is to be kept of single tickets, as it was said last: as long as the disk hangs, each code has one place.
  private let news = Mutex<[Code: CheckedTicket?]>([:])

  /// Names the list; it may be imported later.
  /// - Parameters:
  ///   - keepsDetails: whether holders and seats are kept, sealed, and told.
  ///   - sharing: how it is spread over a fleet.
  /// - Throws: that no thread can be had for it.
  package init(
    _ place: TicketListPlace, key: SealKey, keepsDetails: Bool = false, sharing: ListSharing? = nil
  ) throws(TicketListFault) {
    try self.init(place, key: key, keepsDetails: keepsDetails, sharing: sharing, now: { SystemTime().wall() })
  }

  /// The same with a clock of its own.
  init(
    _ place: TicketListPlace, key: SealKey, keepsDetails: Bool, sharing: ListSharing? = nil,
    now: @escaping @Sendable () -> WallTime
  ) throws(TicketListFault) {
    self.place = place
    self.keepsDetails = Atomic(keepsDetails)
    self.now = now
    self.key = key
    seals = TicketListSeals(key, of: place)
    absence = try? FileAbsence(of: place.name, in: place.state)
    given = sharing?.gives == true ? sharing?.names : nil
    taken = sharing.flatMap { sharing in
      sharing.origin.map { TakenTicketList(place, from: $0, names: sharing.names, key: key) }
    }
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
      let found = try newest()?.finding(code, at: .now(), now())
      guard let said else { return found }
      // What was told of it later in a list has the last word.
      if case .named(_, let told)? = found, told.asOf >= said.at { return found }
      return .named(ListedTicket(said), ListAge(asOf: said.at))
    } catch {
      // The disk may have hiccuped: what is opened anew is read anew.
      open = nil
      taken?.forget()
      guard let said else { throw error }
      return .named(ListedTicket(said), ListAge(asOf: said.at))
    }
  }

  package func state() throws(TicketListFault) -> TicketListState? { try newest()?.state(at: .now()) }

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

  package func tellsKinds() throws(TicketListFault) -> Bool { try newest()?.tellsKinds() ?? false }

  package nonisolated var isAbsent: Bool {
    !mayKeep.load(ordering: .acquiring) && absence?.isKnown ?? false && taken?.isAbsent ?? true
  }

  /// What the station's own list is, whatever came over the fleet; `nil` where it has none.
  package func ownState() throws(TicketListFault) -> TicketListState? { try reader()?.state(at: .now()) }

  /// The same, and what came over the fleet: one that cannot be used is none.
  package func bothStates() throws(TicketListFault) -> (own: TicketListState?, taken: TicketListState?) {
    (try ownState(), (try? taken?.reader())?.state(at: .now()))
  }

  /// The newer one of the station's own list and of what came over the fleet. An own one that cannot be used is told, and not replaced by the
  /// other; what came over the fleet and cannot be used, as of another event, is none.
  private func newest() throws(TicketListFault) -> TicketListReader? {
    guard let taken else { return try reader() }
    return TakenTicketList.newer(try reader(), try? taken.reader(), at: .now())
  }

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
    ListReplacement.Settings(
      keepsDetails: keepsDetails.load(ordering: .acquiring), names: given, folding: folding)
  }

  /// The list that lies there now.
  private func reader() throws(TicketListFault) -> TicketListReader? {
    let keepsDetails = keepsDetails.load(ordering: .acquiring)
    do throws(TicketListFault) {
      guard let identity = try place.identity(absence) else {
        open = nil
        return nil
      }
      if let open, open.identity == identity {
        open.reader.keepsDetails = keepsDetails
        return open.reader
      }
      open = nil
      let reader = try TicketListReader(place, at: place.path, seals: seals, keepsDetails: keepsDetails)
      open = (identity, reader)
      return reader
    } catch {
      open = nil
      throw error
    }
  }
}

extension ListedTicket {
  /// A ticket of which its ticket system has said that it admits.
  fileprivate init(_ said: CheckedTicket) {
    self.init(status: .valid, until: said.ends, kind: said.kind, checkedAt: said.at)
  }
}
