@testable import StationSetUp
import Enrolment
import EventSchedule
import Expectations
import Glibc
import ScanConfiguration
import ScanModel
import ScanTesting
import Sealing
import StationProtocol
import Testing
import TicketSystemKit

@testable import Gateway

/// What ticket systems gave for set-up codes, from the record to the configuration.
@Suite struct EnrolmentBookTests {
  private let store: SealedRecordStore
  private let book: EnrolmentBook

  init() throws {
    var template = Array("\(temporaryRoot)/scangate-enrolments-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let keys = SealKeySource(state: folder, given: nil)
    store = SealedRecordStore(keys: keys)
    book = EnrolmentBook(keys: keys)
  }

  private static func station(_ more: String = "", ticket: String = "", other: String = ", ticket: { saleTicket: 3 }")
    throws -> StationConfiguration
  {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        main: { type: eventschedule, enrol: true }
      readers:
        left: { type: wedge, match: { vendor: "0c2e" } }
        right: { type: wedge, match: { vendor: "05e0" } }
      gates:
        north: { readers: [left], ticketSystem: main\(ticket) }
        south: { readers: [right], ticketSystem: main\(other) }
      \(more)
      """
    return try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
  }

  private static let main = TicketSystemID("main")

  private static func enrolment(
    url: String = "https://tickets.example/api", key: String = "key-of-the-gate", saleTicket: Int64? = 7
  ) throws -> Enrolment {
    Enrolment(
      type: "eventschedule", url: url, apiKey: try #require(GivenKey(key)), gate: "door-1", saleTicket: saleTicket,
      seat: "A")
  }

  private func section(_ gate: String, _ station: StationConfiguration) throws -> EventScheduleSection.Gate? {
    try #require(station.gates.first { $0.id == GateID(gate) }).ticket as? EventScheduleSection.Gate
  }

  @Test func whatWasGivenCompletesTheConfigurationAndItsKeyIsFound() throws {
    let written = try Self.station()
    expectEqual(book.complete(written).missing, [Self.main: "Its ticket system main is not enrolled."])
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    let completed = book.complete(written)
    expect(completed.missing.isEmpty)
    expect(completed.configuration.ticketSystems[0].address.contains("tickets.example/api"))
    // Which ticket and seat is for the gate at whose scanner the code was held.
    try expectEqual(section("north", completed.configuration), EventScheduleSection.Gate(saleTicket: 7, seat: "A"))
    try expectEqual(section("south", completed.configuration), EventScheduleSection.Gate(saleTicket: 3, seat: nil))
    let resolver = completed.resolver(
      else: CredentialResolver { _ throws(SetupError) in throw SetupError("another name") })
    try expectEqual(resolver("enrolled:main"), "key-of-the-gate")
    #expect(throws: SetupError.self) { try resolver("main") }
    try expectEqual(
      book.list(),
      [
        EnrolmentBook.Listed(
          system: Self.main, url: "https://tickets.example/api", gate: "door-1", at: WallTime(seconds: 1))
      ])
  }

  /// Who may look at the station, and what may be ordered of it, the file alone says.
  @Test func noCodeOpensTheConsole() throws {
    let without = try Self.station()
    let with = try Self.station("console: { listen: 127.0.0.1:8088, orders: [maintenance] }")
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    expect(book.complete(without).configuration.console == nil && book.complete(without).configuration.mqtt == nil)
    let console = try #require(with.console)
    expectEqual(book.complete(with).configuration.console, console)
    expectEqual(console.orders, [.maintenance])
  }

  @Test func whatTheFileSaysOfAGateCounts() throws {
    let written = try Self.station(ticket: ", ticket: { saleTicket: 3 }")
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    try expectEqual(section("north", book.complete(written).configuration)?.saleTicket, 3)
  }

  /// A code says which tickets its gate takes: another gate, or one of another name, must not take them all.
  @Test func aGateWithoutACodeOfItsOwnTakesNoTicketsThatOthersWereGiven() throws {
    let written = try Self.station(other: "")
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    let before = book.complete(written)
    expectEqual(before.missing[Self.main]?.contains("Gate south has no set-up code of its own"), true)
    expect(before.configuration.ticketSystems[0].isUnenrolled)
    try book.keep(
      Self.enrolment(key: "another-key", saleTicket: 8), of: Self.main, by: GateID("south"), at: WallTime(seconds: 2))
    let after = book.complete(written)
    expect(after.missing.isEmpty)
    try expectEqual(section("north", after.configuration)?.saleTicket, 7)
    try expectEqual(section("south", after.configuration)?.saleTicket, 8)
    // The operator gives a gate another name.
    var renamed = written
    renamed.gates[0].id = GateID("main")
    expectEqual(book.complete(renamed).missing[Self.main]?.contains("Gate main"), true)
    // Where the ticket system says nothing of which tickets, all gates have what it gave.
    _ = try book.forget(Self.main)
    try book.keep(Self.enrolment(saleTicket: nil), of: Self.main, by: GateID("north"), at: WallTime(seconds: 3))
    expect(book.complete(written).missing.isEmpty)
  }

  @Test func whatTheFileSaysAndWhatTheCodeSaysOfAGateHoldTogether() throws {
    let written = try Self.station(ticket: #", ticket: { seat: "B" }"#)
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    try expectEqual(
      section("north", book.complete(written).configuration), EventScheduleSection.Gate(saleTicket: 7, seat: "B"))
  }

  /// Two scopes at one server would keep the whole station from starting.
  @Test func anEnrolmentThatWouldStopTheStationIsAProblemOfItsSystemAlone() throws {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        main: { type: eventschedule, enrol: true, scope: untilExit }
        other: { type: eventschedule, url: "https://tickets.example/api", apiKey: other }
      readers:
        left: { type: wedge, match: { vendor: "0c2e" } }
        right: { type: wedge, match: { vendor: "05e0" } }
      gates:
        north: { readers: [left], ticketSystem: main }
        south: { readers: [right], ticketSystem: other }
      """
    let written = try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    let completed = book.complete(written)
    expectEqual(completed.missing[Self.main]?.contains("another scope"), true)
    expect(!completed.configuration.ticketSystems[1].isUnenrolled)
    let memory = try StationMemory(dependencies: .inMemory())
    for system in completed.configuration.ticketSystems {
      _ = try memory.ledger(of: system, floodLimit: 20, time: SystemTime(), events: EventHub())
    }
  }

  /// What comes later is what is refused.
  @Test func anEnrolmentTakesNoneOutOfServiceThatWasThereBefore() throws {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        main: { type: eventschedule, enrol: true, scope: untilExit }
        other: { type: eventschedule, enrol: true }
      readers:
        left: { type: wedge, match: { vendor: "0c2e" } }
        right: { type: wedge, match: { vendor: "05e0" } }
      gates:
        north: { readers: [left], ticketSystem: main }
        south: { readers: [right], ticketSystem: other }
      """
    let written = try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
    let other = TicketSystemID("other")
    for (first, second) in [(Self.main, other), (other, Self.main)] {
      try book.keep(Self.enrolment(saleTicket: nil), of: first, by: GateID("north"), at: WallTime(seconds: 1))
      try book.keep(Self.enrolment(saleTicket: nil), of: second, by: GateID("south"), at: WallTime(seconds: 2))
      let completed = book.complete(written)
      expect(completed.configuration.hasEnrolled(first) && !completed.configuration.hasEnrolled(second))
      expectEqual(Array(completed.missing.keys), [second])
      for system in [first, second] { _ = try book.forget(system) }
    }
  }

  @Test func aRecordThatCannotBeUsedLeavesTheSystemUnenrolledAndSaysSo() throws {
    let written = try Self.station()
    for damage in ["", "{", "[]", #"{"version":2}"#, #"{"version":1,"type":"eventschedule"}"#] {
      try store.set("enrolment.main", [UInt8](damage.utf8))
      let completed = book.complete(written)
      expectEqual(completed.missing[Self.main]?.contains("scangate enrolment forget main"), true, "\(damage)")
      expect(completed.configuration.ticketSystems[0].isUnenrolled)
    }
    // Another type, and an address that is none.
    for (type, url) in [("pretix", "https://tickets.example"), ("eventschedule", "tickets.example")] {
      let record = #"{"version":1,"type":"\#(type)","url":"\#(url)","apiKey":"k","gate":"g","gates":{},"at":1}"#
      try store.set("enrolment.main", [UInt8](record.utf8))
      expectEqual(book.complete(written).missing[Self.main]?.contains("forget main"), true, "\(type) \(url)")
    }
    expect(try book.forget(Self.main))
    expect(try !book.forget(Self.main))
    expect(book.complete(written).problems.isEmpty)
  }

  @Test(arguments: ["main", "Main door", "ü.ä", "a.b", "..", "ticket-system_1"])
  func everyNameOfASystemIsFoundAgain(name: String) throws {
    let system = TicketSystemID(name)
    try book.keep(Self.enrolment(), of: system, by: GateID("north"), at: WallTime(seconds: 1))
    try expectEqual(book.list().map(\.system), [system])
    expect(try book.forget(system))
  }

  @Test func theStationIsTheSameToAllTicketSystemsAndAfterDamage() throws {
    let first = try book.identity(version: "1")
    try expectEqual(book.identity(version: "2").id, first.id)
    try store.set("station", [UInt8]("no id".utf8))
    let next = try book.identity(version: "1").id
    expect(StationUUID.isOne(next) && next != first.id)
  }

  // MARK: Reloading

  @Test func anEnrolmentIsTakenOverByAReloadAndAnotherServerIsNot() throws {
    let memory = try StationMemory(dependencies: .inMemory())
    let written = try Self.station()
    let before = book.complete(written).configuration
    try book.keep(Self.enrolment(), of: Self.main, by: GateID("north"), at: WallTime(seconds: 1))
    let enrolled = book.complete(written).configuration
    expect(memory.restartReasons(from: before, to: enrolled, takesCodes: true).isEmpty)
    expect(memory.restartReasons(from: enrolled, to: enrolled, takesCodes: true).isEmpty)
    _ = try memory.ledger(of: enrolled.ticketSystems[0], floodLimit: 20, time: SystemTime(), events: EventHub())
    // It has admitted people there: neither forgotten nor given another server while it runs.
    #expect(throws: SealFault.self) {
      try book.keep(
        Self.enrolment(url: "https://other.example"), of: Self.main, by: GateID("south"), at: WallTime(seconds: 2))
    }
    try book.keep(
      Self.enrolment(url: "https://other.example"), of: Self.main, by: GateID("north"), at: WallTime(seconds: 2))
    expectEqual(
      memory.restartReasons(from: enrolled, to: book.complete(written).configuration, takesCodes: true).count, 1)
    _ = try book.forget(Self.main)
    let forgotten = memory.restartReasons(from: enrolled, to: book.complete(written).configuration, takesCodes: true)
    expect(forgotten.contains { $0.contains("ticketSystems.main") })
    // How a station is set up is read at the start.
    let armed = try Self.station("setUp: { window: 1 min }")
    expectEqual(memory.restartReasons(from: before, to: armed, takesCodes: true).count, 1)
  }

  // MARK: The registry

  @Test func theNextStationsGatesObeyWhatIsKnownAndTheLastOnesAreLetGo() async throws {
    let registry = GateRegistry()
    func seat(_ name: String) throws -> (
      seat: GateRegistry.Seat, controller: GateController, events: AsyncStream<GatewayEvent>
    ) {
      let hub = EventHub()
      let time = SystemTime()
      let controller = GateController(
        settings: GateSettings(gate: GateID(name)), system: FakeTicketSystem(id: Self.main, time: time),
        ledger: LedgerKeeper(server: "fake", dependencies: try .inMemory(), time: time, events: hub),
        signals: RecordingSignals(time: time), events: hub, time: time)
      return (
        GateRegistry.Seat(controller: controller, system: Self.main, readers: [ReaderID("left")]), controller,
        hub.subscribe()
      )
    }
    registry.take { $0.enrolments = [Self.main: "not enrolled."] }
    let old = try seat("north")
    registry.attach([GateID("north"): old.seat])
    expectEqual(registry.gate(of: ReaderID("left"))?.awaitsCode, true)
    expectEqual(registry.status, .unavailable)
    // The next station begins before the last one has gone.
    let new = try seat("north")
    registry.attach([GateID("north"): new.seat])
    registry.detach([GateID("north"): old.seat])
    expect(registry.gate(of: ReaderID("left"))?.seat.controller === new.seat.controller)
    let running = Task { await new.controller.run() }
    var states = new.events.compactMap { if case .gate(_, let state, _) = $0 { state } else { nil } }
      .makeAsyncIterator()
    guard case .notSetUp(let words)? = await states.next() else {
      Issue.record("the new gate did not obey")
      return
    }
    expect(words.hasPrefix("not enrolled."))
    // What a code has brought awaits no other one, and comes with the next station.
    registry.take { $0.enrolled = [Self.main] }
    guard case .notSetUp(let brought)? = await states.next() else {
      Issue.record("the gate works without its ticket system")
      return
    }
    expect(brought.contains("reload"))
    expectEqual(registry.gate(of: ReaderID("left"))?.awaitsCode, false)
    registry.take { $0.activation = "not activated." }
    expectEqual(registry.gate(of: ReaderID("left"))?.awaitsCode, true)
    registry.take {
      $0.activation = nil
      $0.enrolled = []
    }
    expectEqual(registry.gate(of: ReaderID("left"))?.awaitsCode, true)
    registry.take { $0.enrolments = [:] }
    while let state = await states.next(), state != .ready {}
    expectEqual(registry.gate(of: ReaderID("left"))?.awaitsCode, false)
    registry.note(GateID("north"), .open)
    expectEqual(registry.status, .available)
    registry.note(GateID("north"), .deciding)
    expectEqual(registry.status, .inUse)
    registry.detach([GateID("north"): new.seat])
    expect(registry.gate(of: ReaderID("left")) == nil)
    expectEqual(registry.status, .unavailable)
    new.controller.finish()
    await running.value
  }
}
