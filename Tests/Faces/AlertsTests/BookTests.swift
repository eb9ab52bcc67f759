import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Alerts

/// When an alert opens and ends.
@Suite struct BookTests {
  private static let key = AlertKey(.reader, "left")
  private static let words = AlertWords("Reader left is not plugged in.", "scangate devices")

  /// A book that is told of one thing, and a clock.
  private struct Bench {
    var book = AlertBook()
    var now = WallTime(seconds: 1_795_286_527)
    var told: [AlertBook.News] = []

    mutating func look(_ evidence: AlertEvidence, after elapsed: Duration) {
      now = now + elapsed
      told += book.take([BookTests.key: evidence], isWhole: true, after: elapsed, at: now)
    }

    /// Looks every so often for so long.
    mutating func look(_ evidence: AlertEvidence, for time: Duration, every step: Duration = .seconds(10)) {
      var spent = Duration.zero
      while spent < time {
        look(evidence, after: step)
        spent += step
      }
    }
  }

  @Test func isToldAfterAMinuteAndItsEndAfterTwo() {
    var bench = Bench()
    bench.look(.bad(Self.words), after: .zero)
    let began = bench.now
    bench.look(.bad(Self.words), for: .seconds(59), every: .seconds(1))
    expectEqual(bench.told.count, 0)
    bench.look(.bad(Self.words), after: .seconds(1))
    expectEqual(
      bench.told,
      [
        AlertBook.News(
          key: Self.key, isResolved: false, words: Self.words, since: began, at: bench.now, isRecurring: false)
      ])
    // However long it lasts.
    bench.look(.bad(Self.words), for: .seconds(86_400))
    expectEqual(bench.told.count, 1)
    bench.look(.good, after: .seconds(1))
    bench.look(.good, for: .seconds(119), every: .seconds(1))
    expectEqual(bench.told.count, 1)
    bench.look(.good, after: .seconds(1))
    expectEqual(bench.told.map(\.isResolved), [false, true])
    expectEqual(bench.told.last?.since, began)
  }

  @Test func sinceWhenIsTold() {
    for (told, expected) in [(-3_000, -3_000), (0, 0), (3_000, 0)] {
      var bench = Bench()
      let began = bench.now
      let words = AlertWords("it is broken", "scangate doctor", since: began + .seconds(told))
      bench.look(.bad(words), after: .zero)
      bench.look(.bad(words), for: .seconds(80))
      // Nothing begins after it was found.
      expectEqual(bench.told.map(\.since), [began + .seconds(expected)])
    }
  }

  @Test func whatIsWellInBetweenBeginsAnew() {
    var bench = Bench()
    for _ in 0..<100 {
      bench.look(.bad(Self.words), for: .seconds(60))
      bench.look(.good, after: .seconds(1))
    }
    expectEqual(bench.told, [])
    bench.look(.bad(Self.words), for: .seconds(70))
    expectEqual(bench.told.count, 1)
    // And what is wrong in between, while it is open.
    for _ in 0..<100 {
      bench.look(.good, for: .seconds(120))
      bench.look(.bad(Self.words), after: .seconds(1))
    }
    expectEqual(bench.told.count, 1)
  }

  /// A service that ends and comes again and again is never seen to be well.
  @Test func noTimePassesWhileNobodyCanTell() {
    var bench = Bench()
    for _ in 0..<20 {
      bench.look(.bad(Self.words), after: .seconds(5))
      bench.look(.unknown, for: .seconds(50))
    }
    expectEqual(bench.told.map(\.isResolved), [false])
    bench.look(.unknown, for: .seconds(86_400))
    expectEqual(bench.told.count, 1)
  }

  @Test func whoWasStoppedHasSeenNothing() {
    var bench = Bench()
    bench.look(.bad(Self.words), after: .zero)
    bench.look(.bad(Self.words), after: .seconds(7_200))
    expectEqual(bench.told, [])
    bench.look(.bad(Self.words), after: .seconds(7_200))
    expectEqual(bench.told.count, 1)
    bench.look(.good, after: .zero)
    bench.look(.good, after: .seconds(-5))
    expectEqual(bench.told.count, 1)
  }

