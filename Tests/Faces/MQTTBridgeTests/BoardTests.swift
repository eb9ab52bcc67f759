import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import MQTTBridge

/// What the broker keeps in the end, and how much is taken from it.
@Suite struct BoardTests {
  /// Whatever is wanted, found, told in pieces and told anew: once nothing is left to tell, the broker has what is wanted and nothing else
  /// of ours.
  @Test func theBrokerEndsWithWhatIsWanted() {
    for seed in 0..<UInt64(extent(landing: 1_000, release: 10_000)) {
      var random = SeededGenerator(seed: seed)
      var board = RetainedBoard()
      var wanted: [String: String] = [:]
      var broker: [String: String] = ["t7": "old", "t8": "old"]
      func deliver(_ most: Int) {
        for _ in 0..<most {
          guard let (topic, text) = board.next() else { return }
          broker[topic] = text.isEmpty ? nil : text
          board.tell(topic, text)
        }
      }
      for _ in 0..<40 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          wanted = [:]
          for topic in 0..<8 where random.chance(60) {
            wanted["t\(topic)"] = "\(Int.random(in: 0..<3, using: &random))"
          }
          board.want(wanted)
        case 1:
          let topic = "t\(Int.random(in: 0..<8, using: &random))"
          wanted[topic] = random.chance(70) ? "set" : nil
          board.set(topic, wanted[topic])
        case 2:
          // It may have lost all of it.
          if random.chance(30) { broker = [:] }
          board.renew()
        case 3: for topic in broker.keys.sorted() where random.chance(50) { board.found(topic) }
        default: deliver(Int.random(in: 0..<9, using: &random))
        }
      }
      for topic in broker.keys.sorted() { board.found(topic) }
      var steps = 0
      while board.next() != nil, steps < 1_000 {
        deliver(1)
        steps += 1
      }
      expectEqual(broker, wanted, "seed \(seed)")
      expect(steps <= 20, "seed \(seed): \(steps) steps")
    }
  }

  @Test func onlyTheLatestIsTold() {
    var board = RetainedBoard()
    for count in 0..<1_000 { board.set("t", "\(count)") }
    expectEqual(board.next()?.text, "999")
    board.tell("t", "999")
    expect(board.next() == nil)
    // What changed while it was on its way is told after it.
    board.set("t", "a")
    board.set("t", "b")
    board.tell("t", "a")
    board.set("t", "b")
    expectEqual(board.next()?.text, "b")
  }

  @Test func intakeIsBounded() {
    for seed in 0..<UInt64(extent(landing: 300, release: 3_000)) {
      var random = SeededGenerator(seed: seed)
      let start = MonotonicTime(nanoseconds: 5)
      var (now, taken) = (start, 0)
      var allowance = IntakeAllowance(now: start)
      for _ in 0..<300 {
        now = now + .milliseconds(Int.random(in: 0...400, using: &random))
        let piece = min(allowance.room(now), Int.random(in: 0...100_000, using: &random))
        allowance.take(piece, now)
        allowance.whole()
        taken += piece
        let most = BridgeLimits.intakeBurst + Int((now - start).milliseconds) * BridgeLimits.intakeRate / 1_000
        expect(taken <= most, "seed \(seed): \(taken) of \(most)")
      }
      expect(allowance.room(now + .seconds(60)) == BridgeLimits.intakeBurst, "seed \(seed)")
    }
  }

  @Test func aPacketThatIsTooLongOrNeverEndsIsFound() {
    let start = MonotonicTime(nanoseconds: 5)
    var allowance = IntakeAllowance(now: start)
    allowance.take(BridgeLimits.maximumPacket, start)
    expect(!allowance.isExceeded(start))
    expect(allowance.isExceeded(start + .seconds(46)))
    allowance.take(1, start)
    expect(allowance.isExceeded(start))
    allowance.whole()
    expect(!allowance.isExceeded(start + .seconds(3_600)))
  }
}
