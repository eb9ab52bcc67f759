import Admission
import Calls
import EventSchedule
import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing
import VenueServer

@testable import Gateway

/// Gates and their mirror at a venue: what is in its log of check-ins after somebody has passed.
@Suite(.timeLimit(.minutes(1))) struct MirrorVenueTests {
  private struct Bench {
    let venue: AskedVenue
    let journal = MemoryJournal()
    let hub = EventHub()
    let ledger: LedgerKeeper
    let events: AsyncStream<GatewayEvent>
    private let name = TicketSystemID("venue")

    init(_ venue: AskedVenue) throws {
      self.venue = venue
      ledger = LedgerKeeper(
        server: "venue", dependencies: try .inMemory(journal), time: SystemTime(), events: hub)
      events = hub.subscribe()
    }

    /// Presents a code as a gate does, and has the scan written down.
    @discardableResult func present(
      _ code: String, at gate: String = "north", isExit: Bool = false, offline policy: OfflinePolicy = OfflinePolicy()
    ) async -> (verdict: Verdict, scan: String) {
      let system = venue.system
      let read = system.recognise(Code(code))
      let scan = Scan(
        gate: GateID(gate), reader: ReaderID("left"), code: read.code, readAt: SystemTime().now(), event: read.event)
      let key = TicketKey(read.code.bytes)
      let kept =
        isExit
        ? await ledger.leave(scan, key: key)
        : await ledger.decide(
          scan, key: key, system: system, deadline: SystemTime().now() + .seconds(30), mayAsk: true, offline: policy)
      ScanReports(system: name, ledger: ledger, events: hub).add(scan, kept, outputFault: nil)
      return (kept.decision.verdict, "\(scan.id)")
    }

    /// Begins to tell, at what comes now.
    func mirror() async -> Task<Void, Never> {
      let before = journal.batches.count
      let sender = MirrorSender(
        of: name, EventScheduleMirror(client: venue.client), station: "door", keeper: ledger,
        backOff: RetryPolicy(first: .milliseconds(5), longest: .milliseconds(20), mostTries: .max), events: hub)
      let task = Task { await sender.run() }
      await until { journal.batches.count > before }
      return task
    }

    /// Ends it, and returns what became of all.
    func end(_ run: Task<Void, Never>, after count: Int64 = 0) async -> MirrorCounts {
      await until { await counts().all >= count }
      run.cancel()
      await run.value
      return await counts()
    }

    func counts() async -> MirrorCounts {
      let store = MirrorStore(dependencies: ledger.store.dependencies, server: "venue", system: name)
      return (try? await store.recall())?.counts ?? MirrorCounts()
    }

    /// What was told of it, once the hub ended.
    func told() async -> [MirrorEvent] {
      hub.finish()
      var found: [MirrorEvent] = []
      for await case .mirror(let event) in events { found.append(event) }
      return found
    }

    func log(of event: Int64) async throws -> CheckInLog {
      try await CheckInLog(of: event, at: venue.url, key: try #require(venue.seeded.apiKey))
    }

    func ticket(_ kind: SeededTicket.Kind, _ number: Int = 0) throws -> SeededTicket {
      let found = venue.seeded.tickets.filter { $0.kind == kind }
      return try #require(found.count > number ? found[number] : nil)
    }
  }

  private func run(
    _ shape: ServerShape, seed: Seed = Seed(random: 7), _ body: (Bench) async throws -> Void
  ) async throws {
    let venue = try await AskedVenue.open(
      VenueConfiguration(noLimits: true, serverShape: shape), seed: seed, time: SystemTime())
    try await body(Bench(venue))
    await venue.close()
  }

  private static let shapes = [ServerShape.document, .planify]

  /// The document's server tells plain numbers of events, the other one base64; both take the number.
  @Test(arguments: shapes) func whoPassedIsInTheLog(shape: ServerShape) async throws {
    try await run(shape) { bench in
      let run = await bench.mirror()
      let ticket = try bench.ticket(.entry)
      let came = await bench.present(ticket.code)
      await bench.present(ticket.code)
      await bench.present(try bench.ticket(.refunded).code)
      let left = await bench.present(ticket.code, at: "out", isExit: true)
      expect(came.verdict == .admit && left.verdict == .admit)
      let counts = await bench.end(run, after: 2)
      expect(counts.sent == 2 && counts.all == 2, "\(counts)")
      let log = try await bench.log(of: ticket.eventID)
      let isDocument = shape == .document
      expectEqual(
        log.entries,
        [
          .init(
            name: ticket.holder, notes: "station=door;gate=north;scan=\(came.scan)",
            action: isDocument ? "checkin" : nil, key: isDocument ? came.scan : nil),
          .init(
            name: ticket.holder, notes: "station=door;gate=out;scan=\(left.scan);action=checkout",
            action: isDocument ? "checkout" : nil, key: isDocument ? left.scan : nil),
        ])
      // It is a log of names: nobody is admitted by it, and it has no code.
      try await expectEqual(bench.venue.server.book().count, 1)
      expect(!log.text.contains(ticket.code) && !log.text.contains(bench.venue.seeded.apiKey ?? "-"))
    }
  }

  /// This key may scan an event of somebody else's, and not write its check-ins.
  @Test(arguments: shapes) func anEventOfAnothersTurnsItOffUntilAReload(shape: ServerShape) async throws {
    try await run(shape, seed: Seed(random: 7, halls: true)) { bench in
      let guests = try #require(bench.venue.seeded.tickets.first { $0.event == "Hall B 22:00, guests" })
      let ticket = try #require(bench.venue.seeded.tickets.first { $0.event == "Hall A 20:00" && $0.kind == .entry })
      let run = await bench.mirror()
      await expectEqual(bench.present(guests.code).verdict, .admit)
      await run.value
      // Gates go on, and nothing more is told.
      await expectEqual(bench.present(ticket.code).verdict, .admit)
      let again = await bench.mirror()
      await again.value
      expectEqual(await bench.counts().all, 0)
      try await expectEqual(bench.log(of: ticket.eventID).entries, [])
      let told = await bench.told()
      expectEqual(told.map(\.state), [.telling, .off, .telling, .off])
      expect(told.last?.detail?.contains("(403): “Unauthorized”") == true, "\(told)")
    }
  }

  @Test func theOriginalHasNoSuchLog() async throws {
    try await run(.upstream) { bench in
      let run = await bench.mirror()
      let scan = Scan(
        gate: GateID("north"), reader: ReaderID("left"), code: Code("abc"), readAt: SystemTime().now())
      bench.ledger.record(
        .scan(
          JournaledScan(
            scan: scan, system: TicketSystemID("venue"), ticket: nil, at: bench.ledger.now, decidedIn: .zero,
            verdict: .admit, decider: .server, eventID: "1")))
      bench.ledger.passages.wake()
      await run.value
      expectEqual(await bench.told().map(\.state), [.telling, .off])
    }
  }

  /// Whatever the log answers, the next gate opens as ever, and nothing is sent twice.
  static let days: [(misbehaviour: String, counts: [Int64], entries: Int)] = [
    ("status=500,next=1,on=desk", [1, 1, 0], 1), ("status=500,when=after,next=1,on=desk", [1, 1, 0], 2),
    ("status=503,next=1,on=desk", [1, 1, 0], 1), ("status=422,next=1,on=desk", [1, 0, 1], 1),
    ("status=429,retry-after=1s,next=1,on=desk", [2, 0, 0], 2), ("html,next=1,on=desk", [1, 1, 0], 1),
    ("html,when=after,next=1,on=desk", [1, 1, 0], 2), ("redirect,next=1,on=desk", [1, 1, 0], 1),
    ("json=cut,next=1,on=desk", [1, 1, 0], 2), ("json=deep,next=1,on=desk", [1, 1, 0], 2),
    ("json=types,next=1,on=desk", [2, 0, 0], 2), ("close=before,next=1,on=desk", [1, 1, 0], 1),
    ("close=after,next=1,on=desk", [1, 1, 0], 2), ("reset=midway,next=1,on=desk", [1, 1, 0], 2),
  ]

  @Test(arguments: days.indices) func aBadDayOfTheLogChangesNoGate(_ index: Int) async throws {
    let (day, shape) = (Self.days[index], Self.shapes[index % 2])
    try await run(shape) { bench in
      // It knows from where on it tells; both have passed before the first of them is told.
      _ = await bench.end(bench.mirror())
      bench.venue.server.misbehave([try Misbehaviour(day.misbehaviour)])
      let tickets = try [bench.ticket(.entry), bench.ticket(.entry, 1)]
      for ticket in tickets { await expectEqual(bench.present(ticket.code).verdict, .admit) }
      let run = await bench.mirror()
      let counts = await bench.end(run, after: 2)
      expectEqual([counts.sent, counts.lost, counts.refused], day.counts)
      let log = try await bench.log(of: tickets[0].eventID)
      expectEqual(log.entries.count, day.entries)
      expectEqual(Set(log.entries.map(\.scan)).count, day.entries)
      let words = await bench.told().compactMap(\.detail).joined()
      expect(!words.contains(tickets[0].code) && !words.contains(bench.venue.seeded.apiKey ?? "-"), "\(words)")
    }
  }

  /// Three wordings, and two statuses that say that there is no such call.
  @Test(arguments: ["status=403,on=desk", "status=404,on=desk", "status=405,on=desk"], shapes)
  func whatSaysThatThereIsNoneTurnsItOff(misbehaviour: String, shape: ServerShape) async throws {
    try await run(shape) { bench in
      let run = await bench.mirror()
      bench.venue.server.misbehave([try Misbehaviour(misbehaviour)])
      let ticket = try bench.ticket(.entry)
      await expectEqual(bench.present(ticket.code).verdict, .admit)
      await run.value
      expectEqual(bench.venue.server.misbehaviours.map(\.hits), [1])
      bench.venue.server.misbehave([], clearing: true)
      // As after a reload: it was not taken, and is told now.
      let again = await bench.mirror()
      let counts = await bench.end(again, after: 1)
      expectEqual(counts.sent, 1)
      try await expectEqual(bench.log(of: ticket.eventID).entries.map(\.name), [ticket.holder])
    }
  }

  // MARK: Without the ticket system

  private static let trusting = {
    var policy = OfflinePolicy()
    (policy.rule, policy.after) = (.admitAndQueue, .milliseconds(300))
    return policy
  }()

  /// Somebody is admitted on trust, and the ticket system says afterwards that it was right, or that it was not: they went in.
  @Test(arguments: [TicketStatus.paid, .refunded], shapes)
  func whoWasAdmittedOnTrustIsToldAfterThat(status: TicketStatus, shape: ServerShape) async throws {
    try await run(shape) { bench in
      let run = await bench.mirror()
      bench.venue.server.misbehave([try Misbehaviour("status=503,on=scans")])
      _ = await bench.ledger.takeUp([], asker: bench.venue.system)
      let ticket = try bench.ticket(.entry)
      // It counts as offline: nothing of the next one is sent, and so nothing of it lost.
      for _ in 0..<2 {
        await expectEqual(bench.present(try bench.ticket(.entry, 1).code).verdict, .undecided(.unreachable))
      }
      let scan = await bench.present(ticket.asURL, offline: Self.trusting)
      expectEqual(scan.verdict, .admit)
      expectEqual(await bench.counts().all, 0)
      try await bench.venue.server.setStatus(status, ofCode: ticket.code)
      bench.venue.server.misbehave([], clearing: true)
      let counts = await bench.end(run, after: 1)
      expect(counts.sent == 1 && counts.all == 1, "\(counts)")
      let log = try await bench.log(of: ticket.eventID)
      // Of a refusal nobody has told the holder.
      expectEqual(log.entries.map(\.name), [status == .paid ? ticket.holder : "-"])
      expectEqual(log.entries.first?.notes, "station=door;gate=north;scan=\(scan.scan);offline=yes")
    }
  }
}
