import Expectations
import NIOCore
import ScanTesting
import Testing

@testable import Console

/// Whoever is told events sees them in their order, and knows of each that it misses, whenever it comes and goes.
@Suite struct EventBufferTests {
  private struct Reader {
    var place: EventBuffer.Place
    let filter: EventFilter
    /// The number behind the last that is accounted for; 0 before there is one in this epoch.
    var next: UInt64 = 0
  }

  private static func line(_ type: String, _ gate: String?) -> String {
    "{\"type\":\"\(type)\"" + (gate.map { ",\"gate\":\"\($0)\"" } ?? "") + "}"
  }

  @Test(arguments: 0..<extent(landing: 200, release: 5_000)) func nothingIsMissedUntold(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &random) }
    var buffer = EventBuffer(mostEntries: 1 + below(20), mostBytes: 1 + below(2_000))
    var readers: [Reader] = []
    var (epoch, number, last) = (UInt64(0), UInt64(0), UInt64(0))
    // What there was in each epoch: the wanted ones by type and gate.
    var wanted: [UInt64: (type: String, gate: String?)] = [:]
    func begin() {
      epoch += 1
      number = UInt64(below(3) == 0 ? below(50) : 0)
      wanted = [:]
      buffer.begin(epoch: epoch)
    }
    func read(_ index: Int) {
      while true {
        let before = readers[index].place
        let batch = buffer.take(at: &readers[index].place, where: readers[index].filter, limit: 1 + below(8))
        if buffer.epoch != nil, before.epoch != buffer.epoch {
          // Who knew of another epoch is told that nobody can tell what is missing; who came before the first one misses nothing.
          expect((batch.loss == .uncounted) == (before.epoch != nil), "seed \(seed)")
          readers[index].next = 0
        }
        // Empty is only what has come to the end.
        if batch.isEmpty {
          return expect(
            readers[index].place == before || buffer.take(at: &readers[index].place).isEmpty, "seed \(seed)")
        }
        if case .counted(let count) = batch.loss {
          expect(count > 0 && (batch.lastLost?.number ?? 0) >= before.next + count - 1, "seed \(seed)")
          readers[index].next = (batch.lastLost?.number ?? 0) + 1
        }
        for frame in batch.frames {
          expect(frame.number >= readers[index].next, "seed \(seed): out of order, or twice")
          expect(readers[index].filter.lets(frame), "seed \(seed)")
          expectEqual(wanted[frame.number]?.type, frame.type, "seed \(seed)")
          // Between two that are told, there is nothing that was wanted.
          if readers[index].next > 0, readers[index].next < frame.number {
            for skipped in readers[index].next..<frame.number {
              guard let event = wanted[skipped] else { continue }
              let filter = readers[index].filter
              expect(
                !(filter.types.isEmpty || filter.types.contains(event.type))
                  || !(filter.gates.isEmpty || event.gate.map(filter.gates.contains) == true),
                "seed \(seed): \(skipped) is missing")
            }
          }
          readers[index].next = frame.number + 1
        }
      }
    }
    for _ in 0..<300 {
      switch below(14) {
      case 0: begin()
      case 1 where readers.count < 6:
        let filter = EventFilter(
          gates: below(2) == 0 ? [] : ["north"], types: below(2) == 0 ? [] : ["scan", "device"])
        let place =
          below(2) == 0 || number == 0
          ? buffer.now : buffer.place(after: EventID(epoch: epoch, number: number - min(number - 1, UInt64(below(3)))))
        readers.append(Reader(place: place, filter: filter))
      case 2 where !readers.isEmpty: read(below(readers.count))
      case 3:
        // The station drops some: before the first one it says so, later the numbers do.
        let count = UInt64(1 + below(4))
        buffer.drop(count)
        number += count
      default:
        guard epoch > 0 else { continue }
        number += 1
        let (type, gate) = (["scan", "device", "gate"][below(3)], [nil, "north", "south"][below(3)])
        wanted[number] = (type, gate)
        let follows = buffer.append(number) { EventFrame($0, line: Self.line(type, gate)) }
        expect(follows, "seed \(seed)")
        last = number
      }
      expect(buffer.count <= 20, "seed \(seed)")
    }
    for index in readers.indices {
      read(index)
      if buffer.count > 0 { expectEqual(readers[index].place.next, last + 1, "seed \(seed)") }
    }
  }

  @Test func whatIsKeptIsBounded() {
    var buffer = EventBuffer(mostEntries: 1_024, mostBytes: 524_288)
    buffer.begin(epoch: 1)
    var place = buffer.now
    for number in 1...5_000 {
      let long = String(repeating: "x", count: number == 5_000 ? 60_000 : 1_000)
      _ = buffer.append(UInt64(number)) { EventFrame($0, line: "{\"type\":\"list\",\"detail\":\"\(long)\"}") }
    }
    expect(buffer.count < 500 && buffer.count > 100, "\(buffer.count)")
    let batch = buffer.take(at: &place)
    expectEqual(batch.loss, .counted(UInt64(5_000 - buffer.count)))
    expectEqual(batch.lastLost, EventID(epoch: 1, number: UInt64(5_000 - buffer.count)))
  }

  /// Whoever reads slowly has little waiting in memory, however much there is.
  @Test func oneTakesALittleAtATime() {
    var buffer = EventBuffer(mostEntries: 1_024, mostBytes: 524_288)
    buffer.begin(epoch: 1)
    var place = buffer.now
    let long = String(repeating: "x", count: 5_000)
    for number in 1...50 {
      _ = buffer.append(UInt64(number)) { EventFrame($0, line: "{\"type\":\"list\",\"detail\":\"\(long)\"}") }
    }
    var told: [UInt64] = []
    while case let batch = buffer.take(at: &place), !batch.isEmpty {
      expect(batch.frames.reduce(0) { $0 + $1.bytes.readableBytes } < 16_384 + 6_000 && batch.loss == nil)
      told += batch.frames.map(\.number)
    }
    expectEqual(told, Array(1...50))
  }

  /// Behind an id the very next is told, and of an id that cannot be, that nobody knows what is missing.
  @Test func whoComesBackGoesOnWhereItWas() {
    var buffer = EventBuffer(mostEntries: 4, mostBytes: 10_000)
    buffer.begin(epoch: 7)
    for number in 1...6 {
      _ = buffer.append(UInt64(number)) { EventFrame($0, line: Self.line("scan", nil)) }
    }
    func told(after id: EventID) -> (loss: EventBuffer.Loss?, numbers: [UInt64]) {
      var place = buffer.place(after: id)
      let batch = buffer.take(at: &place)
      return (batch.loss, batch.frames.map(\.number))
    }
    expect(told(after: EventID(epoch: 7, number: 4)) == (nil, [5, 6]))
    expect(told(after: EventID(epoch: 7, number: 6)) == (nil, []))
    expect(told(after: EventID(epoch: 7, number: 2)) == (nil, [3, 4, 5, 6]))
    expect(told(after: EventID(epoch: 7, number: 1)) == (.counted(1), [3, 4, 5, 6]))
    expect(told(after: EventID(epoch: 6, number: 6)) == (.uncounted, [3, 4, 5, 6]))
    expect(told(after: EventID(epoch: 7, number: 7)) == (.uncounted, [3, 4, 5, 6]))
    expect(told(after: EventID(epoch: 7, number: .max)) == (.uncounted, [3, 4, 5, 6]))
    expect(told(after: EventID(epoch: .max, number: .max)) == (.uncounted, [3, 4, 5, 6]))
    expect(told(after: EventID(epoch: 0, number: 0)) == (.uncounted, [3, 4, 5, 6]))
  }

  @Test func numbersThatBeginAnewAreNotTaken() {
    var buffer = EventBuffer(mostEntries: 4, mostBytes: 10_000)
    let make = { (id: EventID) in EventFrame(id, line: Self.line("scan", nil)) }
    expect(!buffer.append(1, make), "there is no epoch yet")
    buffer.begin(epoch: 1)
    expect(buffer.append(5, make) && !buffer.append(5, make) && !buffer.append(1, make) && !buffer.append(.max, make))
    expect(buffer.append(.max - 1, make))
  }
}

