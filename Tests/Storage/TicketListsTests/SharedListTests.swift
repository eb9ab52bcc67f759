import Expectations
import Glibc
import LinuxIO
import ScanModel
import ScanTesting
import Sealing
import Testing
import WireCoding

@testable import TicketLists

/// A list that goes from one station to another: by names that both know, and neither's key is the other's.
@Suite struct SharedListTests {
  private let (office, door): (ListFolder, ListFolder)
  /// The other station's key.
  private let doorKey: SealKey
  private let origin = ListOrigin(fleet: "summer 5f")
  /// What the fleet calls a code; a digest in truth.
  private let names = ListNames { code in
    Array((code.bytes + [UInt8](repeating: 0, count: ListNames.length)).prefix(ListNames.length))
  }

  init() throws {
    (office, door) = (try ListFolder(), try ListFolder())
    doorKey = try #require(SealKey(bytes: [UInt8](repeating: 9, count: SealKey.length)))
  }

  private var taken: TicketListPlace {
    TicketListPlace(state: door.path, system: door.place.system, server: door.place.server, origin: origin)
  }

  private func sharing(gives: Bool) -> ListSharing {
    ListSharing(names: names, gives: gives, origin: gives ? nil : origin)
  }

  private func load(_ text: String, asOf: Int64 = 1_700_000_000) throws {
    var settings = office.settings()
    settings.names = names
    settings.keepsDetails = true
    try office.load([UInt8](text.utf8), settings, asOf: asOf)
  }

  private func list() throws -> StoredTicketList {
    try StoredTicketList(door.place, key: doorKey, sharing: sharing(gives: false))
  }

