import Expectations
import ScanTesting
import Testing

@testable import StationSocket

/// Listeners of every speed see events in their order, and know of each that they miss.
@Suite struct EventRingTests {
  private struct Listener {
    var next: UInt64
    let began: UInt64
    var seen: [UInt64] = []
    var dropped: UInt64 = 0
  }

  @Test(arguments: 0..<300) func nothingIsMissedUntold(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &random) }
    let (mostEntries, mostBytes) = (1 + below(20), 1 + below(400))
    var ring = EventRing(mostEntries: mostEntries, mostBytes: mostBytes)
    var listeners: [Listener] = []
    func read(_ index: Int, most: Int) {
      for _ in 0..<most {
        switch ring.next(from: listeners[index].next) {
        case .nothing: return
        case .dropped(let count):
          expect(count > 0, "seed \(seed)")
          listeners[index].dropped += count
          listeners[index].next += count
        case .entry(let entry):
          expectEqual(entry.number, listeners[index].next, "seed \(seed)")
          expectEqual(entry.packet.first, UInt8(truncatingIfNeeded: entry.number), "seed \(seed)")
          listeners[index].seen.append(entry.number)
          listeners[index].next += 1
        }
      }
    }
    for _ in 0..<400 {
      switch below(10) {
      case 0 where listeners.count < 5: listeners.append(Listener(next: ring.next, began: ring.next))
      case 1: ring.skip(UInt64(below(5)))
      case 2 where !listeners.isEmpty: read(below(listeners.count), most: below(30))
      case 3:
        // What cannot be told is gone as well.
        ring.append { _ in nil }
      default:
        let size = 1 + below(60)
        let isNamed = below(2) == 0
        ring.append { number in
          let packet = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
          return (packet, isNamed ? packet : nil)
        }
      }
    }
    // A last one, before which the rest is told.
    ring.append { ([UInt8(truncatingIfNeeded: $0)], nil) }
    for index in listeners.indices {
      read(index, most: .max)
      let listener = listeners[index]
      expectEqual(listener.next, ring.next, "seed \(seed)")
      expectEqual(UInt64(listener.seen.count) + listener.dropped, ring.next - listener.began, "seed \(seed)")
      expectEqual(listener.seen, listener.seen.sorted(), "seed \(seed)")
      expect(listener.seen.count <= 400, "seed \(seed)")
    }
  }

  @Test func whatIsKeptIsBounded() {
    var ring = EventRing(mostEntries: 4, mostBytes: 100)
    for _ in 0..<1_000 { ring.append { _ in ([UInt8](repeating: 7, count: 30), nil) } }
    guard case .dropped(let gone) = ring.next(from: 1) else { return expect(false, "old events are still there") }
    // Three of 30 bytes are what 100 bytes hold.
    expectEqual(gone, 997)
    ring.clear()
    guard case .nothing = ring.next(from: 1) else { return expect(false, "something is left") }
    expectEqual(ring.next, 1_001)
  }
}
