import EventSchedule
import Expectations
import ScanModel
import Calls
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// Many gates at once against a server that does something else each time, chosen by a seed.
@Suite struct ChaosTests {
  private final class Tally: Sendable {
    let random: Mutex<SeededGenerator>
    let arrived = Mutex<[String: Int]>([:])
    let pending = Mutex(0)
    let redeemed = Mutex(0)
    init(seed: UInt64) { random = Mutex(SeededGenerator(seed: seed)) }
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 2, release: 4))), [false, true]) func nobodyGetsAnothersAnswer(
    seed: UInt64, isSecure: Bool
  )
    async throws
  {
    let tally = Tally(seed: seed)
    let server = ScriptedServer { _, request, connection in
      let id = String(request.split(separator: "chaos-code-").dropFirst().first?.prefix { $0.isNumber } ?? "0")
      tally.arrived.withLock { $0[id, default: 0] += 1 }
      let whole = Answers.response("201 Created", Answers.sale(entry: "1" + id))
      let (choice, place, byte) = tally.random.withLock { random in
        (
          Int.random(in: 0..<12, using: &random), Int.random(in: 0..<whole.utf8.count, using: &random),
          UInt8.random(in: 0...255, using: &random)
        )
      }
      switch choice {
      case 0: connection.close()
      case 1:
        connection.send(Array(whole.utf8.prefix(place)))
        connection.close()
      case 2: connection.send(Array(whole.utf8.prefix(place)))
      case 3:
        connection.send(whole)
        connection.close()
      case 4: connection.send("HTTP/1.1 100 Continue\r\n\r\n" + whole)
      case 5:
        connection.send("HTTP/1.1 100 Continue\r\n\r\n")
        connection.close()
      case 6:
        // Damage to the head only: the body keeps the number by which answers are told apart.
        var damaged = [UInt8](whole.utf8)
        damaged[place % 120] = byte
        connection.send(damaged)
      case 7: connection.send(Answers.response("404 Not Found", #"{"error":"Ticket not found"}"#))
      case 8: connection.trickle(String(whole.prefix(place))) { $0.close() }
      default: connection.send(whole)
      }
    }
    var settings = HTTPTransport.Settings()
    settings.lateLimit = .milliseconds(400)
    settings.keepAlive = .milliseconds(30)
    if isSecure { settings = try trusting(TestCertificates.authority, settings) }
    let venue = try await Venue.open(
      server, certificate: isSecure ? TestCertificates.good : nil, settings: settings,
      budget: RateBudget(limit: 100_000))
    @Sendable func present(_ id: String, within patience: Duration) async {
      let request = AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: Code("chaos-code-\(id)"), deadline: SystemTime().now() + patience)
      let check: @Sendable (AttemptOutcome) -> Void = { outcome in
        if case .redeemed(let redemption) = outcome.answer {
          tally.redeemed.withLock { $0 += 1 }
          expectEqual(redemption.entryID, "1" + id, "seed \(seed)")
        }
        if outcome.fate == .notSent {
          expect(tally.arrived.withLock { $0[id] } == nil, "seed \(seed): \(outcome)")
          expect(!outcome.mayHaveRedeemed)
        }
      }
      let late = venue.late
      let outcome = await venue.system.attempt(request) {
        check($0)
        late.add($0)
      }
      check(outcome)
      if outcome.fate == .pending { tally.pending.withLock { $0 += 1 } }
    }
    await withTaskGroup(of: Void.self) { group in
      for gate in 0..<6 {
        group.addTask {
          for turn in 0..<25 { await present("\(gate * 100 + turn)", within: .milliseconds(150)) }
        }
      }
    }
    // A machine with much else to do may have had no answer in time so far.
    var extra = 1_000
    while tally.redeemed.withLock({ $0 }) == 0 && extra < 1_100 {
      await present("\(extra)", within: .seconds(10))
      extra += 1
    }
    await venue.close()
    expectEqual(venue.late.count, tally.pending.withLock { $0 }, "seed \(seed): each pending attempt ends late, once")
    expect(tally.arrived.withLock { $0.values.allSatisfy { $0 == 1 } }, "seed \(seed): no request twice")
    expect(tally.redeemed.withLock { $0 } > 0)
  }
}
