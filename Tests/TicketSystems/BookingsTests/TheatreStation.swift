import Admission
import Calls
import Expectations
import Foundation
import Journal
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport
import VenueServer

@testable import Bookings
@testable import Gateway
@testable import TicketLists

/// A station at a theatre as the service puts it together: gates, ledger, journal, list on board and its refresher, over real HTTP and a
/// real folder, by a clock that the test moves. One for each process.
struct TheatreStation: Sendable {
  struct Gate: Sendable {
    let controller: GateController
    let turnstile: Turnstile
    let running: Task<Void, Never>
  }

  static let id = TicketSystemID("theatre")
  static let interval = Duration.seconds(300)

  let venue: TheatreVenue
  let folder: StationFolder
  let sessions: SealedSessions
  let told: Told
  let door: Door
  let list: ListOnBoard
  let stored: StoredTicketList
  let place: TicketListPlace
  let keeper: LedgerKeeper
  let refresher: ListRefresher
  private let transport: HTTPTransport
  private let journal: Journal
  private let gates: [String: Gate]

  var time: StageTime { venue.time }

  /// Begins a process: with nothing, or with what an earlier one has left.
  init(
    at venue: TheatreVenue, in folder: StationFolder, gates: [String: BookingsSection.Gate] = ["stalls": .init()],
    settings: BookingsSection.System? = nil, password: String = TheatreVenue.password, keepsDetails: Bool = false,
    floodLimit: Int = 10_000
  ) async throws {
    let settings = try settings ?? venue.section()
    let time = venue.time
    self.venue = venue
    self.folder = folder
    let (told, sessions) = (Told(), SealedSessions(folder))
    (self.told, self.sessions) = (told, sessions)
    // As at a terminal: nothing here waits a quarter of an hour for its turn.
    (door, transport) = try settings.door(
      of: Self.id, .list, CredentialResolver(sessions: sessions) { _ throws(SetupError) in password }, time,
      remembering: DoorMemories())
    let server = "bookings \(settings.url) venue \(settings.venue.id)"
    place = TicketListPlace(state: folder.path, system: Self.id, server: server)
    let stored = try StoredTicketList(place, key: folder.key, keepsDetails: keepsDetails, now: { time.wall() })
    self.stored = stored
    let clock = ClockTrust(time: time, isDisciplined: { true })
    var list = ListOnBoard(of: Self.id, stored, maxAge: BookingsSection.listAge) { clock.now() }
    list.refresh = Self.interval
    self.list = list
    journal = try Journal.open(
      Journal.Settings(path: folder.journal), key: folder.key, boot: BootID("boot 1"), time: time)
    let keeper = LedgerKeeper(
      server: server,
      dependencies: LedgerDependencies(
        journal: journal, key: folder.key, boot: BootID("boot 1"), clock: clock, loop: try GateThreads.next(),
        list: { _, _ in stored }),
      floodLimit: floodLimit, time: time, events: told)
    self.keeper = keeper
    refresher = ListRefresher(
      of: Self.id, DoorList(door: door, clock: { clock.now() }), into: stored, every: Self.interval,
      folding: { _ in nil }, clock: { clock.now() }, lastScan: { await keeper.lastDecided }, events: told)
    var faces: [GateID: any TicketSystem] = [:]
    var made: [String: Gate] = [:]
    for (name, gate) in gates {
      let face = BookingsTicketSystem(
        id: Self.id, door: door, gate: gate, list: list, cure: transport.words.addressCure)
      faces[GateID(name)] = face
      let turnstile = Turnstile(time: time)
      let controller = GateController(
        settings: GateSettings(
          gate: GateID(name), accept: BookingsSection.accept, deadline: .seconds(20), holdOff: .zero,
          stale: .seconds(60), floodLimit: floodLimit), system: face, ledger: keeper, signals: turnstile, events: told,
        time: time)
      made[name] = Gate(controller: controller, turnstile: turnstile, running: Task { await controller.run() })
    }
    self.gates = made
    let asker = BookingsTicketSystem(
      id: Self.id, door: door, gate: .init(), list: list, cure: transport.words.addressCure)
    for event in await keeper.takeUp(
      try await journal.unconcluded(), asker: asker, faces: faces, owed: try await journal.owed())
    { told.emit(event) }
    // Before gates are ready they ask whether they could decide.
    _ = await asker.reach(deadline: time.now() + .seconds(20))
  }

  // MARK: What it does

  /// Somebody shows a code at a gate.
  func present(_ code: String, at gate: String = "stalls") async throws -> DecidedScan {
    guard let controller = gates[gate]?.controller else { throw TicketListFault("there is no gate \(gate)") }
    controller.deliver(RawRead(reader: ReaderID(gate), bytes: [UInt8](code.utf8), readAt: time.now()))
    return await told.scan(at: GateID(gate))
  }

