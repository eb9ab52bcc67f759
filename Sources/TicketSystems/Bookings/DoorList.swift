internal import LinuxIO
internal import ScanModel
internal import TicketTransport
internal import WireText

/// The door list as a roster: `GET /api/venues/ID/bookings/today`, one answer of 100 rows at most.
///
/// "Today" is the UTC date at the server, and rows have the venue's civil dates: an answer speaks for the venue's day of that date alone,
/// and only where it cannot have been cut. Where that day has no booking, it tells some others instead: each row is of its own day.
struct DoorList: TicketRoster {
  /// So many rows the service tells at most.
  static let mostRows = 100
  /// Before and after UTC midnight it is asked besides.
  private static let before = Duration.seconds(150), after = Duration.seconds(60)
  /// By how much the server's clock may differ from its `Date`, and by whole seconds.
  private static let margin = Duration.seconds(3)

  let door: Door
  /// Now, and whether that is trusted.
  let clock: @Sendable () -> JournalTime

  func current() async throws(TicketListFault) -> RosterAnswer? { try await told(isUnhurried: true) }

  private func told(isUnhurried: Bool) async throws(TicketListFault) -> RosterAnswer {
    do throws(TransportFault) {
      let told = try await door.list(isUnhurried: isUnhurried)
      let answer = answer(told, at: clock(), isUnhurried: isUnhurried)
      if let whole = answer.whole {
        door.forget(of: whole, but: Set(answer.tickets.map { Code($0.code) }), before: told.began)
      }
      return answer
    } catch {
      throw TicketListFault(error.detail)
    }
  }

  func nextTurn(after now: WallTime) -> WallTime? {
    let day = now.seconds / 86_400
    let turns = (day...(day + 1)).flatMap { day -> [WallTime] in
      let midnight = WallTime(seconds: (day + 1) * 86_400)
      return [midnight - Self.before, midnight + Self.after]
    }
    return ([WallTime(seconds: day * 86_400) + Self.after] + turns).filter { $0 > now }.min()
  }

  func page(_ number: Int) async throws(TicketListFault) -> RosterPage {
    guard number <= 1 else { return RosterPage(tickets: [], hasMore: false) }
    // Somebody has asked for it, and waits.
    return RosterPage(tickets: try await told(isUnhurried: false).tickets, hasMore: false)
  }

  /// It tells no day but today.
  func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage? { nil }

  /// What an answer tells. Pure, but for the pauses of who is unhurried.
  func answer(_ told: Door.ListAnswer, at now: JournalTime, isUnhurried: Bool = false) -> RosterAnswer {
    let zone = door.zone
    let rows = told.rows
    var pacer = isUnhurried ? Pacer() : nil
    let day = Self.day(of: told, at: now)
    let today = (day ?? (now.isTrusted ? CivilDay.split(now.wall.seconds).day : nil))?.number
    // One booking may stand there twice; two with one code cannot be told apart at the door.
    var firsts: [Code: Booking] = [:]
    var shared: Set<Code> = []
    for case .success(let booking) in rows {
      if let first = firsts[booking.code] {
        if first != booking { shared.insert(booking.code) }
      } else {
        firsts[booking.code] = booking
      }
      pacer?.breathe()
    }
    var seen: Set<Code> = []
    var tickets: [ToldTicket] = []
    var unread = 0
    for row in rows {
      pacer?.breathe()
      switch row {
      case .success(let booking):
        // Bookings of the day before yesterday are over wherever the venue is.
        if let today, booking.day.number <= today - 2 { continue }
        if seen.insert(booking.code).inserted {
          tickets.append(ToldTicket(booking, isAlone: !shared.contains(booking.code)))
        }
      case .failure(let fault):
        if fault.code == nil { unread += 1 }
        tickets.append(
          ToldTicket(
            code: fault.code?.text ?? "", isWholeSale: true, status: fault.code == nil ? nil : .unconfirmed,
            obstacle: "it \(fault.words)"))
      }
    }
    let gap = gap(rows: told.rows.count, unread: unread, day)
    let words = [
      gap,
      shared.isEmpty
        ? nil
        : "\(door.host) tells the codes of several bookings more than once (\(shared.count)): nobody is let in on these. Ask the box office.",
    ].compactMap(\.self)
    return RosterAnswer(
      tickets: tickets, whole: gap == nil ? day.map { ShowTime.span(of: $0, in: zone) } : nil,
      gap: words.isEmpty ? nil : words.joined(separator: " "))
  }

  private func gap(rows: Int, unread: Int, _ day: CivilDay?) -> String? {
    if rows >= Self.mostRows {
      return
        "\(door.host) has told \(rows) bookings; such a service tells \(Self.mostRows) at most, and there may be more: codes that are not on the list are asked "
        + "about, a few in 15 min. Import a file of all: scangate tickets import FILE"
    }
    if unread > 0 {
      return
        "\(unread) of \(rows) bookings that \(door.host) tells cannot be read: which these are is not known, and so no other one is "
        + "taken for cancelled."
    }
    if day == nil {
      return
        "Of which day \(door.host) has told cannot be said: it was about midnight UTC, or its clock and ours differ. No booking is taken "
        + "for cancelled."
    }
    return nil
  }

  /// The UTC date at the server all the while that it answered; `nil` where that cannot be told.
  private static func day(of told: Door.ListAnswer, at now: JournalTime) -> CivilDay? {
    let answered: WallTime
    if let date = told.answer.serverDate {
      // A clock that is a day off has another today, and whose that is cannot be told.
      if now.isTrusted, told.answer.isClockWrong { return nil }
      answered = date
    } else if now.isTrusted {
      answered = now.wall
    } else {
      return nil
    }
    let first = CivilDay.split((answered - told.took - margin).seconds).day
    return first == CivilDay.split((answered + margin).seconds).day ? first : nil
  }
}

extension ToldTicket {
  /// A booking for a list.
  /// - Parameter isAlone: whether no other booking has its code.
  init(_ booking: Booking, isAlone: Bool) {
    let ticket = booking.ticket
    self.init(
      code: booking.code.text, isWholeSale: true,
      status: !isAlone ? .unconfirmed : booking.hasKnownStatus ? ticket.status : nil, from: ticket.from,
      quantity: ticket.quantity, sale: ticket.sale, event: ticket.event, eventID: ticket.eventID, holder: ticket.holder)
  }
}
