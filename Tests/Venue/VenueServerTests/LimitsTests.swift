import Expectations
import Testing

@testable import VenueServer

@Suite struct LimitsTests {
  @Test func theWindowEndsSixtySecondsAfterItsFirstRequest() {
    var counter = RateCounter(model: .window)
    for second in 0..<60 {
      expect(!counter.isSpent("a", at: Double(second)))
      counter.count("a", at: Double(second))
    }
    expect(counter.isSpent("a", at: 59.9))
    expect(!counter.isSpent("b", at: 59.9))
    expect(!counter.isSpent("a", at: 60))
    counter.count("a", at: 60)
    expect(!counter.isSpent("a", at: 61))
  }

  @Test func withoutAPauseTheCounterNeverStartsAgain() {
    var counter = RateCounter(model: .pause)
    // One scan every ten seconds: refused after ten minutes, though never more than six in a minute.
    for scan in 0..<60 {
      expect(!counter.isSpent("a", at: Double(scan) * 10))
      counter.count("a", at: Double(scan) * 10)
    }
    let last = 590.0
    expect(counter.isSpent("a", at: last + 10))
    // A refusal neither counts nor prolongs.
    expect(counter.isSpent("a", at: last + 59.9))
    expect(!counter.isSpent("a", at: last + 60))
  }

  @Test func aPauseGivesAllSixtyBack() {
    var counter = RateCounter(model: .pause)
    for _ in 0..<59 { counter.count("a", at: 0) }
    counter.count("a", at: 59)
    expect(counter.isSpent("a", at: 118.9))
    for _ in 0..<60 {
      expect(!counter.isSpent("a", at: 119))
      counter.count("a", at: 119)
    }
    expect(counter.isSpent("a", at: 119))
  }

  @Test(arguments: VenueConfiguration.RateModel.allCases)
  func manyAddressesAreForgottenAgain(model: VenueConfiguration.RateModel) {
    var counter = RateCounter(model: model)
    for _ in 0..<60 { counter.count("busy", at: 0) }
    for address in 0..<5_000 { counter.count("\(address)", at: 1) }
    expect(counter.isSpent("busy", at: 2))
    expect(!counter.isSpent("busy", at: 61))
  }

  @Test func aKeyIsBlockedForFifteenMinutesFromItsLastFailure() {
    var blocks = KeyBlocks()
    for failure in 0..<9 { blocks.fail("k", at: Double(failure) * 800) }
    expect(!blocks.isBlocked("k", at: 6_400))
    blocks.fail("k", at: 7_200)
    expect(blocks.isBlocked("k", at: 7_200))
    expect(!blocks.isBlocked("other", at: 7_200))
    expect(blocks.isBlocked("k", at: 7_200 + 899.9))
    expect(!blocks.isBlocked("k", at: 7_200 + 900))
    blocks.fail("k", at: 9_000)
    expect(!blocks.isBlocked("k", at: 9_000))
  }
}
