import Foundation
import SQLiteFile

/// How to seed a venue.
package struct Seed: Sendable {
  /// Makes every secret follow from this number, for repeatable demonstrations and tests. Secrets are random without it.
  package var random: UInt64?
  /// The API key to make known instead of a fresh random one.
  package var apiKey: String?
  /// The IANA zone that the events take place in; this machine's when nil.
  package var zone: String?
  /// Whether there are two halls besides, with several events of one key on this one day.
  package var halls: Bool

  /// A seed with random secrets, a fresh key, the zone of this machine and no halls, unless told otherwise.
  package init(random: UInt64? = nil, apiKey: String? = nil, zone: String? = nil, halls: Bool = false) {
    self.random = random
    self.apiKey = apiKey
    self.zone = zone
    self.halls = halls
  }
}

/// One seeded ticket, to try at a gate.
package struct SeededTicket: Sendable, Equatable {
  /// What scanning it is to show.
  package enum Kind: String, Sendable, CaseIterable, Decodable {
    /// A printed ticket for today: admits once; a second scan is answered with the first scan's time.
    case entry
    /// A sale of two for today: each scan makes another entry.
    case sale
    /// `This ticket is not paid`
    case unpaid
    /// `This ticket is cancelled`
    case cancelled
    /// `This ticket is refunded`
    case refunded
    /// Answered 201, with a sale whose status is `expired`: the client has to refuse.
    case expired
    /// `This ticket is not valid for today`
    case wrongDay
    /// `You are not authorized to scan this ticket`
    case otherOrganiser
    /// `Ticket not found`
    case deleted

    /// The kind of a seeded sale, by the label that the database keeps of it: `wrongDay-7`.
    init?(label: String) { self.init(rawValue: String(label.prefix { $0 != "-" })) }
  }

  /// The kind. There are two tickets of kind `entry`, one of each other; with halls more that admit.
  package let kind: Kind
  /// The secret, as a wallet shows it.
  package let code: String
  /// The buyer's name.
  package let holder: String
  /// The number of its event.
  package let eventID: Int64
  /// The name of its event.
  package let event: String
  /// The ticket type; that of its first line where it has several.
  package let type: String
  /// The same code as a printed or mailed ticket shows it: a URL that nobody has to fetch.
  package let asURL: String
}

/// What seeding gave.
package struct SeededVenue: Sendable {
  /// The API key, told here once; only its hash is stored. Nil when the database was seeded before and no key was given:
  /// the key of then stays in force.
  package let apiKey: String?
  /// The name of today's event.
  package let event: String
  /// The tickets, those that admit first.
  package let tickets: [SeededTicket]
}

extension VenueServer {
  /// Makes an event of today, one of another day and one of another organiser, with a ticket of each kind, and a key.
  ///
  /// A database that was seeded before keeps its codes; its events are moved to today. When that is another day than
  /// theirs, their scans are forgotten.
  package func seed(_ seed: Seed = Seed()) async throws -> SeededVenue {
    let zoneName = seed.zone ?? TicketBook.localZone
    guard let zone = TimeZone.named(zoneName) else {
      throw VenueError.unusable("\"\(zoneName)\" is no time zone; give an IANA name such as Europe/Berlin")
    }
    if let key = seed.apiKey, !APIKeys.isUsable(key) {
      throw VenueError.unusable("the given API key must have 8 to 255 printable ASCII characters and no spaces")
    }
    let now = Timestamp(configuration.now()).seconds
    let today = CalendarDay.today(in: zone, at: now)
    return try await store.write { db in
      try Seeding(db: db, today: today, now: now, zone: zoneName).run(seed)
    }
  }
}

/// Seeding, inside its transaction.
private struct Seeding {
  let db: Database
  let today: CalendarDay
  let now: Int64
  let zone: String

  private struct Plan {
    let kind: SeededTicket.Kind
    let event: String
    let code: TicketBook.Ticket.Kind
    let status: String
    let holder: String
    var type: String?
  }

  private static let todaysEvent = "An Evening of Strings"
  private static let events = ["today", "other-day", "other-organiser"]
  /// Two halls, and two shows in one of them on one day.
  private static let hallEvents = ["hall-a-17", "hall-a-20", "hall-b-20", "guests"]

