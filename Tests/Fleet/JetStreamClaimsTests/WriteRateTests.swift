import Expectations
import FleetBook
import ScanModel
import ScanTesting
import Testing

@testable import JetStreamClaims

/// How much one station asks of all.
@Suite struct WriteRateTests {
  /// Whoever asks whenever, no second has more than two seconds' writes, and no two more than three.
  @Test func anySecond() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<extent(landing: 10, release: 200) {
      let most = Int.random(in: 1...300, using: &random)
      var rate = WriteRate(most)
      var now = MonotonicTime(nanoseconds: 5_000_000_000)
      var places: [MonotonicTime] = []
      for _ in 0..<600 {
        now = now + .microseconds(Int64.random(in: 0...8_000, using: &random))
        if let place = rate.place(at: now, until: now + .milliseconds(Int64.random(in: 1...3_000, using: &random))) {
          expect(place >= now, "seed \(seed)")
          places.append(place)
        }
      }
      expect(!places.isEmpty)
      for (begin, place) in places.enumerated() {
        let count = places[begin...].prefix { $0 < place + .seconds(1) }.count
        expect(count <= 2 * most + 2, "seed \(seed): \(count) in a second, of \(most)")
      }
    }
  }

  @Test func whatIsQuietIsNotHeldUp() {
    var rate = WriteRate(250)
    let now = MonotonicTime(nanoseconds: 9_000_000_000)
    for _ in 0..<250 { expectEqual(rate.place(at: now, until: now + .milliseconds(1)), now) }
    let later = rate.place(at: now, until: now + .seconds(1))
    expect(later.map { $0 >= now && $0 < now + .milliseconds(10) } == true)
  }

  /// Of ten thousand at once no more than its rate is written, over a real server; the others are told why, and nobody is alone by it.
  @Test func tenThousandAtOnce() async throws {
    let servers = try await NATSServers.shared(1)
    let store = try await servers.store()
    let other = try await servers.store()
    let (written, told) = await withTaskGroup(of: ClaimFault?.self) { group in
      let end = SystemTime().now() + .seconds(3)
      for _ in 0..<10_000 { group.addTask { await store.fault(creating: freshKey(), [1], until: end) } }
      var (written, told) = (0, 0)
      for await fault in group {
        if fault == nil { written += 1 }
        if case .refused(let words) = fault { told += words.contains("250 writes a second") ? 1 : 0 }
      }
      return (written, told)
    }
    expect((1...1_252).contains(written), "\(written) written")
    expect(told >= 8_700, "\(told) told")
    // Another station is none the worse for it.
    _ = try await other.create(freshKey(), [1], until: soon(1))
    for one in [store, other] { await one.stop() }
  }
}
