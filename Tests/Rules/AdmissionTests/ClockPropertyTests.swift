import Expectations
import Testing

@Suite("Evenings with clocks that are apart")
struct ClockPropertyTests {
  @Test(
    "Few tickets are spent by a clock's fault, each of them admits when it comes again, and no copy passes",
    arguments: ([11, 5_000_011] as [UInt64]).prefix(extent(landing: 1, release: 2)))
  func evenings(base: UInt64) {
    var (learnt, healed, doubted, admitted) = (0, 0, 0, 0)
    for seed in base..<base + UInt64(extent(landing: 600, release: 20_000)) {
      var world = ClockWorld(seed: seed)
      world.run()
      // Three show the fault; those among used ones, and one in five minutes where nothing can be looked up, are a few more.
      if world.burnt > 12 { world.problems.append("\(world.burnt) tickets spent") }
      expect(world.problems.isEmpty, "seed \(seed), \(world.off) s: \(world.problems)")
      if !world.problems.isEmpty { return }
      if world.learnt { learnt += 1 }
      healed += world.healed
      doubted += world.doubted
      admitted += world.admitted
    }
    // The worlds did reach what they are about.
    expect(
      learnt > 100 && healed > 200 && doubted > 1_000 && admitted > 5_000, "\(learnt) \(healed) \(doubted) \(admitted)")
  }
}
