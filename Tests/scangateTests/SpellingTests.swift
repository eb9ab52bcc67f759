import Admission
import Expectations
import Gateway
import ScanModel
import Testing
import VenueServer

/// A ticket system that does not look at case, over real sockets and with its own book: `docs/decisions/0026`.
@Suite(.timeLimit(.minutes(1))) struct SpellingTests {
  /// What a thief's telephone may make of a code: the first six of its letters in every mix of cases, as it is at first.
  private func spellings(of code: String) -> [String] {
    let letters = code.indices.filter { code[$0].isLetter }.prefix(6)
    return (0..<64).map { number in
      var text = ""
      for index in code.indices {
        let isFlipped = letters.firstIndex(of: index).map { number >> $0 & 1 == 1 } ?? false
        text += isFlipped ? code[index].uppercased() : String(code[index])
      }
      return text
    }
  }

  @Test(arguments: [true, false]) func aTicketInAllItsSpellingsAdmitsOnce(ignoresCase: Bool) async throws {
    let time = SystemTime()
    let venue = try await AskedVenue.open(VenueConfiguration(noLimits: true, ignoresCase: ignoresCase), time: time)
    let seeded = venue.seeded
    let ledger = LedgerKeeper(server: "venue", dependencies: try .inMemory(time: time), time: time, events: EventHub())
    func present(_ text: String) async -> String {
      let scan = Scan(gate: GateID("north"), reader: ReaderID("hand"), code: Code(text), readAt: time.now())
      let decision = await ledger.decide(
        scan, key: TicketKey(scan.code.bytes), system: venue.system, deadline: time.now() + .seconds(30), mayAsk: true
      ).decision
      return [decision.verdict.name, decision.verdict.reason, decision.note?.rawValue].compactMap(\.self)
        .joined(separator: " ")
    }
    let another = ignoresCase ? "refuse alreadyUsed otherCode" : "refuse notFound"

    let sale = spellings(of: try #require(seeded.tickets.first { $0.kind == .sale }).code)
    await expectEqual(present(sale[1]), (ignoresCase ? "admit" : "refuse notFound"))
    await expectEqual(present(sale[0]), "admit")
    await expectEqual(present(sale[0]), (ignoresCase ? "refuse alreadyUsed saleUsedUp" : "admit"))

    let entry = spellings(of: try #require(seeded.tickets.first { $0.kind == .entry }).code)
    await expectEqual(present(entry[0]), "admit")
    var asked = 0
    for spelling in entry.dropFirst() {
      let words = await present(spelling)
      expect([another, "undecided rateLimited"].contains(words), "\(words)")
      if words == another { asked += 1 }
    }
    // A third of what the server allows, what was asked in vain before included.
    expectEqual(asked, (ignoresCase ? 20 : 19))
    await expectEqual(present(entry[0]), "refuse alreadyUsed")
    await venue.close()
  }
}