  private static let plans: [Plan] = [
    Plan(kind: .entry, event: "today", code: .entry, status: "paid", holder: "Ada Brandt"),
    Plan(kind: .entry, event: "today", code: .entry, status: "paid", holder: "Jürgen Groß"),
    Plan(kind: .sale, event: "today", code: .sale, status: "paid", holder: "Zoë O'Neill"),
    Plan(kind: .unpaid, event: "today", code: .entry, status: "unpaid", holder: "Tomás Ruiz"),
    Plan(kind: .cancelled, event: "today", code: .entry, status: "cancelled", holder: "Mina Okafor"),
    Plan(kind: .refunded, event: "today", code: .entry, status: "refunded", holder: "Lars Holm"),
    Plan(kind: .expired, event: "today", code: .entry, status: "expired", holder: "Ines Keller"),
    Plan(kind: .wrongDay, event: "other-day", code: .entry, status: "paid", holder: "Noor Haddad"),
    Plan(kind: .otherOrganiser, event: "other-organiser", code: .entry, status: "paid", holder: "Pia Lund"),
    // By its entry a deleted sale would still be admitted, as at the real server; by its own secret it is not found.
    Plan(kind: .deleted, event: "today", code: .sale, status: "deleted", holder: "Ivo Marek"),
  ]

  private static let hallPlans: [Plan] =
    hallEvents.flatMap { event in
      ["Standard", "VIP"].map { (type: String) in
        Plan(kind: .entry, event: event, code: .entry, status: "paid", holder: "\(type) of \(event)", type: type)
      }
    } + [
      Plan(kind: .sale, event: "hall-a-20", code: .sale, status: "paid", holder: "Ruth Vidal", type: "Standard")
    ]

  func run(_ seed: Seed) throws -> SeededVenue {
    let halls = seed.halls ? try ["hall-a", "hall-b"].map { try hall($0) } : []
    let wasSeeded = try db.integer("SELECT COUNT(*) FROM events WHERE seed IS NOT NULL") ?? 0 > 0
    var random = SecretSource(number: seed.random)
    let labels = Self.events + (seed.halls ? Self.hallEvents : [])
    let events = try Dictionary(uniqueKeysWithValues: labels.map { ($0, try event($0, halls)) })
    var tickets: [SeededTicket] = []
    for (index, plan) in (Self.plans + (seed.halls ? Self.hallPlans : [])).enumerated() {
      guard let (event, name) = events[plan.event] else { continue }
      let code = try ticket(plan, label: "\(plan.kind.rawValue)-\(index)", event: event, &random)
      tickets.append(
        SeededTicket(
          kind: plan.kind, code: code, holder: plan.holder, eventID: event, event: name, type: plan.type ?? "Admission",
          asURL: "https://venue.example/ticket/view/\(PublicID.text(event))/\(code)"))
    }
    let key = seed.apiKey ?? (wasSeeded ? nil : Secret.apiKey(&random))
    if let key { try APIKeys.store(db, hash: APIKeys.hash(key), ability: .manage) }
    return SeededVenue(apiKey: key, event: Self.todaysEvent, tickets: tickets)
  }

  /// A venue with two rooms.
  private func hall(_ label: String) throws -> Int64 {
    if let id: Int64 = try db.value("SELECT id FROM schedules WHERE seed = ?", label) { return id }
    let name = label == "hall-a" ? "Hall A" : "Hall B"
    try db.run(
      """
      INSERT INTO schedules (user_id, type, subdomain, name, details, created_at, updated_at, seed)
      VALUES (?, 'venue', ?, ?, ?, ?, ?, ?)
      """, Organiser.own, label, name, (["timezone": .string(zone), "city": "Berlin"] as JSONText).text(), now, now,
      label)
    let id = db.lastInsertedRowID
    for room in ["Stalls", "Balcony"] { try db.run("INSERT INTO rooms (schedule_id, name) VALUES (?, ?)", id, room) }
    return id
  }

