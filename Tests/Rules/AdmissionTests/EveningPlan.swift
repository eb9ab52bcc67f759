import ScanModel
import ScanTesting

/// What is to happen on one evening, as its seed says: what was sold, who comes when with which code, and what goes wrong.
///
/// It is a plan and no more, so that a failing evening can be tried again without some of its people and incidents.
struct EveningPlan {
  /// What the ticket system remembers.
  enum Server: Equatable {
    /// A record of each admission, with its time.
    case records
    /// That a ticket was used, and no time; it says so by this reason.
    case spentOnly(RefuseReason)
  }

  enum Status: Equatable {
    case paid
    case refused(RefuseReason)
    /// Refused, and a record is made all the same: a sale that is still to be paid.
    case refusedAndRecorded(RefuseReason)
  }

  struct Sale {
    let persons: Int
    let isNamed: Bool
    let status: Status
  }

  struct Ticket {
    let isEntry: Bool
    let sale: Int
  }

  /// A code, and the ticket that the server finds by it; `nil` where it finds none.
  struct Code {
    let ticket: Int?
    /// Codes of one group differ in case alone.
    let group: Int
  }

  struct Person {
    let id: Int
    let code: Int
    /// Whether it is theirs; else it is a copy.
    let isHonest: Bool
    let arrives: Int64
    /// How often they come, before the evening calms down.
    let visits: Int
  }

  enum What {
    /// Another station redeems the code.
    case foreign(code: Int)
    case sale(Int, Status)
    /// The ticket system goes offline, or is back.
    case reach(Bool)
    /// The process ends, or the machine; it is back after so many nanoseconds.
    case end(isReboot: Bool, away: Int64)
  }

  struct Incident {
    let id: Int
    let at: Int64
    let what: What
  }

  static let second: Int64 = 1_000_000_000

  let seed: UInt64
  var server = Server.records
  var folds = false
  var clocks = EveningClocks()
  var sales: [Sale] = []
  var tickets: [Ticket] = []
  var codes: [Code] = []
  var persons: [Person] = []
  var incidents: [Incident] = []
  /// Of 100 requests, so many meet something else than an answer.
  var loss = 0
  /// Of 100 requests, so many are cut off by the end of the process or the machine.
  var cuts = 0
  var canReboot = false
  /// Whether the disk takes longer than a gate waits.
  var isDiskSlow = false
  /// Whether a ticket can be looked up.
  var canLookUp = true
  /// Whether gates admit without the ticket system's word.
  var mayAdmitOffline = false
  /// The sale for whose event one of the gates is not; that is `barringGate`.
  var barred: Int?
  static let barringGate = GateID("gate 2")
  /// From when on nothing goes wrong any more.
  var calm: Int64 = 0

  private var dice: SeededGenerator

  init(seed: UInt64) {
    self.seed = seed
    dice = SeededGenerator(seed: seed)
    if dice.chance(25) { server = .spentOnly(dice.chance(60) ? .alreadyUsed : .unpaid) }
    folds = server == .records && dice.chance(50)
    clocks = EveningClocks(&dice)
    loss = [0, 0, 15, 40, 60].randomElement(using: &dice) ?? 0
    if dice.chance(35) {
      cuts = 12
      canReboot = dice.chance(50)
      isDiskSlow = dice.chance(15)
    }
    canLookUp = dice.chance(75)
    sell()
    let isCrowded = clocks.isApart && dice.chance(40)
    if isCrowded { sellToCrowd() }
    let last = invite()
    disturb(until: last)
    calm = last + 200 * Self.second
    if dice.chance(20) { barred = sales.indices.randomElement(using: &dice) }
  }

  // MARK: What was sold

  private mutating func sell() {
    for _ in 0..<Int.random(in: 1...2, using: &dice) {
      var persons = Int.random(in: 1...3, using: &dice)
      if server != .records { persons = 1 }
      let hasEntries = server != .records || dice.chance(70)
      let hasSecret = server == .records && (!hasEntries || dice.chance(35))
      let entries = hasEntries ? (dice.chance(50) ? persons : 1) : 0
      let isOne = entries + (hasSecret ? 1 : 0) == 1
      let sale = sales.count
      sales.append(Sale(persons: persons, isNamed: !isOne || server == .records && dice.chance(80), status: status()))
      for number in 0..<entries + (hasSecret ? 1 : 0) where tickets.count < 4 {
        let ticket = tickets.count
        tickets.append(Ticket(isEntry: number < entries, sale: sale))
        let group = codes.count
        codes.append(Code(ticket: ticket, group: group))
        guard server == .records, dice.chance(25) else { continue }
        codes.append(Code(ticket: folds ? ticket : nil, group: group))
      }
    }
    // Two tickets that differ in case alone.
    if server == .records, !folds, dice.chance(10), tickets.count > 1,
      let last = codes.lastIndex(where: { $0.ticket != nil })
    {
      codes[last] = Code(ticket: codes[last].ticket, group: codes[0].group)
    }
  }

