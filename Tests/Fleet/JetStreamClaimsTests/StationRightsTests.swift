import Expectations
import FleetBook
import ScanModel
import Testing
import WireText

@testable import JetStreamClaims

/// What a station's credential can do in the hands of a program that is none of ours.
@Suite struct StationRightsTests {
  /// A consumer that delivers to the servers' own API would have the server say there what the station may not.
  @Test func aConsumerDeletesNoBucket() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let settings = servers.settings()
    let thief = try JetStreamLink(settings, time: SystemTime())
    thief.start()
    for await state in thief.states where state == .ready { break }
    var consumer = JSONText()
    consumer.add("name", "thief")
    consumer.add("deliver_subject", "$JS.API.STREAM.DELETE.\(settings.stream)")
    consumer.add("deliver_policy", "all")
    consumer.add("ack_policy", "none")
    consumer.add("replay_policy", "instant")
    var wish = JSONText()
    wish.add("stream_name", settings.stream)
    wish.add("config", object: consumer.text)
    _ = await thief.ask(
      NATSRequest(subject: "$JS.API.CONSUMER.CREATE.\(settings.stream).thief", data: wish.bytes), until: soon())
    // The request to delete has to be empty.
    _ = await thief.ask(NATSRequest(subject: settings.subject(freshKey())), until: soon())
    let administrator = try servers.administrate()
    for await state in administrator.states where state == .ready { break }
    for _ in 0..<20 {
      let answer = StreamAnswer(
        await administrator.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.\(settings.stream)"), until: soon(1)))
      if case .error(10_059, let words) = answer {
        Issue.record("a station has deleted the bucket: \(words)")
        break
      }
    }
    await thief.stop()
    await administrator.stop()
  }
}
