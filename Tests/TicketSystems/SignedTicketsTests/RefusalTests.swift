import Expectations
import ScanModel
import ScriptedHTTP
import Testing

@testable import SignedTickets

/// What staff are told of a ticket that admits nobody, and that no server was asked about.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
  /// A code, its verdict, words of the detail, and whether what it says of itself is proven.
  private struct Row {
    var code: String
    var said: String
    var words: [String]
    var isProven: Bool
  }

  @Test func aRefusalSaysWhatTheTicketIsForAndWhatIsExpected() async throws {
    let door = try await Door.open(performances: ["perf_1", "perf_3"])
    let now = door.time.wall()
    let secret = Issuer.other("dev-ed25519").ticket("tkt_forged", at: now, performance: "perf_forged")
    let rows = [
      Row(
        code: Issuer.vector.ticket(at: now, tenant: "another"), said: "refused wrongEvent",
        words: ["organisation another", Issuer.tenant, "org, f:1:1"], isProven: true),
      Row(
        code: Issuer.vector.ticket(at: now, performance: "perf_2"), said: "refused wrongEvent",
        words: ["perf_2", "seat A-1", "perf_1, perf_3"], isProven: true),
      Row(
        code: Issuer.vector.ticket(at: now - .seconds(9_000)), said: "refused expired",
        words: [
          "perf_1", "seat A-1", "ended at \(WallTime(seconds: (now - .seconds(9_000)).seconds + 7_200).iso8601Seconds)",
        ], isProven: true),
      Row(
        code: Issuer.vector.ticket(at: now + .seconds(600)), said: "refused tooEarly",
        words: ["perf_1", "issued at", "one of the two clocks is wrong"], isProven: true),
      Row(code: secret, said: "refused notGenuine", words: ["has not signed it"], isProven: false),
      Row(code: "ed25519.v1.k.AAAA.e30", said: "refused notGenuine", words: ["cut or changed"], isProven: false),
    ]
    for row in rows {
      await expectEqual(door.present(row.code), row.said)
      let words = door.system.refusalWords(for: Code(row.code)) ?? ""
      for word in row.words { expect(words.contains(word), "\(word) in \(words)") }
      let details = door.system.refusalDetails(for: Code(row.code))
      expectEqual(details != nil, row.isProven, "\(row.said)")
      if let details {
        expect(
          details.eventID?.hasPrefix("perf_") == true && details.seats == ["A-1"] && details.ends != nil, "\(details)")
      }
      // What nobody has signed is not repeated, nor is a ticket's id.
      expect(!words.contains("perf_forged") && !words.contains("tkt_"), "\(words)")
      // Who asks without having examined is told the same.
      guard case .refused(_, let detail) = await door.attempt(row.code).answer else {
        expect(false, "nobody is asked about it")
        continue
      }
      expectEqual(detail?.isEmpty, false)
    }
    expectEqual(door.service.redemptions, 0)
    await door.close()
  }

  /// A gate for many performances does not name them all.
  @Test func manyPerformancesAreCounted() async throws {
    let door = try await Door.open(gate: (1...5).map { "perf_1\($0)" })
    let words = door.system.refusalWords(for: Code(door.ticket())) ?? ""
    expect(words.hasSuffix("admits to perf_11, perf_12, perf_13 and 2 more."), "\(words)")
    await door.close()
  }

  /// Text of an issuer is text from outside.
  @Test func whatItSaysIsMadeFitForStaff() async throws {
    let door = try await Door.open(performances: ["perf_1"])
    let now = door.time.wall().seconds
    let code = Issuer.vector.text(
      Issuer.payload(performance: "a\u{202E}b\u{200B}c", issued: now, ends: now + 60))
    let words = door.system.refusalWords(for: Code(code)) ?? ""
    expect(words.hasPrefix("The ticket is for abc, seat A-1;"), "\(words)")
    expectEqual(door.system.refusalDetails(for: Code(code))?.eventID, "abc")
    await door.close()
  }

  @Test func whatIsGoodHasNoWords() async throws {
    let door = try await Door.open()
    expectEqual(door.system.refusalWords(for: Code(door.ticket())), nil)
    await door.close()
  }
}
