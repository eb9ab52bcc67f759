import Admission
import EventSchedule
import Expectations
import Foundation
import Gateway
import ScanModel
import Synchronization
import Testing
import VenueServer

/// `docs/venue.md` promises a crew what it sees on a bad day: here the venue misbehaves, and the gateway's own client and
/// ledger decide.
@Suite struct TrainingTests {
  /// One switch of the training table, and what it says of a valid ticket then, and again when the venue is good.
  struct Row: Sendable, CustomTestStringConvertible {
    var misbehaviour: String
    var first: String
    var again: String
    var isOutOfService: Bool
    var testDescription: String { misbehaviour }
  }

  static func rows() throws -> [Row] {
    let file = repositoryFile("docs/venue.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let table = text.components(separatedBy: "| switch on |").last?.components(separatedBy: "\n\n").first ?? ""
    return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { line in
      let texts = line.components(separatedBy: " | ")
      let cells = texts.map { cell in
        cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      }
      return cells[0].map {
        Row(
          misbehaviour: $0, first: words(cells, 1), again: words(cells, 2),
          isOutOfService: texts.contains("out of service"))
      }
    }
  }

  private static func words(_ cells: [[String]], _ index: Int) -> String {
    cells.indices.contains(index) ? cells[index].joined(separator: " ") : ""
  }

  @Test func theTableIsFound() throws { expect(try Self.rows().count >= 14) }

  @Test(arguments: try rows()) func theDocumentSaysWhatIsSeen(row: Row) async throws {
    let misbehaviour = try Misbehaviour(row.misbehaviour)
    let time = MovableTime()
    // Only a pause longer than the usual deadline is about the deadline; nothing else here waits for it.
    let isSlow = row.first == "unreachable" && row.misbehaviour.hasPrefix("latency")
    let venue = try await AskedVenue.open(
      VenueConfiguration(now: { Date() + time.ahead.seconds }, misbehaviours: isSlow ? [] : [misbehaviour]), time: time)
    let code = try #require(venue.seeded.tickets.first).code
    let gate = TrainingGate(
      system: venue.system,
      ledger: LedgerKeeper(server: "training", dependencies: try .inMemory(time: time), time: time, events: EventHub()),
      time: time)
    if isSlow {
      // The deadline is to end a wait for the answer: on a busy machine it may take as long to connect.
      expect(await venue.system.reach(deadline: time.now() + .seconds(60)).isAnswer)
      venue.server.misbehave([misbehaviour], clearing: true)
    }
    let first = await gate.present(code, within: isSlow ? .milliseconds(2_500) : .seconds(60))
    expectEqual(first, row.first)
    // What puts a gate out of service is what the house calls a fault.
    expectEqual((UndecidedReason(rawValue: first)?.isFault ?? false), row.isOutOfService)
    venue.server.misbehave([], clearing: true)
    // Nobody presents a ticket again within the hold-off: everybody's clock goes on.
    time.advance(by: .seconds(3))
    let again = await gate.present(code, within: .seconds(60))
    // On a busy machine the late answer can be there before the ticket is presented again.
    if again != row.again, !isSlow || again != "admit" { expectEqual(again, row.again) }
    await venue.close()
  }
}

/// A look-up against the venue's list, whose wire the venue writes by hand.
@Suite struct LookUpTests {
  @Test func aSecretIsFoundUnusedThenUsedAndNothingElseTells() async throws {
    let time = SystemTime()
    let venue = try await AskedVenue.open(VenueConfiguration(now: { Date() }), time: time)
    let system = venue.system
    let ticket = try #require(venue.seeded.tickets.first { $0.code.utf8.count >= 16 && !$0.code.contains("/") })
    func find(_ text: String) async -> LookUp { await system.lookUp(Code(text), deadline: time.now() + .seconds(30)) }
    await expectEqual(find(ticket.code), .unused)
    await expectEqual(find(ticket.code), .unused)
    // What matches more than one secret, or parts of names, proves nothing.
    await expectEqual(find(String(ticket.code.dropLast()) + "_"), .unknown)
    await expectEqual(find("An"), .unknown)
    await expectEqual(find("abcdefabcdefabcdefabcdef"), .unknown)
    // Asking whether it answers redeems nothing.
    let booked = try await venue.server.book().count
    expect(await system.reach(deadline: time.now() + .seconds(30)).isAnswer)
    await expectEqual(find(ticket.code), .unused)
    try await expectEqual(venue.server.book().count, booked)
    let request = AttemptRequest(
      attempt: AttemptID(), scan: ScanID(), code: Code(ticket.code), deadline: time.now() + .seconds(30))
    let outcome = await system.attempt(request) { _ in }
    guard case .redeemed = outcome.answer else {
      Issue.record("not redeemed: \(outcome)")
      return
    }
    await expectEqual(find(ticket.code), .used)
    await venue.close()
  }
}

/// The machine's clocks, which a test moves ahead.
private final class MovableTime: TimeSource {
  private let moved = Mutex(Duration.zero)

  var ahead: Duration { moved.withLock { $0 } }
  func advance(by duration: Duration) { moved.withLock { $0 += duration } }
  func now() -> MonotonicTime { SystemTime().now() + ahead }
  func wall() -> WallTime { SystemTime().wall() + ahead }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}

private struct TrainingGate {
  let system: EventScheduleTicketSystem
  let ledger: LedgerKeeper
  let time: MovableTime

  /// The words for staff: `admit` and its note, or the reason.
  func present(_ text: String, within limit: Duration) async -> String {
    let scan = Scan(gate: GateID("training"), reader: ReaderID("hand"), code: Code(text), readAt: time.now())
    let kept = await ledger.decide(
      scan, key: TicketKey(scan.code.bytes), system: system, deadline: time.now() + limit, mayAsk: true)
    let decision = kept.decision
    let note = decision.note.map { " " + $0.rawValue } ?? ""
    return switch decision.verdict {
    case .admit: "admit" + note
    case .refuse(let reason): reason.rawValue + note
    case .undecided(let reason): reason.rawValue
    }
  }
}
