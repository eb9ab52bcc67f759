internal import LinuxIO
package import ScanModel
internal import TicketTransport

/// The list of all sales as a roster of tickets.
package struct EventScheduleRoster: TicketRoster {
  /// How long one page may take: rate windows pass in it.
  private static let patience = Duration.seconds(600)
  /// The same for the first page: a server that is not there at all is told soon, and yet a rate window can pass.
  private static let firstPatience = Duration.seconds(90)
  /// More pages than any venue has: a server that never comes to an end is left.
  private static let mostPages = 100_000

  private let client: EventScheduleClient
  private let directory: EventDirectory?
  private let pageSize: Int
  private let time: any TimeSource

  /// Makes the roster of a client; asks nothing yet.
  /// - Parameter pageSize: how many sales a page has, 1 to 500; some 2 KB each have to fit what the client's transport reads.
  package init(client: EventScheduleClient, pageSize: Int = 500, time: any TimeSource = SystemTime()) {
    self.init(client: client, directory: nil, pageSize: pageSize, time: time)
  }

  /// - Parameter directory: tells in which zone an event is, and what types of tickets are called.
  init(
    client: EventScheduleClient, directory: EventDirectory?, pageSize: Int = 500, time: any TimeSource = SystemTime()
  ) {
    self.client = client
    self.directory = directory
    self.pageSize = pageSize
    self.time = time
  }

  package func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage? {
    guard number <= Self.mostPages else { throw tooMany }
    if number == 1 { await directory?.asked() }
    do throws(TransportFault) {
      var page = try await client.roster(
        of: day, page: Int64(number), size: pageSize, names: { directory?.name(ofType: $0) },
        deadline: time.now() + Self.patience)
      if let tickets = page?.tickets { page?.tickets = tickets.map { within(day, $0) } }
      return page
    } catch {
      throw TicketListFault(error.detail)
    }
  }

  /// A ticket, with the moments between which it admits on a day: days begin where its event is, as far as that is told.
  private func within(_ day: CivilDay, _ ticket: ToldTicket) -> ToldTicket {
    guard ticket.day == "\(day)", let zone = ticket.eventID.flatMap({ directory?.zone(of: EventID($0)) }) else {
      return ticket
    }
    var ticket = ticket
    ticket.from = ticket.from ?? WallTime(seconds: zone.time(local: day.number * 86_400))
    ticket.until = ticket.until ?? WallTime(seconds: zone.time(local: (day.number + 1) * 86_400))
    return ticket
  }

  private var tooMany: TicketListFault {
    TicketListFault("\(client.host) has more than \(Self.mostPages) pages of sales: that cannot be.")
  }

  package func page(_ number: Int) async throws(TicketListFault) -> RosterPage {
    guard number <= Self.mostPages else { throw tooMany }
    do throws(TransportFault) {
      return try await client.roster(
        page: Int64(number), size: pageSize, deadline: time.now() + (number == 1 ? Self.firstPatience : Self.patience))
    } catch {
      throw TicketListFault(
        "\(error.detail) If \(client.host) has no list of sales (GET /api/sales), import a file: scangate tickets import FILE"
      )
    }
  }
}