  private func evening(_ label: String, _ halls: [Int64]) -> TicketBook.Evening {
    func evening(_ name: String) -> TicketBook.Evening { TicketBook.Evening(name: name, day: "\(today)", zone: zone) }
    var made: TicketBook.Evening
    switch label {
    case "other-day":
      made = evening("Next Week's Play")
      made.day = "\(today.adding(days: 7))"
    case "other-organiser":
      made = evening("Somebody Else's Party")
      made.organiser = Organiser.other
    case "hall-a-17":
      made = evening("Hall A 17:00")
      made.hour = 17
    case "hall-a-20": made = evening("Hall A 20:00")
    case "hall-b-20": made = evening("Hall B 20:00")
    case "guests":
      made = evening("Hall B 22:00, guests")
      (made.hour, made.organiser, made.editor) = (22, Organiser.other, Organiser.own)
    default: made = evening(Self.todaysEvent)
    }
    if made.organiser == Organiser.own || made.editor != nil, let last = halls.last {
      made.venue = made.name.hasPrefix("Hall B") ? last : halls[0]
    }
    if Self.hallEvents.contains(label) {
      made.types = [
        .init(name: "Standard", price: "10.000", quantity: 200), .init(name: "VIP", price: "25.000", quantity: 20),
      ]
    }
    return made
  }

  private func event(_ label: String, _ halls: [Int64]) throws -> (id: Int64, name: String) {
    let book = TicketBook(db: db)
    let evening = evening(label, halls)
    guard let row = try db.row("SELECT id, date FROM events WHERE seed = ?", label) else {
      let id = try book.addEvent(evening, seed: label)
      if label == "hall-a-20" { try addMember(to: id) }
      return (id, evening.name)
    }
    let id: Int64 = try row["id"]
    if try row["date"] != evening.day { try book.forgetScans(ofEvent: id) }
    try book.move(event: id, to: evening)
    return (id, evening.name)
  }

  /// Somebody who performs at one of the events alone: an empty list is no object.
  private func addMember(to event: Int64) throws {
    try db.run(
      """
      INSERT INTO schedules (user_id, type, subdomain, name, details, created_at, updated_at, seed)
      VALUES (?, 'talent', 'the-quartet', 'The Quartet', '{"email":"quartet@artists.example"}', ?, ?, 'the-quartet')
      """, Organiser.own, now, now)
    try db.run("INSERT INTO event_members (event_id, schedule_id) VALUES (?, ?)", event, db.lastInsertedRowID)
  }

  /// The code of the ticket that was seeded before, or of a new one.
  private func ticket(_ plan: Plan, label: String, event: Int64, _ random: inout SecretSource) throws -> String {
    let sql =
      switch plan.code {
      case .sale: "SELECT secret FROM sales WHERE seed = ?"
      case .entry:
        """
        SELECT entries.secret FROM entries JOIN sale_tickets ON sale_tickets.id = entries.sale_ticket_id
        JOIN sales ON sales.id = sale_tickets.sale_id WHERE sales.seed = ? ORDER BY entries.made_by_scan, entries.id
        """
      }
    if let code: String = try db.value(sql, label) { return code }
    let ticket = TicketBook.Ticket(
      code: Secret.ticket(&random), kind: plan.code, status: plan.status, isDeleted: plan.kind == .deleted,
      name: plan.holder, email: "\(label)@guests.example", quantity: plan.kind == .sale ? 2 : 1)
    try TicketBook(db: db).add(ticket, to: event, type: plan.type, seed: label, random: &random)
    if plan.code == .sale, plan.type != nil { try addVIP(to: label, of: event) }
    return ticket.code
  }
}

extension Seeding {
  /// A second line of a sale: one code, two types.
  fileprivate func addVIP(to label: String, of event: Int64) throws {
    try db.run(
      """
      INSERT INTO sale_tickets (sale_id, ticket_id, quantity)
      SELECT sales.id, tickets.id, 1 FROM sales JOIN tickets ON tickets.event_id = sales.event_id
      WHERE sales.seed = ? AND tickets.event_id = ? AND tickets.type = 'VIP'
      """, label, event)
  }
}

/// Random numbers of the system, or, from a number, the same ones each time (SplitMix64).
struct SecretSource: RandomNumberGenerator {
  private var state: UInt64?
  private var system = SystemRandomNumberGenerator()

  init(number: UInt64?) { state = number }

  mutating func next() -> UInt64 {
    guard let current = state else { return system.next() }
    let advanced = current &+ 0x9E37_79B9_7F4A_7C15
    state = advanced
    var mixed = advanced
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