  @Test func whatIsGoneFromTheFileIsOver() {
    var bench = Bench()
    bench.look(.bad(Self.words), for: .seconds(80))
    var news: [AlertBook.News] = []
    // Nobody answers: nothing is known of it.
    for _ in 0..<30 { news += bench.book.take([:], isWhole: false, after: .seconds(10), at: bench.now) }
    expectEqual(news, [])
    for _ in 0..<13 { news += bench.book.take([:], isWhole: true, after: .seconds(10), at: bench.now) }
    expectEqual(news.map(\.isResolved), [true])
  }

  /// Whoever makes it come and go as often as can be.
  @Test func whatComesAndGoesAllDayIsToldSeldom() {
    var bench = Bench()
    var spent = Duration.zero
    while spent < .seconds(86_400) {
      bench.look(bench.book.open.isEmpty ? .bad(Self.words) : .good, after: .seconds(5))
      spent += .seconds(5)
    }
    let openings = bench.told.filter { !$0.isResolved }.count
    expect((10...30).contains(openings), "\(openings)")
    expect(!bench.told[0].isRecurring && bench.told.dropFirst(2).allSatisfy(\.isRecurring))
    // After a calm hour it is news again.
    bench.look(.good, for: .seconds(7_300))
    expectEqual(bench.book.entries, [:])
    bench.look(.bad(Self.words), for: .seconds(80))
    expectEqual(bench.told.last?.isRecurring, false)
  }

  @Test func thereIsABoundToWhatIsKept() {
    var book = AlertBook()
    for number in 0..<3_000 {
      _ = book.take(
        [AlertKey(.reader, "r\(number)"): .bad(Self.words)], isWhole: false, after: .seconds(1),
        at: WallTime(seconds: 0))
    }
    expectEqual(book.entries.count, AlertBook.mostEntries)
  }

  /// Whatever is found in whichever order: told once, told over once, never before its time, and in the end all is told over.
  @Test(arguments: 0..<extent(landing: 60, release: 600))
  func alertsOpenAndEndInTurn(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let keys = [AlertKey(.reader, "a"), AlertKey(.reader, "b"), AlertKey(.disk)]
    var book = AlertBook()
    var now = WallTime(seconds: 1_000)
    var isOpen: [AlertKey: Bool] = [:]
    // For how long each was seen to be wrong, and well at a stretch, counted generously.
    var bad: [AlertKey: Duration] = [:]
    var good: [AlertKey: Duration] = [:]
    func take(_ found: [AlertKey: AlertEvidence], _ isWhole: Bool, _ elapsed: Duration) {
      now = now + elapsed
      for key in keys {
        switch found[key] ?? (isWhole ? .good : .unknown) {
        case .bad:
          bad[key, default: .zero] += elapsed
          good[key] = .zero
        case .good: good[key, default: .zero] += elapsed
        case .unknown: break
        }
      }
      var told: Set<AlertKey> = []
      for news in book.take(found, isWhole: isWhole, after: elapsed, at: now) {
        expect(told.insert(news.key).inserted, "seed \(seed): told twice at once")
        expectEqual(news.isResolved, isOpen[news.key] ?? false, "seed \(seed)")
        isOpen[news.key] = !news.isResolved
        if news.isResolved {
          expect(good[news.key, default: .zero] >= .seconds(120), "seed \(seed): over too soon")
        } else {
          expect(bad[news.key, default: .zero] >= .seconds(60), "seed \(seed): told too soon")
        }
      }
      for key in keys {
        // What is well before it was told begins anew.
        if case .good = found[key] ?? (isWhole ? .good : .unknown), isOpen[key] != true { bad[key] = .zero }
        expectEqual(book.entries[key]?.isOpen ?? false, isOpen[key] ?? false, "seed \(seed)")
      }
    }
    var mood: [AlertKey: Int] = [:]
    for _ in 0..<2_000 {
      var found: [AlertKey: AlertEvidence] = [:]
      for key in keys {
        // Things stay as they are for a while.
        if random.chance(5) { mood[key] = Int.random(in: 0..<4, using: &random) }
        switch mood[key] ?? 0 {
        case 0: found[key] = .good
        case 1: found[key] = .bad(AlertWords("\(key)", "scangate status"))
        case 2: found[key] = .unknown
        default: break
        }
      }
      take(found, random.chance(70), .seconds(Int.random(in: 0...25, using: &random)))
    }
    for _ in 0..<400 { take([:], true, .seconds(10)) }
    expect(isOpen.values.allSatisfy { !$0 }, "seed \(seed): \(isOpen)")
    for _ in 0..<400 { take([:], true, .seconds(10)) }
    expectEqual(book.entries, [:], "seed \(seed)")
  }
}
