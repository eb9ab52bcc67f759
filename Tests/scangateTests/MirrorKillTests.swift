import Expectations
import Foundation
import Glibc
import Journal
import ScanModel
import ScanTesting
import Sealing
import Testing
import VenueServer

@testable import EventSchedule

/// A station that is killed at random instants while it tells a log who came: none is in it twice, and none is forgotten.
@Suite(.timeLimit(.minutes(5))) struct MirrorKillTests {
  private static let text = """
    version: 1
    station: { name: door }
    ticketSystems:
      main: { type: eventschedule, url: "http://127.0.0.1:9", apiKeyFile: KEY, rate: { limit: 10000 }, mirror: { checkins: true } }
    readers:
      left: { type: serial, match: { path: LINE } }
    gates:
      north:
        readers: [left]
        ticketSystem: main
        deadline: 10 s
        holdOff: 0 s
        floodLimit: 600
        accept: { minLength: 24, maxLength: 24 }
    """

  /// Beside the gates' own faults: the log answers slowly, so that a request is mostly under way, and now and then not at all.
  private static let days = [
    "latency=0ms..40ms,on=desk", "latency=0ms..40ms,when=after,on=desk", "close=after,share=6%,on=desk",
    "status=503,share=4%,on=desk",
  ]

  @Test func noneIsToldTwice() async throws {
    let seed = UInt64.random(in: 1...1_000_000)
    var random = SeededGenerator(seed: seed)
    let shape = [ServerShape.document, .planify].randomElement(using: &random) ?? .document
    print("mirror under kill -9: \(shape.rawValue), seed \(seed)")
    let kills = extent(landing: 8, release: 150)
    let venue = try await AskedVenue.open(
      VenueConfiguration(noLimits: true, serverShape: shape), seed: Seed(random: seed), time: SystemTime())
    var codes = (0..<(kills * 6 + 1)).map { number in
      String((0..<20).map { _ in "abcdefghijkmnpqrstuvwxyz".randomElement(using: &random) ?? "a" })
        + "\(number + 1_000)"
    }
    let tickets = codes.enumerated().map { ImportedTicket(line: $0 + 1, code: $1, isSale: false, name: "Guest \($0)") }
    _ = try await venue.server.importTickets(tickets, file: "kills.csv")
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (line, state) = (folder.path + "/line", folder.path + "/state")
    let scanner = try PseudoScanner(at: line)
    let key = try #require(venue.seeded.apiKey)
    func launch() throws -> Station {
      try Station(url: venue.url, text: Self.text.replacing("LINE", with: line), apiKey: key, ["--state", state])
    }
    func start() async throws -> Station {
      let station = try launch()
      var (isReading, hasBegun) = (false, false)
      _ = await station.next { event in
        if event["type"] as? String == "device", event["state"] as? String == "reading" { isReading = true }
        if event["type"] as? String == "mirror" { hasBegun = true }
        return isReading && hasBegun
      }
      try #require(isReading && hasBegun, "seed \(seed): \(station.log)")
      return station
    }

    venue.server.misbehave(try Self.days.map { try Misbehaviour($0) })
    // Its first word is where it begins: what was before is not told of.
    let first = try await start()
    first.terminate()
    await expectEqual(first.status(), 0)
    first.end()
    var underWay = 0
    // As many of each kind, whatever the seed, for an evening that met too little proves nothing.
    for kind in (0..<kills).map({ $0 % 4 }).shuffled(using: &random) {
      if kind == 0 {
        // It has hardly begun, and takes up what the one before has left.
        let station = try launch()
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
        station.end()
        _ = await station.status()
        continue
      }
      let station = try await start()
      let hits = venue.server.misbehaviours.first?.hits ?? 0
      let scans = Int.random(in: 1...5, using: &random)
      for _ in 0..<scans {
        expect(await scanner.present(codes.removeLast(), to: station) != nil, "seed \(seed)")
      }
      // A request of theirs is under way, mostly; or it is any moment.
      if kind > 1 {
        let wanted = hits + Int.random(in: 1...scans, using: &random)
        await until { venue.server.misbehaviours.first.map { $0.hits >= wanted } ?? true }
        underWay += 1
      } else {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...900, using: &random)))
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
      station.end()
      _ = await station.status()
    }

    // The good end: everybody before the last is settled once that one is in the log.
    venue.server.misbehave([], clearing: true)
    let last = try await start()
    let scan = try #require(await scanner.present(codes.removeLast(), to: last)?["id"] as? String)
    let known = try Self.admissions(state).events
    let event = try #require(known.count == 1 ? known.first : nil, "seed \(seed): \(known)")
    var log = try await CheckInLog(of: event, at: venue.url, key: key)
    while !log.entries.contains(where: { $0.scan == scan }) {
      try await Task.sleep(for: .milliseconds(100))
      log = try await CheckInLog(of: event, at: venue.url, key: key)
    }
    last.terminate()
    var ends: [String: Any]?
    while let told = await last.next(where: { $0["type"] as? String == "mirror" }) { ends = told }
    let told = try #require(ends, "\(last.log)")
    await expectEqual(last.status(), 0)
    last.end()
    await venue.close()

    let (admitted, rows, _) = try Self.admissions(state)
    let scans = log.entries.compactMap(\.scan)
    expectEqual(Set(scans).count, log.entries.count, "seed \(seed): told twice")
    expect(Set(scans).isSubset(of: admitted), "seed \(seed): told, and not admitted")
    func count(_ name: String) -> Int { told[name] as? Int ?? -1 }
    let (sent, lost) = (count("sent"), count("lost"))
    let others = count("refused") + count("without_event") + count("too_old") + count("annulled")
    let words =
      "seed \(seed): \(rows) admitted, \(log.entries.count) in the log, \(told); \(underWay) kills with a request"
    print("mirror under kill -9: \(words)")
    expectEqual(sent + lost + others, rows, "\(words)")
    expect(sent <= log.entries.count && log.entries.count <= sent + lost, "\(words)")
    // Only whom the kill itself has cut off has no event, and is nobody's answer.
    expect(count("without_event") <= kills && count("refused") == 0 && count("too_old") == 0, "\(words)")
    expect(underWay >= kills / 4 && lost >= 1 && rows >= kills / 2, "\(words)")
  }

  /// What the journal has of them: the scans, how many rows they are, and the numbers of their events.
  private static func admissions(_ state: String) throws -> (scans: Set<String>, rows: Int, events: Set<Int64>) {
    var (scans, rows, events): (Set<String>, Int, Set<Int64>) = ([], 0, [])
    try Journal.Reader(path: state + "/journal.sqlite", key: nil).scans { row in
      guard row.verdict == "admit", let id = row.id else { return }
      rows += 1
      scans.insert("\(id)")
      if let number = row.eventID.flatMap({ EventID($0).number }) { events.insert(number) }
    }
    return (scans, rows, events)
  }
}
