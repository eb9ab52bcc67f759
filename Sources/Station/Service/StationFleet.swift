internal import FleetBook
internal import FleetKeeping
internal import FleetLists
internal import JetStreamClaims
internal import LibCrypto
internal import LinuxIO
internal import Logging
internal import ScanConfiguration
internal import ScanModel
internal import Sealing
internal import TicketSystemKit

/// What a station has of its fleet while it serves: the connection to the servers, who keeps its claims, and who knows what all were ordered. Where the configuration has no
/// fleet there is none of this, and the client library of NATS is never loaded.
struct StationFleet: Sendable {
  let keeper: ClaimKeeper
  let orders: FleetOrderKeeper
  /// How lists of tickets are spread; `nil` where they are not.
  let lists: SharedLists?
  private let seal: ListSeal
  private let station: StationID
  private let listsFrom: [StationID]
  private let store: JetStreamClaimStore
  private let certificates: Task<Void, Never>

  /// Reads credential and certificates, and begins to connect.
  /// - Throws: why the station cannot be one of its fleet, and what to do.
  static func open(
    _ fleet: FleetConfiguration, of configuration: StationConfiguration, program: String,
    credentials: CredentialResolver, book: any AttemptBook, memory: ClaimKeeper.Memory, loop: DeviceLoop,
    time: any TimeSource, logger: Logger
  ) throws(SetupError) -> StationFleet {
    let member = try FleetMember(fleet, station: configuration.name, credentials: credentials)
    let (id, credential) = (member.id, member.credential)
    let orders = FleetOrderKeeper(
      event: fleet.name, seal: FleetOrderSeal(event: fleet.name, administrators: fleet.administrators), book: book,
      time: time)
    let store: JetStreamClaimStore
    do throws(SystemError) {
      store = try JetStreamClaimStore(
        member.settings, marks: JournalBookMarks(book, fleet: fleet.name), time: time,
        onOrder: { orders.take($0) })
    } catch { throw SetupError("fleet: no thread can be had for its servers (\(error.words)).") }
    let seal = ClaimSeal(fleet: fleet.name, station: id, key: credential.signing, stations: fleet.stations)
    let keeper = ClaimKeeper(
      ClaimKeeper.Settings(
        fleet: fleet.name, station: id, key: credential.key, seal: seal, alone: fleet.alone,
        word: StationWord(configuration, program: program, key: credential.key)),
      store: store, book: book, memory: memory, loop: loop, time: time)
    store.start()
    return StationFleet(
      keeper: keeper, orders: orders, lists: SharedLists(fleet, station: configuration.name, key: credential.key),
      seal: ListSeal(
        fleet: fleet.name, key: credential.key, signing: credential.signing,
        stations: fleet.stations.filter { fleet.listsFrom.contains($0.key) }),
      station: id, listsFrom: fleet.listsFrom, store: store,
      certificates: Task { await watch(member.settings, time, logger) })
  }

  /// Who spreads lists of tickets, and what ticket systems tell besides.
  func spreader(
    key: SealKey, lists: @escaping @Sendable () -> [ListSpreader.List],
    knowledge: @escaping @Sendable () -> [KnowledgeSpreader.Knowledge],
    clock: @escaping @Sendable () -> JournalTime,
    tell: @escaping @Sendable (_ isProblem: Bool, String) -> Void
  ) -> FleetSpreader {
    let settings = ListSpreader.Settings(station: station, seal: seal, key: key, from: listsFrom)
    return FleetSpreader(
      lists: ListSpreader(settings, store: store.lists, lists: lists, clock: clock, tell: tell),
      knowledge: KnowledgeSpreader(settings, store: store.lists, knowledge: knowledge, clock: clock, tell: tell))
  }

  /// Ends the connection.
  func close() async {
    certificates.cancel()
    await store.stop()
  }

  /// Says at the start, and each day, which certificates are to be exchanged. By a clock that nobody vouches for none is judged.
  private static func watch(_ settings: JetStreamSettings, _ time: any TimeSource, _ logger: Logger) async {
    repeat {
      guard KernelClock.shared.isSynchronised else {
        try? await Task.sleep(for: .seconds(600))
        continue
      }
      for certificate in await FleetCertificates.look(settings, within: .seconds(5)) {
        guard let words = certificate.words(at: time.wall()) else { continue }
        logger.warning("fleet: \(TerminalText.clean(words, limit: 500))")
      }
      try? await Task.sleep(for: .seconds(86_400))
    } while !Task.isCancelled
  }
}
