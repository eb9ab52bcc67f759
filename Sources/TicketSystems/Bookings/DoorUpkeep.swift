internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// Looks after a door while the station runs: the session is renewed before its end, and an operator is told once when staff cannot be
/// signed in, or the list on board has not been told anew for three intervals; and when that is mended.
struct DoorUpkeep: Sendable {
  /// How often it looks.
  static let interval = Duration.seconds(15)
  /// After so many intervals of its refresh a list is old.
  private static let mostIntervals = 3

  let door: Door
  let list: ListOnBoard
  let system: TicketSystemID
  private var toldSession: String?
  private var toldList = false

  init(of door: Door, _ list: ListOnBoard, _ system: TicketSystemID) {
    self.door = door
    self.list = list
    self.system = system
  }

  /// Looks until it is cancelled.
  mutating func run(every interval: Duration = Self.interval, _ tell: @Sendable (UpkeepNews) -> Void) async {
    repeat {
      for news in await look() { tell(news) }
    } while (try? await Task.sleep(for: interval)) != nil
  }

  /// Looks once.
  mutating func look() async -> [UpkeepNews] {
    door.session?.renew()
    // Commands of this station may have asked meanwhile.
    await door.recall()
    return [lookAtSession(), await lookAtList()].compactMap(\.self)
  }

  private mutating func lookAtSession() -> UpkeepNews? {
    guard let session = door.session else { return nil }
    // What passes by itself is no matter for an operator; the list has its own alarm.
    let fault = session.fault.flatMap { $0.reason.isFault ? $0 : nil }
    guard let fault else {
      guard toldSession != nil, session.held != nil else { return nil }
      toldSession = nil
      return .notice("Staff are signed in at \(door.host) again.")
    }
    guard toldSession != fault.reason.rawValue else { return nil }
    toldSession = fault.reason.rawValue
    return .alarm("Staff cannot be signed in. \(fault.detail)")
  }

  private mutating func lookAtList() async -> UpkeepNews? {
    let now = list.now()
    guard let refresh = list.refresh, now.isTrusted, let asOf = await list.asOf() else { return nil }
    let age = now.wall - asOf
    let isOld = age > refresh * Self.mostIntervals
    guard isOld != toldList else { return nil }
    toldList = isOld
    guard isOld else { return .notice("The list on board of \(system) is told by \(door.host) again.") }
    return .alarm(
      "The list on board of \(system) is \(age.asAge) old, and is to be told anew every \(refresh.asAge): bookings on it still admit, "
        + "later ones are asked about, a few in 15 min. Look whether \(door.host) answers, or import a file: scangate tickets import FILE "
        + "--system \(system)")
  }
}