  /// Reads the office's list.
  private func read() async throws -> (SharedListGiving, SharedListHead) {
    let giving = try SharedListGiving(office.place, key: office.key)
    return (giving, try #require(try await giving.read()).head)
  }

  /// Has the door take it.
  private func spread(age: Duration = .seconds(60), at now: Int64 = 1_800_000_000) async throws {
    let (giving, head) = try await read()
    let taking = try SharedListTaking(head, age: age, at: WallTime(seconds: now), into: taken, key: doorKey)
    for number in 0..<head.pieces { try await taking.take(try await giving.piece(number), number: number) }
    try await taking.finish()
  }

  private static let tickets = """
    code,kind,status,quantity,sale,event,event_id,ticket_type,valid_from,holder,seat
    one,entry,paid,1,S1,Fair,7,adult,2099-11-14 18:00,Ada Lovelace,F 12
    two,sale,paid,3,S1,Fair,7,adult,,Ada Lovelace,F 13
    three,entry,refunded,1,S2,,,,,,
    Three,entry,used,1,S3,,,,,,

    """

  @Test func whatOneStationHasAnotherFinds() async throws {
    try load(Self.tickets)
    let list = try list()
    expect(try await list.find(Code("one")) == nil)
    expect(list.isAbsent)
    try await spread()
    expect(!list.isAbsent)
    let here = try StoredTicketList(office.place, key: office.key, keepsDetails: true, sharing: sharing(gives: true))
    for code in ["one", "two", "three", "Three"] {
      var wanted = try #require(try await here.find(Code(code))?.ticket)
      if code == "one" { expectEqual(wanted.holder, "Ada Lovelace") }
      // Holders and seats stay where they are.
      (wanted.holder, wanted.seats) = (nil, [])
      guard case .named(let ticket, let told)? = try await list.find(Code(code)) else {
        expect(false, "\(code) is not found")
        continue
      }
      expectEqual(ticket, wanted)
      expectEqual(told.asOf, WallTime(seconds: 1_800_000_000 - 60))
      expect(try #require(told.running) >= .seconds(60))
    }
    guard case .unnamed(let all?, _)? = try await list.find(Code("four")) else { return expect(false) }
    expectEqual(all.asOf, WallTime(seconds: 1_800_000_000 - 60))
    expectEqual(door.names, [taken.name], "nothing is beside it")
  }

  /// What goes over the fleet has no code, no name of a person and no seat; and is the same bytes for the same tickets.
  @Test func piecesTellNoCode() async throws {
    let secret = "k7f2q9w5x1c8v6b4n2m0lkjhgfdsaqwe"
    var settings = office.settings()
    settings.names = ListNames { code in
      Array((code.bytes.reversed().map { ~$0 } + [UInt8](repeating: 0, count: 16)).prefix(ListNames.length))
    }
    settings.keepsDetails = true
    let text = "code,status,holder,seat\n\(secret),paid,Ada Lovelace,F 12\nother,paid,,\n"
    try office.load([UInt8](text.utf8), settings)
    let (giving, head) = try await read()
    expectEqual(head.pieces, 1)
    let piece = try await giving.piece(0)
    let told = String(decoding: piece, as: UTF8.self)
    for word in [secret, String(secret.prefix(8)), "Ada", "F 12"] { expect(!told.contains(word), "\(word)") }
    try office.load([UInt8](text.utf8), settings, asOf: 1_700_100_000)
    expectEqual(try await read().0.piece(0), piece)
  }

  /// The newer one of the two decides, whichever it is.
  @Test func newestWins() async throws {
    try load("code,status\none,paid\n")
    var own = door.settings(key: doorKey)
    own.names = nil
    let list = try list()
    let now = SystemTime().wall().seconds
    try door.load([UInt8]("code,status\none,cancelled\n".utf8), own, asOf: now)
    try await spread(age: .seconds(3_600), at: now)
    expectEqual(try await list.find(Code("one"))?.ticket?.status, .cancelled)
    try await spread(age: .seconds(30), at: now)
    expectEqual(try await list.find(Code("one"))?.ticket?.status, .valid)
    expectEqual(try await list.state()?.told.asOf, WallTime(seconds: now - 30))
    expectEqual(try await list.ownState()?.told.asOf, WallTime(seconds: now))
    // Of another event, or by another key, it is none; so where nothing is to be taken.
    let other = ListSharing(names: names, gives: false, origin: ListOrigin(fleet: "winter 5f"))
    for (key, sharing) in [(doorKey, other), (doorKey, sharing(gives: true))] {
      let list = try StoredTicketList(door.place, key: key, sharing: sharing)
      expectEqual(try await list.find(Code("one"))?.ticket?.status, .cancelled)
    }
    door.place.removeTaken()
    expectEqual(try await list.find(Code("one"))?.ticket?.status, .cancelled)
  }

  /// What came on board before it had names is not told; then a code that others do not find may be a ticket.
  @Test func whatHasNoNameIsNotTold() async throws {
    try office.load("code,status,date\nold,paid,2023-11-01\n")
    expect(try await SharedListGiving(office.place, key: office.key).read() == nil)
    let here = try StoredTicketList(office.place, key: office.key, sharing: sharing(gives: true))
    let day = WallTime(seconds: 1_700_000_000)..<WallTime(seconds: 1_700_086_400)
    let new = try await here.replacement(of: day, asOf: WallTime(seconds: 1_700_000_500)) { _ in nil }
    try await new.add([ToldTicket(code: "new", isWholeSale: true, status: .valid, from: day.lowerBound)])
    _ = try await new.finish(mayShrink: true)
    try await spread()
    let list = try list()
    expectEqual(try await list.find(Code("new"))?.ticket?.status, .valid)
    guard case .unnamed(nil, _)? = try await list.find(Code("old")) else { return expect(false) }
  }

  /// What is older than the newest of a list is as much older where it came to.
  @Test func partsKeepTheirAges() async throws {
    try load("code,status,date\nold,paid,2023-11-01\n", asOf: 1_700_000_000)
    let here = try StoredTicketList(office.place, key: office.key, sharing: sharing(gives: true))
    let day = WallTime(seconds: 1_700_100_000)..<WallTime(seconds: 1_700_186_400)
    let new = try await here.replacement(of: day, asOf: WallTime(seconds: 1_700_100_000)) { _ in nil }
    try await new.add([ToldTicket(code: "new", isWholeSale: true, status: .valid, from: day.lowerBound)])
    _ = try await new.finish(mayShrink: true)
    try await spread(age: .seconds(60), at: 1_800_000_000)
    let list = try list()
    guard case .named(_, let told)? = try await list.find(Code("old")),
      case .unnamed(let all?, _)? = try await list.find(Code("x"))
    else { return expect(false) }
    expectEqual(told.asOf, WallTime(seconds: 1_800_000_000 - 60 - 100_000))
    expectEqual(all.asOf, told.asOf)
    expect(try #require(told.running) >= .seconds(100_060))
  }

  /// Pieces that have not changed are taken as they are on board; a half one never takes the place of what is there.
  @Test(arguments: [false, true]) func whatIsTheSameIsNotSentAgain(_ isCrowded: Bool) async throws {
    let codes = (0..<3_000).map { "\($0 % 251)-code-\($0)" }
    func text(_ last: String) -> String { "code,status\n" + codes.map { "\($0),paid\n" }.joined() + "\(last),paid\n" }
    // In few pieces, and in many of which most have nothing.
    let mixed = ListNames { code in
      var number: UInt64 = 14_695_981_039_346_656_037
      for byte in code.bytes { number = (number ^ UInt64(byte)) &* 1_099_511_628_211 }
      var name: [UInt8] = []
      for _ in 0..<ListNames.length {
        number = (number ^ number >> 29) &* 0xBF58_476D_1CE4_E5B9
        name.append(UInt8(truncatingIfNeeded: number >> 40))
      }
      if isCrowded { name[0] = 0xFF }
      return name
    }
    var settings = office.settings()
    settings.names = mixed
    try office.load([UInt8](text("first").utf8), settings)
    let (giving, head) = try await read()
    // 64 bytes a ticket, in halves of pieces; what is crowded wants more.
    expect(isCrowded ? head.pieces > 16 : head.pieces == 16)
    var before: [[UInt8]] = []
    for number in 0..<head.pieces { before.append(try await giving.piece(number)) }
    func take(_ head: SharedListHead, _ body: (SharedListTaking) async throws -> Void) async throws {
      let taking = try SharedListTaking(
        head, age: .zero, at: WallTime(seconds: 1_800_000_000), into: taken, key: doorKey)
      try await body(taking)
      try await taking.finish()
    }
    try await take(head) { for (number, piece) in before.enumerated() { try await $0.take(piece, number: number) } }
    try office.load([UInt8](text("second").utf8), settings)
    let (again, next) = try await read()
    expectEqual(next.pieces, head.pieces)
    var sent = 0
    let longest = before.indices.max { before[$0].count < before[$1].count }
    // One that lacks a piece is not taken.
    await #expect(throws: TicketListFault.self) {
      try await take(next) { for number in 0..<next.pieces where number != longest { try await $0.keep(number) } }
    }
    try await take(next) { taking in
      for number in 0..<next.pieces {
        let piece = try await again.piece(number)
        if piece == before[number] {
          try await taking.keep(number)
        } else {
          sent += 1
          try await taking.take(piece, number: number)
        }
      }
    }
    expect((1...2).contains(sent), "\(sent) pieces")
    let list = try StoredTicketList(
      door.place, key: doorKey, sharing: ListSharing(names: mixed, gives: false, origin: origin))
    for code in codes.prefix(200) + ["second"] { expect(try await list.find(Code(code))?.ticket?.status == .valid) }
    expect(try await list.find(Code("first"))?.ticket == nil)
  }

  /// Whatever bytes come: they are tickets in their places, or they are refused.
  @Test func garbage() throws {
    for seed in 0..<UInt64(extent(landing: 400, release: 20_000)) {
      var random = SeededGenerator(seed: seed)
      let tickets = (0..<Int.random(in: 0...20, using: &random)).map { _ in anyTicket(&random) }
        .sorted { $0.row.digest.lexicographicallyPrecedes($1.row.digest) }
      let piece = SharedTickets(tickets: tickets)
      let bytes = try #require(piece.bytes)
      let whole = try SharedTickets(bytes) { _ in true }
      expect(whole == piece, "seed \(seed)")
      expectEqual(whole.bytes, bytes, "seed \(seed)")
      var spoiled = bytes
      switch Int.random(in: 0...3, using: &random) {
      case 0: spoiled.removeLast(Int.random(in: 1...spoiled.count, using: &random))
      case 1: spoiled.append(0)
      case 2:
        for _ in 0..<3 {
          spoiled[Int.random(in: 0..<spoiled.count, using: &random)] = .random(in: 0...255, using: &random)
        }
      default: spoiled += bytes.suffix(20)
      }
      // What is read has a form of its own, which is read again.
      if let read = try? SharedTickets(spoiled, isHere: { _ in true }) {
        let form = try #require(read.bytes, "seed \(seed)")
        expect(try SharedTickets(form) { _ in true } == read, "seed \(seed)")
      }
      if !tickets.isEmpty {
        #expect(throws: WireError.self) { try SharedTickets(bytes) { _ in false } }
      }
    }
  }

  private func anyTicket(_ random: inout SeededGenerator) -> SharedTickets.Ticket {
    let statuses = ListedTicket.Status.allCases.map(\.strictness)
    var row = StoredTicket(digest: (0..<ListNames.length).map { _ in .random(in: 0...255, using: &random) })
    row.status = statuses.randomElement(using: &random)
    row.from = random.chance(50) ? .random(in: .min ... .max, using: &random) : nil
    row.until = random.chance(50) ? .random(in: .min ... .max, using: &random) : nil
    row.quantity = .random(in: 1...100_000, using: &random)
    row.sale = ["S1", "", "é", nil].randomElement(using: &random) ?? nil
    row.twin = random.chance(20) ? 1 : 0
    let name = ["Fair", "Tür", nil].randomElement(using: &random) ?? nil
    if random.chance(60) { row.event = StoredEvent(name: name, identity: "7", kind: random.chance(50) ? "adult" : nil) }
    if random.chance(30) { row.part = ListPart(asOf: .random(in: 0...3, using: &random), imported: 0) }
    return SharedTickets.Ticket(
      row: row, saleQuantity: row.sale != nil && random.chance(50) ? .random(in: 1...100_000, using: &random) : nil)
  }
}
