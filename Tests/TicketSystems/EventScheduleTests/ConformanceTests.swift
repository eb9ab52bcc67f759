import EventSchedule
import Expectations
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing

@Suite struct ConformanceTests {
  @Test func behavesAsATicketSystemMust() async throws {
    let waiting = AsyncStream<ScriptedServer.Connection>.makeStream()
    let server = ScriptedServer { _, request, connection in
      if request.contains("good-code") {
        connection.send(Answers.admitted)
      } else if request.contains("slow-code") {
        waiting.continuation.yield(connection)
      } else {
        connection.send(Answers.response("404 Not Found", #"{"error":"Ticket not found"}"#))
      }
    }
    let venue = try await Venue.open(server)
    let suite = TicketSystemConformance(
      system: venue.system, goodCode: Code("https://host/ticket/view/x/good-code/"), unknownCode: Code("no-such-code"),
      slowCode: Code("slow-code"),
      release: {
        for await connection in waiting.stream {
          connection.send(Answers.admitted)
          break
        }
      }, time: SystemTime())
    await expectEqual(suite.failures(), [])
    await venue.close()
    // Three scans and a scan of nothing.
    expectEqual(server.requests.count, 4)
  }

  @Test func itsMirrorBehavesAsOneMust() async throws {
    let loses = Mutex(false)
    let server = ScriptedServer { _, _, connection in
      if loses.withLock({ $0 }) { return connection.close() }
      connection.send(Answers.response("201 Created", #"{"id":1}"#))
    }
    let venue = try await Venue.open(server)
    let suite = PassageMirrorConformance(
      mirror: EventScheduleMirror(client: venue.client),
      passage: MirroredPassage(
        station: "door", gate: GateID("north"), scan: ScanID(), event: "Mzg5NzM0", holder: "Ada",
        at: SystemTime().wall()),
      requests: { server.requests.count }, loseNext: { loses.withLock { $0 = true } })
    await expectEqual(suite.failures(), [])
    await venue.close()
  }
}
