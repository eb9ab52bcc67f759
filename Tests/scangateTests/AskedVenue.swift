import EventSchedule
import ScanModel
import Testing
import TicketTransport
import VenueServer

/// A venue over real sockets, and the gateway's own client of it.
struct AskedVenue {
  let server: VenueServer
  let seeded: SeededVenue
  /// The gateway's own client of it.
  let client: EventScheduleClient
  /// Of a gate that takes all tickets.
  let system: EventScheduleTicketSystem
  /// Where it is.
  let url: String
  private let transport: HTTPTransport
  private let serving: Task<Void, any Error>

  /// Opens a venue with a few tickets of its own making.
  static func open(
    _ configuration: VenueConfiguration, seed: Seed = Seed(random: 1), time: any TimeSource
  ) async throws -> AskedVenue {
    let server = try VenueServer(configuration)
    let seeded = try await server.seed(seed)
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await server.run { tell.yield($0) }
    }
    let address = try #require(await ready.first { _ in true })
    let transport = try HTTPTransport(server: try ServerAddress(address.url), time: time)
    let client = EventScheduleClient(transport: transport, key: try Secret(try #require(seeded.apiKey)), time: time)
    return AskedVenue(
      server: server, seeded: seeded, client: client,
      system: EventScheduleTicketSystem(id: TicketSystemID("venue"), client: client, time: time), url: address.url,
      transport: transport, serving: serving)
  }

  /// Closes both sides.
  func close() async {
    await transport.close()
    serving.cancel()
    _ = await serving.result
  }
}
