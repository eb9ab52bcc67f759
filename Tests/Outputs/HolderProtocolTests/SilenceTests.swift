import Expectations
import HolderProtocol
import ScanModel
import Testing

@Suite struct SilenceTests {
  private let begin = MonotonicTime(nanoseconds: 5_000_000_000)

  /// When a silence is taken for an end that is gone, looked at after each of `steps`, in milliseconds.
  private func end(_ steps: [Int]) -> Int? {
    var silence = Silence(since: begin)
    var now = 0
    for step in steps {
      now += step
      if silence.isTooLong(at: begin + .milliseconds(now)) { return now }
    }
    return nil
  }

  @Test(arguments: [1, 100, 249, 250]) func whoListensWaitsASecond(first: Int) throws {
    let gone = try #require(end([first] + Array(repeating: 251, count: 8)))
    expect((1_000...1_260).contains(gone), "\(gone)")
  }

  @Test func beatsThatComeALittleLateChangeLittle() throws {
    try expect(#require(end(Array(repeating: 300, count: 8))) <= 1_300)
  }

  /// However long it lasted: the other end has at least half a second.
  @Test(arguments: [1_000, 1_500, 60_000, 3_600_000]) func aStandstillIsNobodysSilence(standstill: Int) throws {
    let gone = try #require(end([249, standstill] + Array(repeating: 250, count: 8)))
    expect(gone - standstill - 249 >= 500, "\(gone)")
  }

  /// A machine that stands still again and again: who never speaks is gone nevertheless.
  @Test func standstillsEnd() { expectEqual(end(Array(repeating: 5_000, count: 8)), 20_000) }

  @Test func aWordBreaksIt() {
    var silence = Silence(since: begin)
    expect(!silence.isTooLong(at: begin + .milliseconds(250)))
    silence.broken(at: begin + .milliseconds(300))
    expectEqual(silence.since, begin + .milliseconds(300))
    for time in [550, 800, 1_050] { expect(!silence.isTooLong(at: begin + .milliseconds(time))) }
    expect(silence.isTooLong(at: begin + .milliseconds(1_300)))
  }
}