  private mutating func status() -> Status {
    switch Int.random(in: 0..<100, using: &dice) {
    case 0..<7: .refused(.unpaid)
    case 7..<15 where server == .records: .refusedAndRecorded(dice.chance(50) ? .expired : .unpaid)
    case 15..<18: .refused(.cancelled)
    case 18..<20: .refused(.refunded)
    default: .paid
    }
  }

  /// Tickets of one person each, who come once: it takes several to show that clocks are apart.
  private mutating func sellToCrowd() {
    for _ in 0..<Int.random(in: 6...13, using: &dice) {
      sales.append(Sale(persons: 1, isNamed: true, status: .paid))
      tickets.append(Ticket(isEntry: true, sale: sales.count - 1))
      codes.append(Code(ticket: tickets.count - 1, group: codes.count))
    }
  }

  // MARK: Who comes

  private mutating func moment(after time: Int64) -> Int64 {
    let scales: [Int64] = [200_000_000, Self.second, 10 * Self.second, 100 * Self.second]
    let scale = scales.randomElement(using: &dice) ?? 0
    return time + Int64.random(in: 0...scale, using: &dice)
  }

  /// - Returns: when the last one arrives.
  private mutating func invite() -> Int64 {
    var guests: [(code: Int, isHonest: Bool)] = []
    var outside = sales.map(\.persons)
    for (index, ticket) in tickets.enumerated() {
      let spellings = codes.indices.filter { codes[$0].ticket == index }
      guard let own = spellings.first else { continue }
      let count = ticket.isEntry ? min(1, outside[ticket.sale]) : outside[ticket.sale]
      outside[ticket.sale] -= count
      for _ in 0..<count { guests.append((own, true)) }
      // A holder's reader may shout; whoever has a copy tries what he can.
      for _ in 0..<2 where dice.chance(20) {
        guests.append((spellings.randomElement(using: &dice) ?? own, false))
      }
    }
    for (index, code) in codes.enumerated() where code.ticket == nil && dice.chance(50) {
      guests.append((index, false))
    }
    guests.shuffle(using: &dice)
    var time = 1_000 * Self.second
    for (id, guest) in guests.enumerated() {
      time = moment(after: time)
      persons.append(
        Person(
          id: id, code: guest.code, isHonest: guest.isHonest, arrives: time,
          visits: Int.random(in: 1...(guests.count > 6 ? 2 : 4), using: &dice)))
    }
    return time
  }

  // MARK: What goes wrong

  private mutating func disturb(until last: Int64) {
    let begin = 995 * Self.second
    let end = last + 60 * Self.second
    func add(_ what: What, _ at: Int64, to incidents: inout [Incident]) {
      incidents.append(Incident(id: incidents.count, at: at, what: what))
    }
    for code in codes.indices where codes[code].ticket != nil && dice.chance(12) {
      // At any time, or close to one who comes with the same code.
      var at = Int64.random(in: begin...end, using: &dice)
      if let person = persons.filter({ $0.code == code }).randomElement(using: &dice), dice.chance(60) {
        at = person.arrives + Int64.random(in: -6 * Self.second...40 * Self.second, using: &dice)
      }
      add(.foreign(code: code), at, to: &incidents)
    }
    for sale in sales.indices {
      let at = Int64.random(in: begin...end, using: &dice)
      switch sales[sale].status {
      case .paid: if dice.chance(6) { add(.sale(sale, .refused(.refunded)), at, to: &incidents) }
      case .refused(.unpaid), .refusedAndRecorded: if dice.chance(70) { add(.sale(sale, .paid), at, to: &incidents) }
      case .refused: break
      }
    }
    if dice.chance(35) {
      mayAdmitOffline = dice.chance(75)
      for _ in 0..<Int.random(in: 1...2, using: &dice) {
        let away = Int64.random(in: begin...last, using: &dice)
        add(.reach(false), away, to: &incidents)
        add(.reach(true), moment(after: moment(after: away)), to: &incidents)
      }
    }
    guard cuts > 0, dice.chance(60) else { return }
    let away = dice.chance(85) ? Int64.random(in: Self.second...15 * Self.second, using: &dice) : 120 * Self.second
    let isReboot = canReboot && dice.chance(60)
    add(.end(isReboot: isReboot, away: away), Int64.random(in: begin...end, using: &dice), to: &incidents)
  }
}
