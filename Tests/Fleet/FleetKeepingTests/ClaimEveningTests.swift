import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import FleetKeeping

/// Evenings of three stations whose calls are lost, late, doubled and not had at all, and which are started anew in between. Whatever
/// happens: nobody beyond what a ticket is for, everybody told, and once the faults end nobody is turned away whose ticket is unused.
@Suite(.timeLimit(.minutes(5))) struct ClaimEveningTests {
  @Test(arguments: seeds) func nobodyTooManyAndNobodyForNothing(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fleet = try KeptFleet()
    let isOver = Mutex(false)
    let fates = Mutex(SeededGenerator(seed: seed ^ 0x5EED))
    let fate: @Sendable () -> FaultyClaimStore.Fate = {
      if isOver.withLock({ $0 }) { return .answered }
      return fates.withLock { random in
        Int.random(in: 0..<4, using: &random) == 0 ? FaultyClaimStore.Fate.allCases.randomElement(using: &random) : nil
      } ?? .answered
    }
    var stations: [KeptStation] = []
    for name in KeptFleet.names {
      let station = try await KeptStation(fleet, name, word: word, fate: fate)
      try await station.start()
      stations.append(station)
    }
    let quantities = (0..<6).map { _ in UInt32.random(in: 1...3, using: &random) }
    var former: [FaultyClaimStore] = []
    var passed = [Int](repeating: 0, count: quantities.count)
    for _ in 0..<10 {
      let showings = (0..<4).map { _ in
        (
          station: stations[Int.random(in: 0..<stations.count, using: &random)],
          ticket: Int.random(in: 0..<quantities.count, using: &random), opens: Int.random(in: 0..<4, using: &random) > 0
        )
      }
      let found = await withTaskGroup(of: Int?.self) { group in
        for (station, ticket, opens) in showings {
          group.addTask {
            guard let key = try? fleet.ticket(ticket) else { return nil }
            let scan = ScanID()
            let rule = ClaimDemand.Rule.quantity(quantities[ticket])
            guard await station.claim(key, rule, scan: scan, redeems: false) == .held,
              case .open = await station.admitted(scan, [ClaimDemand(key, rule)])
            else { return nil }
            if opens { await station.keeper.opened(scan) } else { await station.keeper.notOpened(scan) }
            return opens ? ticket : nil
          }
        }
        var found: [Int] = []
        for await ticket in group { if let ticket { found.append(ticket) } }
        return found
      }
      for ticket in found { passed[ticket] += 1 }
      let number = Int.random(in: 0..<stations.count, using: &random)
      await stations[number].network.deliver()
      if Int.random(in: 0..<3, using: &random) == 0 {
        let old = stations[number]
        old.network.cut(true)
        await old.keeper.end()
        await old.keeper.telling?.value
        former.append(old.network)
        let next = try await KeptStation(fleet, KeptFleet.names[number], journal: old.journal, word: word, fate: fate)
        try await next.start()
        stations[number] = next
      }
    }
    for (ticket, quantity) in quantities.enumerated() {
      expect(passed[ticket] <= Int(quantity), "seed \(seed): \(passed[ticket]) of \(quantity) passed on \(ticket)")
    }
    isOver.withLock { $0 = true }
    // What processes that are gone have sent comes last of all.
    for network in former + stations.map(\.network) { await network.deliver() }
    for station in stations {
      await station.allTold()
      // However late and doubled messages are, nobody takes anything out of the book.
      expectEqual(await station.keeper.lossesTold, [], "seed \(seed)")
    }
    // Whatever was cut off: who is in the house is counted once, by all of them.
    let inHouse = Int64(passed.reduce(0, +))
    for station in stations { await until { await station.keeper.house?.venue == inHouse } }
    for (ticket, quantity) in quantities.enumerated() {
      let key = try fleet.ticket(ticket)
      // A claim that nobody answers for is taken back once it is seen.
      try await until { try await !fleet.claim(key).entries.contains { $0.state == .claimed } }
      let admitted = try await fleet.claim(key).entries.count { $0.state == .admitted }
      expectEqual(admitted, passed[ticket], "seed \(seed): ticket \(ticket)")
      guard passed[ticket] < Int(quantity) else { continue }
      let verdict = await stations[0].present(key, .quantity(quantity)).verdict
      expectEqual(verdict, .admit(isProvisional: false), "seed \(seed): ticket \(ticket)")
    }
  }

  private let word = StationWord(program: "1", systems: [], zone: .init(january: 0, july: 0))

  private static let seeds: [UInt64] = (0..<extent(landing: 10, release: 200)).map { _ in
    UInt64.random(in: .min ... .max)
  }
}
