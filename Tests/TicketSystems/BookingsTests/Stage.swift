import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import Bookings

/// The machine's monotonic clock and a civil one of a test's own, both moved ahead by it.
final class StageTime: TimeSource {
  private let ahead = Mutex(Duration.zero)
  private let began = SystemTime().now()
  private let start: WallTime

  init(_ start: WallTime) { self.start = start }

  func advance(by duration: Duration) { ahead.withLock { $0 += duration } }
  func now() -> MonotonicTime { SystemTime().now() + ahead.withLock { $0 } }
  func wall() -> WallTime { start + (now() - began) }
}

/// Sealed records, in memory.
final class Records: SessionRecords {
  private let kept = Mutex<[String: [UInt8]]>([:])

  func read(_ name: String) -> [UInt8]? { kept.withLock { $0[name] } }
  func keep(_ bytes: [UInt8]?, as name: String) { kept.withLock { $0[name] = bytes } }
  var all: [String: [UInt8]] { kept.withLock { $0 } }
}

/// What is on board, in memory.
final class Board: TicketList {
  private struct State {
    var tickets: [Code: ListedTicket] = [:]
    var asOf: WallTime?
    var isWhole = true
  }

  private let state = Mutex(State())

  /// Puts a list on board.
  func put(_ tickets: [Code: ListedTicket], asOf: WallTime, isWhole: Bool = true) {
    state.withLock { $0 = State(tickets: tickets, asOf: asOf, isWhole: isWhole) }
  }

  func state() async throws(TicketListFault) -> TicketListState? {
    state.withLock { state in state.asOf.map { TicketListState(asOf: $0, count: state.tickets.count) } }
  }

  func find(_ code: Code) async throws(TicketListFault) -> ListFinding? {
    state.withLock { state in
      guard let asOf = state.asOf else { return nil }
      let age = ListAge(asOf: asOf)
      return state.tickets[code].map { .named($0, age) } ?? .unnamed(all: state.isWhole ? age : nil, any: age)
    }
  }
}

