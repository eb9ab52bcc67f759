internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit

/// What is on tonight, for people who look at the station.
extension EventDirectory {
  /// The only event of today that gates are bound to; `nil` where it is none, several, or not known.
  var tonight: (name: String?, seats: SystemSeats?)? {
    let now = moment
    let listing = state.withLock { $0.listing }
    var found: EventID?
    for id in listing.seats.keys {
      guard let event = listing.events[id], isToday(event, at: now), event.isOn(at: now, in: book.zone(event.zone))
      else {
        continue
      }
      if found != nil { return nil }
      found = id
    }
    guard let found, let event = listing.events[found] else { return nil }
    let zone = book.zone(event.zone)
    let day = CivilDay.split(now.seconds + zone.offset(at: now.seconds)).day
    let kinds = (listing.seats[found] ?? []).map { type in
      SystemSeats.Kind(name: type.name, capacity: type.quantity, sold: type.sold(on: day))
    }
    return (event.name, kinds.isEmpty ? nil : SystemSeats(kinds: kinds))
  }
}

extension SaleEvent {
  /// Whether one that is said to be today's is not over: where nobody says how long it takes, it is today.
  fileprivate func isOn(at now: WallTime, in zone: ZoneRules) -> Bool {
    guard let starts, starts <= now else { return true }
    func day(_ time: WallTime) -> CivilDay { CivilDay.split(time.seconds + zone.offset(at: time.seconds)).day }
    // One that began on an earlier day may recur; that it does nobody tells.
    guard let duration else { return day(starts) == day(now) }
    return now < starts + duration || day(starts) == day(now)
  }
}
