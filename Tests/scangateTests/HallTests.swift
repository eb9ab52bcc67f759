import Admission
import EventSchedule
import Expectations
import Foundation
import Gateway
import ScanModel
import ScanTesting
import Testing
import VenueServer

/// Two halls of one key on one day, at the venue in the shapes that scan: what a gate takes, and what becomes of the others.
@Suite(.timeLimit(.minutes(1))) struct HallTests {
  private struct Gate {
    let name: String
    let system: EventScheduleTicketSystem
    let ledger: LedgerKeeper

    func present(_ code: String) async -> (verdict: Verdict, detail: String?) {
      let scan = Scan(
        gate: GateID(name), reader: ReaderID(name), code: system.recognise(Code(code)).code, readAt: SystemTime().now(),
        event: system.recognise(Code(code)).event)
      let kept = await ledger.decide(
        scan, key: TicketKey(scan.code.bytes), system: system, deadline: SystemTime().now() + .seconds(30), mayAsk: true
      )
      return (kept.decision.verdict, kept.decision.detail)
    }
  }

  private struct Bench {
    let venue: AskedVenue
    let ledger: LedgerKeeper

    func gate(_ name: String, _ rule: EventScheduleSection.Gate) -> Gate {
      let system = EventScheduleTicketSystem(
        id: TicketSystemID("venue"), client: venue.client, gate: rule, longestInspection: .seconds(20))
      return Gate(name: name, system: system, ledger: ledger)
    }

    /// The same, once it knows what the server tells of events.
    func ready(_ name: String, _ rule: EventScheduleSection.Gate) async -> Gate {
      let gate = gate(name, rule)
      let (told, tell) = AsyncStream.makeStream(of: Void.self)
      gate.system.rule?.watch { tell.yield() }
      for await _ in told where gate.system.rule?.standing != .awaited { break }
      return gate
    }

    func ticket(_ event: String, _ type: String) throws -> SeededTicket {
      try #require(venue.seeded.tickets.first { $0.event == event && $0.type == type && $0.kind == .entry })
    }

    /// What the ticket system has counted.
    func entries() async throws -> Int { try await venue.server.book().count }
  }

  private func run(_ shape: ServerShape, _ body: (Bench) async throws -> Void) async throws {
    let venue = try await AskedVenue.open(
      VenueConfiguration(noLimits: true, serverShape: shape), seed: Seed(random: 7, halls: true), time: SystemTime())
    let ledger = LedgerKeeper(
      server: "halls", dependencies: try .inMemory(), time: SystemTime(), events: EventHub())
    try await body(Bench(venue: venue, ledger: ledger))
    await venue.close()
  }

  @Test(arguments: [ServerShape.document, .planify])
  func aTicketOfTheOtherHallIsRefusedUnspentAndGreenThere(shape: ServerShape) async throws {
    try await run(shape) { bench in
      let ticket = try bench.ticket("Hall B 20:00", "Standard")
      let hallA = try bench.ticket("Hall A 20:00", "Standard")
      let (a, b) = (
        bench.gate("a", .init(events: ["\(hallA.eventID)"])), bench.gate("b", .init(events: ["\(ticket.eventID)"]))
      )
      // Bare, and as a mailed ticket shows it.
      for code in [ticket.code, ticket.asURL] {
        let refused = await a.present(code)
        expectEqual(refused.verdict, .refuse(.wrongEvent))
        expect(refused.detail?.contains("“Hall B 20:00”") == true, "\(refused)")
      }
      try await expectEqual(bench.entries(), 0)
      await expectEqual(b.present(ticket.code).verdict, .admit)
      await expectEqual(b.present(ticket.code).verdict, .refuse(.alreadyUsed))
      try await expectEqual(bench.entries(), 1)
    }
  }

  /// Where nobody tells the event before, the ticket is counted at the wrong gate: it is ours, and green at the right one.
  @Test(arguments: [ServerShape.document, .planify])
  func whatIsCountedAtTheWrongGateIsGreenAtTheRightOne(shape: ServerShape) async throws {
    try await run(shape) { bench in
      let ticket = try bench.ticket("Hall A 20:00", "Standard")
      let hallB = try bench.ticket("Hall B 20:00", "Standard")
      let a = bench.gate("a", .init(events: ["\(ticket.eventID)"]))
      let b = bench.gate("b", .init(events: ["\(hallB.eventID)"], unknownEvent: .redeem))
      await expectEqual(b.present(ticket.code).verdict, .refuse(.wrongEvent))
      try await expectEqual(bench.entries(), 1)
      await expectEqual(b.present(ticket.code).verdict, .refuse(.wrongEvent))
      await expectEqual(a.present(ticket.code).verdict, .admit)
      await expectEqual(a.present(ticket.code).verdict, .refuse(.alreadyUsed))
    }
  }

  /// A matinee's ticket with a forged URL of the evening's event opens nothing.
  @Test(arguments: [ServerShape.document, .planify]) func aForgedEventOpensNothing(shape: ServerShape) async throws {
    try await run(shape) { bench in
      let matinee = try bench.ticket("Hall A 17:00", "Standard")
      let evening = try bench.ticket("Hall A 20:00", "Standard")
      let gate = bench.gate("a", .init(events: ["\(evening.eventID)"]))
      let forged = evening.asURL.replacing(evening.code, with: matinee.code)
      expect(forged != evening.asURL)
      await expectEqual(gate.present(forged).verdict, .refuse(.wrongEvent))
      await expectEqual(gate.present(evening.asURL).verdict, .admit)
    }
  }

  /// Where answers do not tell what types are called, the list of events does.
  @Test(arguments: [ServerShape.document, .planify]) func theVIPGateTakesNoOther(shape: ServerShape) async throws {
    try await run(shape) { bench in
      let vip = try bench.ticket("Hall A 20:00", "VIP")
      let standard = try bench.ticket("Hall A 20:00", "Standard")
      let gate = await bench.ready("vip", .init(events: ["\(vip.eventID)"], types: ["VIP"]))
      await expectEqual(gate.present(standard.code).verdict, .refuse(.wrongKind))
      try await expectEqual(bench.entries(), 0)
      await expectEqual(gate.present(vip.code).verdict, .admit)
      await expectEqual(bench.gate("all", .init()).present(standard.code).verdict, .admit)
    }
  }

  /// A sale of both types: which of them a code stands for nobody tells, so that staff decide; a gate that takes both admits on it.
  @Test(arguments: [ServerShape.document, .planify]) func ofASaleOfBothTypesStaffDecide(shape: ServerShape) async throws
  {
    try await run(shape) { bench in
      let both = try #require(bench.venue.seeded.tickets.first { $0.event == "Hall A 20:00" && $0.kind == .sale })
      let vip = await bench.ready("vip", .init(types: ["VIP"]))
      await expectEqual(vip.present(both.code).verdict, .undecided(.interrupted))
      let first = try await bench.entries()
      await expectEqual(vip.present(both.code).verdict, .undecided(.interrupted))
      let gate = await bench.ready("foyer", .init(types: ["VIP", "Standard"]))
      await expectEqual(gate.present(both.code).verdict, .admit)
      expect(first == 1, "it was counted, and is ours")
    }
  }

  /// The key owns no such event, and the document's sales do not tell types: nobody could pass, so that nothing is spent.
  @Test func aGateWhoseTypesNobodyTellsSpendsNothing() async throws {
    try await run(.document) { bench in
      let vip = try bench.ticket("Hall A 20:00", "VIP")
      let gate = await bench.ready("vip", .init(types: ["Balcony"]))
      guard case .barred(.outOfService, let words)? = gate.system.rule?.standing else {
        Issue.record("\(String(describing: gate.system.rule?.standing))")
        return
      }
      expect(words.contains("“Balcony”") && words.contains("ticket_id"), "\(words)")
      await expectEqual(gate.present(vip.code).verdict, .refuse(.wrongKind))
      try await expectEqual(bench.entries(), 0)
    }
  }
}