/// A venue's zone.
func zone(_ name: String = "Europe/London") throws -> ZoneRules { try #require(ZoneRules.named(name)) }

/// A moment of London's summer in 2026.
func london(_ text: String) throws -> WallTime { try #require(WallTime(iso8601: text + ":00+01:00")) }

/// An answer's name: `valid`, `refused expired`, `undecided badAnswer`.
func name(_ answer: TicketAnswer) -> String {
  switch answer {
  case .redeemed: "redeemed"
  case .valid: "valid"
  case .refused(let reason, _): "refused \(reason)"
  case .undecided(let reason, _): "undecided \(reason)"
  }
}

/// What an answer tells staff.
func detail(_ answer: TicketAnswer) -> String {
  switch answer {
  case .redeemed, .valid: ""
  case .refused(_, let detail), .undecided(_, let detail): detail ?? ""
  }
}

/// One station's door of a service, over real HTTP, without a ledger. The night of 2 May 2026 in London, ten to seven, unless a test says
/// otherwise.
struct Stage {
  let service: TheatreService
  let time: StageTime
  let board = Board()
  let door: Door
  let transport: HTTPTransport
  let records: Records?
  let memories: DoorMemories
  let settings: BookingsSection.System
  let list: ListOnBoard

  static let id = TicketSystemID("theatre")
  static let place = SourcePosition(file: "f", line: 3, column: 5)

  /// Opens a service and a door of it.
  static func open(
    _ shape: TheatreService.Shape = .real, at start: WallTime? = nil, password: String = TheatreService.password,
    isTrusted: Bool = true, records: Records? = nil, use: ConnectionUse = .gates, refresh: Duration? = nil
  ) async throws -> Stage {
    let time = StageTime(try start ?? london("2026-05-02T18:50"))
    let service = TheatreService(shape, time: time)
    return try Stage(
      service, port: try await service.open(), time: time, password: password, isTrusted: isTrusted, records: records,
      memories: DoorMemories(), use: use, refresh: refresh)
  }

  private init(
    _ service: TheatreService, port: Int, time: StageTime, password: String, isTrusted: Bool, records: Records?,
    memories: DoorMemories, use: ConnectionUse, refresh: Duration?,
    changing: (inout BookingsSection.System) -> Void = { _ in }
  ) throws {
    self.service = service
    self.time = time
    self.records = records
    self.memories = memories
    var settings = BookingsSection.System(
      url: try ServerAddress("http://127.0.0.1:\(port)"), urlPosition: Self.place,
      venue: .init(id: "v-1", slug: "hamilton", zone: try zone(), zoneName: "Europe/London"),
      staff: .init(
        email: "door@example.org", password: CredentialReference(name: "theatre-door", position: Self.place)),
      origin: try ServerAddress("https://lastminutelive.com"))
    changing(&settings)
    self.settings = settings
    let credentials = CredentialResolver(sessions: records) { _ throws(SetupError) in password }
    (door, transport) = try settings.door(of: Self.id, use, credentials, time, remembering: memories)
    var list = ListOnBoard(of: Self.id, board, maxAge: BookingsSection.listAge) {
      JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: isTrusted)
    }
    list.refresh = refresh
    self.list = list
  }

  /// The same service, asked by a station that was reloaded, or started again.
  func again(
    isReload: Bool = false, password: String = TheatreService.password, isTrusted: Bool = true,
    changing: (inout BookingsSection.System) -> Void = { _ in }
  ) throws -> Stage {
    try Stage(
      service, port: settings.url.port, time: time, password: password, isTrusted: isTrusted, records: records,
      memories: isReload ? memories : DoorMemories(), use: .gates, refresh: nil, changing: changing)
  }

  /// A door that nobody asks.
  static func offlineDoor() throws -> Door {
    let settings = BookingsSection.System(
      url: try ServerAddress("http://127.0.0.1:9"), urlPosition: place,
      venue: .init(id: "v-1", slug: "hamilton", zone: try zone(), zoneName: "Europe/London"))
    return try settings.door(
      of: id, .gates, CredentialResolver { _ throws(SetupError) in "" }, SystemTime(), remembering: DoorMemories()
    ).door
  }

  func close() async {
    await transport.close()
    await service.close()
  }

  /// One gate's face.
  func system(_ gate: BookingsSection.Gate = .init()) -> BookingsTicketSystem {
    BookingsTicketSystem(id: Self.id, door: door, gate: gate, list: list, cure: transport.words.addressCure)
  }

  /// The list as its refresher takes it.
  var roster: DoorList { DoorList(door: door, clock: { list.now() }) }

  /// Signs in, as the probe does before a gate is ready.
  func signIn() async throws {
    _ = try await door.session?.session(until: time.now() + .seconds(30))
  }

  /// Puts on board what the service tells.
  func refresh() async throws {
    let answer = try #require(try await roster.current())
    board.put(
      Dictionary(
        answer.tickets.map { ticket in
          (
            Code(ticket.code),
            ListedTicket(
              status: ticket.status ?? .unconfirmed, from: ticket.from, until: ticket.until, quantity: ticket.quantity,
              sale: ticket.sale, event: ticket.event, eventID: ticket.eventID, holder: ticket.holder,
              seats: ticket.seats)
          )
        }, uniquingKeysWith: { first, _ in first }), asOf: time.wall(), isWhole: answer.whole != nil)
  }

  /// One presentation. The deadline is far away unless a test is about it.
  func attempt(
    _ code: String, at gate: BookingsSection.Gate = .init(), within limit: Duration = .seconds(60),
    late: @escaping @Sendable (AttemptOutcome) -> Void = { _ in }
  ) async -> AttemptOutcome {
    let system = system(gate)
    return await system.attempt(
      AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: system.recognise(Code(code)).code, deadline: time.now() + limit),
      late: late)
  }

  /// Whether a text holds the password, a session or a whole code.
  static func holdsSecret(_ text: String, code: String = "LATE0001") -> Bool {
    [TheatreService.password, "session-", code].contains { text.contains($0) }
  }
}
