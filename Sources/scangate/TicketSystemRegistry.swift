import ArgumentParser
import Bookings
import EventSchedule
import ScanModel
import SignedTickets
import Subscriptions
import TicketSystemKit

/// The ticket systems that scangate knows, a line each: nothing else outside its own folder names one.
enum TicketSystemRegistry {
  static let types: [TicketSystemType] = [
    .eventSchedule,
    .subscriptions,
    .bookings,
    .signedTickets,
  ]

  /// Their commands, by the systems' words.
  static let commands: [any ParsableCommand.Type] = [
    EventScheduleCommand.self,
    MembershipCommand.self,
    BookingCommand.self,
  ]

  /// How those are found that `scangate setup` can set up.
  static let discoveries: [TicketSystemDiscovery] = [.eventSchedule, .subscriptions, .bookings]

  /// The one that the embedded venue is.
  static let venue = TicketSystemType.eventSchedule

  /// What ticket systems of every type take a code for: two codes that share one of these are spellings of one ticket, as far as
  /// any of them can tell.
  static func tickets(of code: Code) -> Set<TicketKey> {
    Set(
      types.map { type in
        let own = type.recognise(code)
        return type.foldedKey(own) ?? TicketKey(own.bytes)
      })
  }
}
