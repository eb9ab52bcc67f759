import Expectations
import Foundation
import ScanModel
import Sealing
import Testing
import TicketLists
import TicketSystemKit
import VenueServer

@testable import EventSchedule

/// Gates that take some types of tickets, where only a list that somebody has imported tells which tickets are of which.
@Suite(.timeLimit(.minutes(1))) struct ListedTypeTests {
  private let folder: URL

  init() throws { folder = try temporaryFolder() }

  private var state: String { folder.appending(path: "state").path }

  /// Brings a file on board, as whoever prepares the evening does.
  private func load(_ text: String, of url: String) async throws -> any TicketList {
    let (station, file) = (folder.appending(path: "station.yaml"), folder.appending(path: "tickets.csv"))
    let yaml = """
      version: 1
      station: { name: door }
      ticketSystems: { main: { type: eventschedule, url: "\(url)", apiKey: main } }
      readers: { left: { type: wedge, match: { vendor: "0c2e", serial: none-here }, keymap: us } }
      gates: { north: { readers: [left], ticketSystem: main } }
      """
    try Data(yaml.utf8).write(to: station)
    try Data(text.utf8).write(to: file)
    let taken = try await Program.run([
      "tickets", "import", file.path, "--system", "main", "--config", station.path, "--state", state,
    ])
    expectEqual(taken.status, 0, "\(taken.errors)")
    let key = try SealKeySource(state: state, given: nil).open(making: false).key
    return try StoredTicketList(
      TicketListPlace(state: state, system: TicketSystemID("main"), server: "eventschedule \(url)"), key: key)
  }

  /// The server tells no type of that name; a list that tells none helps nobody, and one that does keeps the gate in service.
  @Test func whatTheListTellsOpensTheGate() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try await AskedVenue.open(
      VenueConfiguration(noLimits: true, serverShape: .document), seed: Seed(random: 7, halls: true),
      time: SystemTime())
    let tickets = venue.seeded.tickets.filter { $0.event == "Hall A 20:00" && $0.kind == .entry }
    let (balcony, stalls) = (try #require(tickets.first).code, try #require(tickets.last).code)
    expect(balcony != stalls)
    for tellsKinds in [false, true] {
      let list = try await load(
        tellsKinds ? "code,ticket_type\n\(balcony),Balcony\n\(stalls),Stalls\n" : "code\n\(balcony)\n\(stalls)\n",
        of: venue.url)
      try await expectEqual(list.tellsKinds(), tellsKinds)
      let time = SystemTime()
      let onBoard = ListOnBoard(of: TicketSystemID("main"), list, maxAge: .seconds(3_600)) {
        JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true)
      }
      let book = EventBook(time: time)
      let directory = EventDirectory(client: venue.client, book: book, list: onBoard, time: time)
      let system = EventScheduleTicketSystem(
        id: TicketSystemID("main"), client: venue.client, gate: .init(types: ["Balcony"]), book: book,
        directory: directory, longestInspection: .seconds(20), time: time)
      let rule = try #require(system.rule)
      expect(await directory.fetch())
      let isBarred = if case .barred(.outOfService, _) = rule.standing { true } else { false }
      expect(isBarred != tellsKinds && (rule.standing == .open) == tellsKinds, "\(rule.standing)")
      let (listed, other) = (
        try await list.find(Code(balcony))?.ticket?.details, try await list.find(Code(stalls))?.ticket?.details
      )
      expect(listed != nil && rule.takes(listed) == tellsKinds, "\(String(describing: listed))")
      if tellsKinds { expectEqual(rule.bar(other)?.verdict, .refuse(.wrongKind)) }
      directory.stop()
    }
    await venue.close()
  }
}
