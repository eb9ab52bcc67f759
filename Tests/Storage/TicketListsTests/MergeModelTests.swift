import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import TicketLists

/// Whatever is added in whatever order, with a restart before each answer: the list says what a table in memory does.
@Suite struct MergeModelTests {
  /// A row of the table.
  private struct Row: Equatable {
    var status: ListedTicket.Status
    var day: Int64?
    var quantity: Int
    var sale: String
    var holder: String?
    var seats: [String]
    var asOf: WallTime

    var mayAdmit: Bool { status == .valid || status == .unconfirmed }

    init(_ told: ToldTicket, day: Int64?, asOf: WallTime) {
      self.status = told.status ?? .unconfirmed
      self.day = day
      (quantity, sale, holder, seats) = (told.quantity, told.sale ?? "", told.holder, told.seats)
      self.asOf = asOf
    }
  }

  /// An answer, with the day of each ticket.
  private struct Answer {
    var tickets: [(ticket: ToldTicket, day: Int64?)] = []
    var days: Range<Int64>?
    var forgetting: Int64?
  }

  /// The rules, as plainly as they can be written.
  private struct Table {
    var rows: [String: Row] = [:]

    mutating func merge(_ answer: Answer, now: WallTime) -> MergedTickets {
      let good = answer.tickets.filter { $0.ticket.status != nil }
      let bad = answer.tickets.filter { $0.ticket.status == nil }
      let days = bad.count > good.count ? nil : answer.days
      let told = Dictionary(grouping: good, by: \.ticket.code)
      let doubted = Set(bad.map(\.ticket.code))
      var next: [String: Row] = [:]
      var missing: [String] = []
      var (had, vanished, shared) = (0, 0, 0)
      for (code, row) in rows {
        let isInDays = row.day.map { days?.contains($0) ?? false } ?? false
        if told[code] != nil {
          if isInDays, row.mayAdmit { had += 1 }
          continue
        }
        if let end = answer.forgetting, let day = row.day, day < end { continue }
        if isInDays, row.mayAdmit { had += 1 }
        next[code] = row
        if doubted.contains(code), row.mayAdmit || row.status == .used {
          next[code]?.status = .unconfirmed
          next[code]?.asOf = now
        } else if isInDays, row.status != .cancelled {
          missing.append(code)
          if row.mayAdmit { vanished += 1 }
        }
      }
      let isDoubtful = vanished * 2 > had
      for code in missing {
        guard let row = next[code], !isDoubtful || row.mayAdmit || row.status == .used else { continue }
        next[code]?.status = isDoubtful ? .unconfirmed : .cancelled
        next[code]?.asOf = now
      }
      for (code, tickets) in told {
        var row = Row(tickets[0].ticket, day: tickets[0].day, asOf: now)
        if tickets.contains(where: { $0.ticket.sale != row.sale || $0.day != row.day }) {
          row.status = .unconfirmed
          (row.holder, row.seats) = (nil, [])
          shared += tickets.count
        } else if let former = rows[code], former.sale == row.sale, former.day == row.day,
          former.quantity == row.quantity
        {
          row.holder = row.holder ?? former.holder
          if row.seats.isEmpty { row.seats = former.seats }
        }
        next[code] = row
      }
      rows = next
      let problem =
        bad.isEmpty ? shared > 0 ? "two bookings have one code" : nil : "its state is none that is known"
      return MergedTickets(
        taken: good.count - shared, left: bad.count + shared, problem: problem, vanished: vanished,
        isDoubtful: isDoubtful)
    }
  }

  private func answer(_ evenings: Evenings, today: Int64, _ random: inout SeededGenerator) -> Answer {
    var answer = Answer()
    let few = random.chance(20)
    for number in 0..<24 where random.chance(few ? 20 : 75) {
      // A code is mostly of one show.
      let day = number == 0 ? nil : random.chance(90) ? Int64(number % 5) : Int64.random(in: 0...5, using: &random)
      func ticket(sale: String) -> ToldTicket {
        evenings.booking(
          "code\(number)", day: day,
          status: random.chance(5)
            ? nil
            : random.chance(85)
              ? .valid : [.unpaid, .cancelled, .refunded, .expired, .used].randomElement(using: &random),
          quantity: random.chance(80) ? 2 : 3, sale: sale, holder: random.chance(30) ? "Ada \(number)" : nil,
          seats: random.chance(30) ? ["F \(number)", "F \(number + 1)"] : [])
      }
      let told = ticket(sale: "sale \(number)")
      answer.tickets.append((told, day))
      // The same again, or another booking with its code.
      if told.status != nil, random.chance(5) { answer.tickets.append((told, day)) }
      if told.status != nil, random.chance(5) {
        var other = told
        other.sale = "another"
        answer.tickets.append((other, day))
      }
    }
    answer.tickets.shuffle(using: &random)
    if random.chance(70) { answer.days = today..<today + 1 + (random.chance(30) ? 1 : 0) }
    if random.chance(50) { answer.forgetting = today - 2 }
    return answer
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 12, release: 120))))
  func itIsATable(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let evenings = try Evenings()
    var table = Table()
    for _ in 0..<10 {
      evenings.now = evenings.now + .seconds(Int64.random(in: 60...43_200, using: &random))
      let now = evenings.now
      let today = (now - Evenings.midnight).milliseconds / 86_400_000
      let answer = answer(evenings, today: today, &random)
      let whole = answer.days.map {
        Evenings.day($0.lowerBound).lowerBound..<Evenings.day($0.upperBound - 1).upperBound
      }
      let merged = try await evenings.merge(
        answer.tickets.map(\.ticket), whole: whole, forgetting: answer.forgetting.map { Evenings.day($0).lowerBound })
      let wanted = table.merge(answer, now: now)
      expectEqual(merged, wanted, "seed \(seed)")
      if random.chance(30) { _ = try await evenings.list().tidy() }
      for number in 0..<24 {
        let code = "code\(number)"
        let found = try await evenings.find(code)
        let row = table.rows[code]
        expectEqual(found?.status, row?.status, "seed \(seed) \(code)")
        expectEqual(found?.quantity, row?.quantity, "seed \(seed) \(code)")
        expectEqual(found?.sale, row?.sale, "seed \(seed) \(code)")
        expectEqual(found?.from, row?.day.map(Evenings.show), "seed \(seed) \(code)")
        let isOver = row?.day.map { now >= Evenings.show($0) + .seconds(86_400) } ?? false
        expectEqual(found?.holder, isOver ? nil : row?.holder, "seed \(seed) \(code)")
        expectEqual(found?.seats ?? [], isOver ? [] : row?.seats ?? [], "seed \(seed) \(code)")
        try await expectEqual(evenings.asOf(code), row?.asOf, "seed \(seed) \(code)")
      }
      try expectEqual(evenings.reader().state.count, table.rows.count, "seed \(seed)")
    }
  }
}