/// The ids of events, which come back from outside.
@Suite struct EventIDTests {
  @Test func whatIsWrittenReadsTheSame() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let id = EventID(
        epoch: .random(in: .min ... .max, using: &random) >> UInt64.random(in: 0...63, using: &random),
        number: .random(in: .min ... .max, using: &random) >> UInt64.random(in: 0...63, using: &random))
      expectEqual(EventID(id.description), id)
    }
    for id in [EventID(epoch: 0, number: 0), EventID(epoch: .max, number: .max)] {
      expectEqual(EventID(id.description), id)
    }
  }

  @Test(arguments: [
    "", "-", "1-2", "5f0c11d29a4e7b36", "5f0c11d29a4e7b36-", "-412", "5F0C11D29A4E7B36-412", "5f0c11d29a4e7b36-+1",
    "5f0c11d29a4e7b36--1", "5f0c11d29a4e7b36-1-2", "5f0c11d29a4e7b36-99999999999999999999",
    "5f0c11d29a4e7b36-١", "0x0c11d29a4e7b36-1", "5f0c11d29a4e7b36-1\n", " 5f0c11d29a4e7b36-1",
  ]) func whatIsNoneIsNotTaken(_ text: String) { expectEqual(EventID(text), nil) }
}

/// What goes over the wire.
@Suite struct EventFrameTests {
  private func text(_ line: String) -> String? {
    EventFrame(EventID(epoch: 0x5f, number: 12), line: line).map { String(buffer: $0.bytes) }
  }

  @Test func anEventIsOneBlockOfFields() {
    expectEqual(
      text("{\"type\":\"scan\",\"gate\":\"north\"}"),
      "id: 000000000000005f-12\nevent: scan\ndata: {\"type\":\"scan\",\"gate\":\"north\"}\n\n")
  }

  /// Nothing that a station says can begin a field or an event of its own.
  @Test func noLineEndGetsThrough() throws {
    let text = try #require(self.text("{\"type\":\r\n\"scan\",\n\n\"detail\":\"\\nid: 1\\n\\n\"\r}"))
    expectEqual(text.split(separator: "\n", omittingEmptySubsequences: false).count, 5)
    expect(!text.contains("\r") && text.hasSuffix("}\n\n"), "\(text.debugDescription)")
    for type in ["", "scan\\nid: 7", "a b", "scän", String(repeating: "x", count: 41), ":"] {
      expectEqual(self.text("{\"type\":\"\(type)\"}"), nil)
    }
    for line in ["", "scan", "[]", "{\"type\":7}", "{\"type\":\"scan\"", "{}"] { expectEqual(self.text(line), nil) }
  }
}
