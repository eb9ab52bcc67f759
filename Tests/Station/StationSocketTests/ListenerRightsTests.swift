import EventSchedule
import Expectations
import Gateway
import LinuxIO
import ScanConfiguration
import ScanModel
import StationProtocol
import StationSocket
import Synchronization
import Testing
import TicketSystemKit

/// Who may order what of a station, by its file.
@Suite struct ListenerRightsTests {
  private static func station(_ more: String) throws -> StationConfiguration {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems: { main: { type: eventschedule, enrol: true } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } } }
      gates: { north: { readers: [left], ticketSystem: main } }
      \(more)
      """
    return try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml", options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
  }

  private static let (own, bridge, console): (UInt32, UInt32, UInt32) = (990, 991, 992)

  private static func rights(_ user: UInt32, _ file: StationConfiguration?) -> ListenerRights {
    ListenerRights.ofUser(user, own: own, bridge: bridge, by: file)
  }

  private static let all = ListenerRights(orders: Set(OrderKind.allCases), names: true, isOwner: true)
  private static let none = ListenerRights(orders: [], names: false)

  @Test func rootAndTheServiceMayEverything() throws {
    for file in [nil, try Self.station("console: { listen: 127.0.0.1:8088 }")] {
      for user in [0, Self.own] { expectEqual(Self.rights(user, file), Self.all) }
    }
  }

  @Test func othersMayWhatTheFileSays() throws {
    // By default nothing.
    for file in [nil, try Self.station(""), try Self.station("console: { listen: 127.0.0.1:8088 }")] {
      for user in [Self.console, 1_000, Self.bridge, .max] { expectEqual(Self.rights(user, file), Self.none) }
    }
    let file = try Self.station("console: { listen: 127.0.0.1:8088, orders: [maintenance, annul], names: true }")
    for user in [Self.console, 1_000, .max] {
      expectEqual(Self.rights(user, file), ListenerRights(orders: [.maintenance, .annul], names: true))
    }
    // What the console may is not the bridge's.
    expectEqual(Self.rights(Self.bridge, file), Self.none)
  }

  @Test func theBridgeMayWhatItsSectionSaysAndHearsNoNames() throws {
    var file = try Self.station("console: { listen: 127.0.0.1:8088, orders: [annul], names: true }")
    file.mqtt = try Self.bridgeConfiguration([.maintenance])
    expectEqual(Self.rights(Self.bridge, file), ListenerRights(orders: [.maintenance], names: false))
    expectEqual(Self.rights(Self.console, file), ListenerRights(orders: [.annul], names: true))
    // A machine without a bridge has no such user.
    expectEqual(
      ListenerRights.ofUser(Self.bridge, own: Self.own, bridge: nil, by: file),
      ListenerRights(orders: [.annul], names: true))
  }

  private static func bridgeConfiguration(_ orders: Set<OrderKind>) throws -> MQTTConfiguration {
    let words = orders.map(\.rawValue).sorted().joined(separator: ", ")
    return try #require(
      try station("mqtt: { broker: \"mqtts://broker.example.org\", orders: [\(words)] }").mqtt)
  }

  /// Rights are as the file is now, and whoever is told others comes again.
  @Test func rightsFollowAReload() async throws {
    let file = Mutex(try Self.station("console: { listen: 127.0.0.1:8088, orders: [maintenance] }"))
    let rights: @Sendable (UInt32) -> ListenerRights = { _ in
      Self.rights(Self.console, file.withLock { $0 })
    }
    let bench = try await SocketBench(rightsOf: rights)
    let client = try StationClient(path: bench.path, program: "test", wants: ListenerWants(names: true))
    await client.start()
    var news = client.news.makeAsyncIterator()
    func welcome() async -> StationWelcome? {
      while let one = await news.next() { if case .here(let welcome) = one { return welcome } }
      return nil
    }
    let first = await welcome()
    expectEqual(first?.orders, [.maintenance])
    expectEqual(first?.names, false)
    func perform(_ action: StationOrder.Action) async throws -> OrderOutcome {
      try await client.perform(StationOrder(action, who: "anna"), within: .seconds(20), patience: true)
    }
    try await expectEqual(perform(.maintenance(GateID("north"), isOn: true)), .done("maintenance"))
    try await expectEqual(perform(.annul(GateID("north"))).refusal, .notAllowed)
    // The file changes; before anybody has looked at who listens, orders are judged by it.
    let changed = try Self.station("console: { listen: 127.0.0.1:8088, orders: [annul], names: true }")
    file.withLock { $0 = changed }
    try await expectEqual(perform(.maintenance(GateID("north"), isOn: false)).refusal, .notAllowed)
    await bench.socket.reviewRights()
    let second = await welcome()
    expectEqual(second?.orders, [.annul])
    expectEqual(second?.names, true)
    try await expectEqual(perform(.annul(GateID("north"))), .done("annul"))
    // Where nothing changes for it, nobody is sent away.
    await bench.socket.reviewRights()
    try await expectEqual(perform(.annul(GateID("north"))), .done("annul"))
    expectEqual(bench.station.orders.map(\.action.kind), [.maintenance, .annul, .annul])
    expect(await client.welcome == second)
    await client.stop()
    await bench.socket.stop()
  }
}
