import EventSchedule
import Expectations
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing
import TicketSystemKit

@testable import Gateway

/// The end of a station, by a reload too: what it was doing is given up, and no fault.
@Suite(.timeLimit(.minutes(1))) struct StationEndTests {
  private func configuration(port: Int, _ more: String = "list: { refresh: 1 min }") throws -> StationConfiguration {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        main: { type: eventschedule, url: "http://127.0.0.1:\(port)", apiKey: main, \(more) }
      readers: { left: { type: wedge, match: { vendor: "0c2e", serial: none-at-all } } }
      gates: { north: { readers: [left], ticketSystem: main } }
      """
    return try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
  }

  @Test func aListThatIsGivenUpIsNoNews() async throws {
    let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    // It never comes to an end with the list.
    let server = ScriptedServer { _, request, connection in
      guard !request.hasPrefix("GET /api/sales") else {
        ask.yield()
        return
      }
      connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }
    let hub = EventHub()
    let events = hub.subscribe()
    let list = EmptyList()
    let station = try await ConfiguredStation.make(
      try configuration(port: try await server.start()), outputs: .own,
      credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" },
      memory: StationMemory(dependencies: try .inMemory(list: list)), events: hub
    ) { _, _ in }
    try await station.run { for await _ in asked { break } }
    await server.stop()
    // Whoever asked for the list finds out by itself that nobody answers any more.
    await list.isLeft.first()
    hub.emit(.configuration(.applied, at: SystemTime().wall()))
    for await event in events {
      if case .configuration = event { break }
      if case .list(let event) = event { Issue.record("\(event)") }
    }
  }

  /// What ticket systems share with other stations of a fleet is had of the station that runs, and of no other: its connections are closed.
  @Test func whatIsSharedEndsWithTheStation() async throws {
    let server = ScriptedServer(answer: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    let memory = StationMemory(dependencies: try .inMemory())
    let configuration = try configuration(port: try await server.start(), "")
    let station = try await ConfiguredStation.make(
      configuration, outputs: .own,
      credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" }, memory: memory,
      events: EventHub()
    ) { _, _ in }
    expect(memory.shared.isEmpty)
    let shared = Mutex<[StationMemory.Sharing]>([])
    try await station.run { shared.withLock { $0 = memory.shared } }
    expectEqual(shared.withLock { $0.map(\.server) }, configuration.ticketSystems.map(\.address))
    expectEqual(shared.withLock { $0.map(\.knowledge.what) }, ["list of events"])
    expect(memory.shared.isEmpty)
    // Whoever had it before has nothing of it.
    let knowledge = try #require(shared.withLock { $0.first?.knowledge })
    expect(knowledge.give(nil) == nil && !knowledge.wants(.zero))
    await server.stop()
  }

  /// Gates of a reload do not wait for a disk that hangs.
  @Test func aDiskThatHangsIsNotWaitedFor() async throws {
    let server = ScriptedServer(answer: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    let journal = MemoryJournal()
    journal.setReading(false)
    let problems = Mutex<[String]>([])
    let station = try await ConfiguredStation.make(
      try configuration(port: try await server.start(), "mirror: { checkins: true }"), outputs: .own,
      credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" },
      memory: StationMemory(dependencies: try .inMemory(journal)), events: EventHub()
    ) { kind, line in
      if kind == .problem { problems.withLock { $0.append(line) } }
    }
    try await station.run { await until { journal.isAskedInVain } }
    expectEqual(problems.withLock { $0.filter { $0.hasPrefix("The disk does not take down") } }.count, 1)
    journal.setReading(true)
    await server.stop()
  }
}

/// A list that was never told of anything, and into which anything can be put.
private struct EmptyList: TicketList {
  /// Given when whoever put something in has let go.
  let isLeft = OneAnswer<Void>()

  func find(_ code: Code) throws(TicketListFault) -> ListFinding? { nil }
  func state() throws(TicketListFault) -> TicketListState? { nil }
  func replacement(
    of span: Range<WallTime>?, asOf: WallTime, folding: @escaping @Sendable (Code) -> TicketKey?
  ) throws(TicketListFault) -> any TicketListReplacement { Forgetting(isLeft) }
}

private final class Forgetting: TicketListReplacement {
  private let isLeft: OneAnswer<Void>

  init(_ isLeft: OneAnswer<Void>) { self.isLeft = isLeft }

  deinit { isLeft.give(()) }

  func add(_ tickets: [ToldTicket]) throws(TicketListFault) {}
  func finish(mayShrink: Bool) throws(TicketListFault) -> Int { 0 }
}
