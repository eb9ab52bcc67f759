import Expectations
import Foundation
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// What happens at the station, as streams tell it.
@Suite(.timeLimit(.minutes(3))) struct EventStreamTests {
  private func bench(
    names: Bool = false, heartbeat: Duration = .seconds(15),
    _ body: (APIBench, ScriptedStation) async throws -> Void
  ) async throws {
    let place = try APIBench.place()
    let station = try ScriptedStation(at: place.socket)
    let bench = try await APIBench(place, names: names, heartbeat: heartbeat)
    try await body(bench, station)
    await bench.end()
    station.end()
  }

  private static func scan(_ code: Int, gate: String = "north", more: String = "") -> String {
    "{\"type\":\"scan\",\"gate\":\"\(gate)\",\"code\":\"…\(code)\"\(more)}"
  }

  /// Follows, and returns when the station knows it.
  private func follow(
    _ bench: APIBench, _ station: ScriptedStation, _ query: String = "", after id: String? = nil
  ) async throws -> APIClient {
    let client = try await bench.follow(query, after: id)
    await client.await("event: presence")
    await until { station.listeners == 1 }
    return client
  }

  /// The ids that came.
  private func ids(_ client: APIClient) -> [String] {
    // A chunk begins behind a line end of its own.
    client.text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
  }

  @Test func eventsComeAsTheyHappen() async throws {
    try await bench { bench, station in
      let client = try await follow(bench, station)
      expect(client.text.contains("200 OK") && client.text.lowercased().contains("content-type: text/event-stream"))
      expect(client.text.contains("\"present\":true,\"station\":\"door\""), "\(client.text)")
      for number in 1...3 { station.tell(Self.scan(number)) }
      await client.await("data: \(Self.scan(3))\n\n")
      expectEqual(ids(client).map { EventID($0)?.number }, [1, 2, 3])
      expectEqual(Set(ids(client).map { EventID($0)?.epoch }).count, 1)
      expect(client.text.contains("event: scan\ndata: \(Self.scan(1))\n\n"))
      expect(!client.text.contains("event: dropped"))
    }
  }

  @Test func aFilterLetsThroughWhatItNames() async throws {
    try await bench { bench, station in
      let north = try await follow(bench, station, "?gate=north&type=scan")
      let other = try await bench.follow("?type=device,gate")
      await other.await("event: presence")
      station.tell(Self.scan(1, gate: "south"))
      station.tell("{\"type\":\"gate\",\"gate\":\"north\",\"state\":\"ready\"}")
      station.tell("{\"type\":\"device\",\"reader\":\"left\",\"state\":\"parked\"}")
      station.tell(Self.scan(2))
      await north.await("data: \(Self.scan(2))")
      await other.await("\"type\":\"device\"")
      expectEqual(ids(north).map { EventID($0)?.number }, [4])
      expectEqual(ids(other).map { EventID($0)?.number }, [2, 3])
    }
  }

  @Test(arguments: [
    "?gate", "?gate=", "?type=", "?type=scan,", "?type=a%20b", "?x=1", "?gate=%ff", "?gate=%", "?=", "?after=1",
    "?type=bogus", "?type=Scan", "?type=scan,bogus",
  ])
  func aQueryThatIsNoneIsRefused(_ query: String) async throws {
    let bench = try await APIBench(APIBench.place())
    let answer = try await bench.ask("GET", "/api/v1/events\(query)")
    expectEqual(answer.status, 400)
    expectEqual(answer.fields["content-type"], "application/problem+json")
    await bench.end()
  }

  /// A stream of what there is not would be silent for ever.
  @Test func whoAsksForAnUnknownTypeIsToldTheKnownOnes() async throws {
    let bench = try await APIBench(APIBench.place())
    let answer = try await bench.ask("GET", "/api/v1/events?type=bogus")
    expectEqual(answer.status, 400)
    let detail = try #require(answer.json["detail"] as? String)
    for type in EventTypes.known { expect(detail.contains(type), "\(type)") }
    expect(!detail.contains("bogus"))
    await bench.end()
  }

  /// Each type can be asked for: those of the document, and the stream's own.
  @Test func everyTypeIsKnown() throws {
    let text = try String(contentsOf: repositoryFile("docs/events.md"), encoding: .utf8)
    let told = text.split(separator: "\n").filter { $0.hasPrefix("## `") }.compactMap { line in
      line.dropFirst(4).split(separator: "`").first.map(String.init)
    }
    expect(told.count > 10)
    expectEqual(EventTypes.known, Set(told + ["dropped", "presence"]).sorted { $0.lowercased() < $1.lowercased() })
    expectEqual(
      try EventStreamRoute.filter("type=" + EventTypes.known.joined(separator: ",")).types, Set(EventTypes.known))
  }

  /// A connection that is lost costs nothing that is still there, and what is not is counted.
  @Test func whoComesBackGoesOnWhereItWas() async throws {
    try await bench { bench, station in
      let first = try await follow(bench, station)
      for number in 1...3 { station.tell(Self.scan(number)) }
      await first.await(Self.scan(3))
      let seen = ids(first)
      first.close()
      let second = try await bench.follow(after: seen[0])
      await second.await(Self.scan(3))
      expectEqual(ids(second), Array(seen.dropFirst()))
      expect(!second.text.contains("event: dropped"))
      // More than are kept.
      for first in stride(from: 4, through: 1_100, by: 50) {
        // No more at once than a socket holds.
        for number in first...min(first + 49, 1_100) { station.tell(Self.scan(number)) }
        await second.await(Self.scan(min(first + 49, 1_100)))
      }
      let third = try await bench.follow(after: seen[0])
      await third.await(Self.scan(1_100))
      // Of 1,100 the last 1,024 are kept; the first had been seen.
      expect(
        third.text.contains("event: dropped\ndata: {\"type\":\"dropped\",\"count\":75}\n\n"),
        "\(third.text.prefix(800))")
      expectEqual(ids(third).first.flatMap { EventID($0)?.number }, 76)
      expectEqual(ids(third).count, 1_025)
    }
  }

  @Test(arguments: ["5f0c11d29a4e7b36-1", "nonsense", "0", String(repeating: "9", count: 3_000)])
  func ofAnUnknownIDItIsToldThatNobodyKnows(_ id: String) async throws {
    try await bench { bench, station in
      let client = try await follow(bench, station, after: id)
      await client.await("{\"type\":\"dropped\",\"count\":null}")
      station.tell(Self.scan(1))
      await client.await(Self.scan(1))
    }
  }

  /// What the station itself dropped is counted like what we dropped.
  @Test func theServiceComesAndGoes() async throws {
    let place = try APIBench.place()
    let station = try ScriptedStation(at: place.socket)
    let bench = try await APIBench(place)
    let client = try await follow(bench, station)
    station.tell(Self.scan(1))
    await client.await(Self.scan(1))
    station.end()
    await client.await("\"present\":false")
    let next = try ScriptedStation(at: place.socket)
    await until { next.listeners == 1 }
    next.tell(Self.scan(2))
    await client.await(Self.scan(2))
    // Nobody knows what happened meanwhile, and numbers are of another epoch.
    expect(client.text.contains("{\"type\":\"dropped\",\"count\":null}"), "\(client.text)")
    expectEqual(Set(ids(client).compactMap { EventID($0)?.epoch }).count, 2)
    await bench.end()
    next.end()
  }

  @Test func aQuietStreamIsKeptOpen() async throws {
    try await bench(heartbeat: .milliseconds(50)) { bench, station in
      let client = try await follow(bench, station)
      await client.await(": heartbeat\n\n")
      station.tell(Self.scan(1))
      await client.await(Self.scan(1))
    }
  }

  /// Holders are named where the file says so, and to nobody else.
  @Test(arguments: [false, true]) func namesAreWantedByConfigurationAlone(_ names: Bool) async throws {
    try await bench(names: names) { bench, station in
      _ = try await follow(bench, station)
      expect(station.names.allSatisfy { $0 == names } && station.names.count >= 2, "\(station.names)")
    }
  }

  /// Without anybody who is told, the station is not listened to.
  @Test func nobodyListensForNobody() async throws {
    let place = try APIBench.place()
    let station = try ScriptedStation(at: place.socket)
    let bench = try await APIBench(place, heartbeat: .milliseconds(20), linger: .milliseconds(60))
    expectEqual(try await bench.ask("GET", "/api/v1/snapshot").status, 200)
    expectEqual(station.listeners, 0)
    let client = try await follow(bench, station)
    station.tell(Self.scan(1))
    await client.await(Self.scan(1))
    let id = try #require(ids(client).first)
    client.close()
    await until { station.listeners == 0 }
    // Who comes back later is told that nobody knows what is missing.
    let second = try await bench.follow(after: id)
    await second.await("{\"type\":\"dropped\",\"count\":null}")
    await bench.end()
    station.end()
  }

  @Test func thereAreSoManyStreamsAndNoMore() async throws {
    try await bench { bench, station in
      var clients: [APIClient] = []
      for _ in 0..<StationMirror.mostSubscribers { clients.append(try await bench.follow()) }
      await until { bench.mirror.feed.count == StationMirror.mostSubscribers }
      let answer = try await bench.ask("GET", "/api/v1/events")
      expectEqual(answer.status, 503)
      expectEqual(answer.json["type"] as? String, "urn:scangate:problem:tooManyStreams")
      // Whoever goes makes room, at once and without a heartbeat.
      clients.removeLast().close()
      await until { bench.mirror.feed.count < StationMirror.mostSubscribers }
      clients.append(try await bench.follow())
      await until { station.listeners == 1 && bench.mirror.feed.count == StationMirror.mostSubscribers }
      station.tell(Self.scan(1))
      for client in clients { await client.await(Self.scan(1)) }
      for client in clients { client.close() }
      await until { bench.mirror.feed.count == 0 }
    }
  }

  /// Readers that never read hold up nobody, and are cut.
  @Test func whoNeverReadsCostsNobodyAnything() async throws {
    try await bench { bench, station in
      let reader = try await follow(bench, station)
      var hung: [APIClient] = []
      for _ in 0..<20 { hung.append(try await bench.follow(reads: false)) }
      await until { bench.mirror.feed.count == 21 }
      let long = ",\"detail\":\"" + String(repeating: "x", count: 50_000) + "\""
      for number in 1...200 {
        station.tell(Self.scan(number, more: long))
        // One after the other, so that who reads misses none of so much.
        await reader.await("…\(number)\"")
      }
      await until { bench.mirror.feed.count == 1 }
      station.tell(Self.scan(201))
      await reader.await("…201\"")
    }
  }
}