  /// What somebody is told who shows a code.
  func verdict(_ code: String, at gate: String = "stalls") async throws -> Verdict {
    try await present(code, at: gate).verdict
  }

  /// The list is told anew, as the service does it from time to time.
  @discardableResult func refresh() async -> ListEvent {
    let event = await refresher.refresh()
    told.emit(.list(event))
    return event
  }

  /// How often the gate's turnstile has opened.
  func pulses(at gate: String = "stalls") -> Int { gates[gate]?.turnstile.pulses ?? 0 }

  /// Returns once staff are signed in.
  func signedIn() async { await until { door.session?.held != nil } }

  /// Takes a file on board, as `scangate tickets import` does.
  func take(_ file: String, asOf: WallTime? = nil, keepsDetails: Bool = true) throws -> TicketImport.Report {
    let path = temporaryRoot + "/bookings-\(UUID()).csv"
    try Data(file.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let zone = door.zone
    let work = try TicketImport(
      TicketImport.Settings(
        place: place, key: folder.key, recognise: { BookingCode.ownForm(of: $0) },
        zone: { _, day, clock in
          guard let day = CivilDay(day), clock.count == 3 else { return nil }
          let second = Int64(clock[0] * 3_600 + clock[1] * 60 + clock[2])
          return WallTime(seconds: zone.time(local: day.number * 86_400 + second))
        }, keepsDetails: keepsDetails))
    try work.read(try OwnedDescriptor.open(path, O_RDONLY), named: "bookings.csv")
    return try work.finish(asOf: asOf ?? time.wall(), imported: time.wall())
  }

  // MARK: Its end

  /// Ends it; nothing that it told holds a secret.
  func close() async throws {
    for gate in gates.values { gate.controller.finish() }
    for gate in gates.values { await gate.running.value }
    await transport.close()
    await journal.close()
    let secrets = try await secrets
    for line in told.lines {
      for secret in secrets where line.contains(secret) { expect(false, "it tells \(secret): \(line)") }
    }
  }

  /// Passwords, sessions and whole codes.
  var secrets: Set<String> {
    get async throws {
      try await venue.codes.union(sessions.cookies).union([TheatreVenue.password, venue.seeded.buyerPassword])
    }
  }

  /// Ends it, and begins anew with what it has left.
  func again(gates names: [String: BookingsSection.Gate]? = nil, keepsDetails: Bool = false) async throws
    -> TheatreStation
  {
    try await close()
    return try await TheatreStation(
      at: venue, in: folder, gates: names ?? Dictionary(uniqueKeysWithValues: gates.keys.map { ($0, .init()) }),
      keepsDetails: keepsDetails)
  }
}

/// A gate's outputs: counts how often they let somebody through.
final class Turnstile: SignalOutput {
  private let opened = Mutex(0)
  private let time: any TimeSource

  init(time: any TimeSource) { self.time = time }

  var pulses: Int { opened.withLock { $0 } }
  var admissionFault: String? { nil }

  func play(_ signal: Signal) {}

  func admit(isProvisional: Bool) async -> PulseOutcome {
    opened.withLock { $0 += 1 }
    let now = time.now()
    return .started(start: now, end: now)
  }
}

/// All that a station tells, as it goes into its event stream.
final class Told: EventSink {
  private struct State {
    var lines: [String] = []
    var scans: [GateID: [DecidedScan]] = [:]
    var waiting: [GateID: CheckedContinuation<DecidedScan, Never>] = [:]
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }

  func emit(_ event: GatewayEvent) {
    let (line, scan) = (event.jsonLine, Self.scan(event))
    let waiting = state.withLock { state -> CheckedContinuation<DecidedScan, Never>? in
      state.lines.append(line)
      guard let scan else { return nil }
      let gate = scan.scan.gate
      if let waiting = state.waiting.removeValue(forKey: gate) { return waiting }
      state.scans[gate, default: []].append(scan)
      return nil
    }
    if let scan { waiting?.resume(returning: scan) }
  }

  /// Words that a person is told besides.
  func say(_ words: String) { state.withLock { $0.lines.append(words) } }

  /// The next scan that a gate has decided. To be asked by one.
  func scan(at gate: GateID) async -> DecidedScan {
    await withCheckedContinuation { continuation in
      let scan = state.withLock { state -> DecidedScan? in
        if var scans = state.scans[gate], !scans.isEmpty {
          let first = scans.removeFirst()
          state.scans[gate] = scans
          return first
        }
        state.waiting[gate] = continuation
        return nil
      }
      if let scan { continuation.resume(returning: scan) }
    }
  }

  private static func scan(_ event: GatewayEvent) -> DecidedScan? {
    if case .scan(let scan) = event { scan } else { nil }
  }
}
