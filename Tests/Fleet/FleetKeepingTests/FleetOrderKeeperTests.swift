import Expectations
import FleetBook
import LibCrypto
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import FleetKeeping

/// What one station makes of the orders that its whole fleet is given.
@Suite struct FleetOrderKeeperTests {
  private let key = Ed25519.PrivateKey()

  private func seal(_ keys: [Ed25519.PrivateKey]? = nil) -> FleetOrderSeal {
    FleetOrderSeal(event: "summer", administrators: (keys ?? [key]).compactMap(\.publicKey))
  }

  private func keeper(_ book: MemoryJournal, _ keys: [Ed25519.PrivateKey]? = nil) -> FleetOrderKeeper {
    FleetOrderKeeper(event: "summer", seal: seal(keys), book: book, time: SystemTime())
  }

  private func order(_ number: UInt64, _ isOn: Bool = true, _ who: String = "Anna") throws -> (FleetOrder, [UInt8]) {
    let order = FleetOrder(
      number: number, isMaintenance: isOn, who: who, why: isOn ? "fire drill" : "",
      at: WallTime(seconds: 1_800_000_000))
    return (order, try #require(seal().seal(order, by: { key.signature(for: $0) })))
  }

  /// What a keeper has told.
  private final class Heard: Sendable {
    private let all = Mutex<[FleetOrderKeeper.News]>([])
    func add(_ news: FleetOrderKeeper.News) { all.withLock { $0.append(news) } }
    var taken: [FleetOrderKeeper.News] { all.withLock { exchange(&$0, with: []) } }
  }

  private func heard(_ keeper: FleetOrderKeeper) -> Heard {
    let heard = Heard()
    keeper.listen { heard.add($0) }
    return heard
  }

  @Test func anOrderHoldsUntilALaterOneEndsIt() async throws {
    let book = MemoryJournal()
    let keeper = keeper(book)
    let heard = heard(keeper)
    await keeper.recall()
    expectEqual(keeper.maintenance, nil)
    let (on, onBytes) = try order(5)
    for _ in 0..<3 { keeper.take(onBytes) }
    expectEqual(heard.taken, [.order(on)])
    let words = keeper.maintenance ?? ""
    expect(words.contains("by Anna") && words.contains("fire drill"), "\(words)")
    let (off, offBytes) = try order(6, false)
    keeper.take(offBytes)
    expectEqual(keeper.maintenance, nil)
    expectEqual(heard.taken, [.order(off)])
    // Somebody plays it once more.
    for _ in 0..<3 { keeper.take(onBytes) }
    expectEqual(keeper.maintenance, nil)
    guard case .ignored(let told)? = heard.taken.first else { return expect(false, "not told") }
    expect(told.contains("the later one holds"), "\(told)")
    expectEqual(heard.taken, [])
  }

  @Test func whatCountsForNothingChangesNothingAndIsToldOnce() async throws {
    let keeper = keeper(MemoryJournal())
    let heard = heard(keeper)
    await keeper.recall()
    let (_, onBytes) = try order(5)
    let thief = Ed25519.PrivateKey()
    let (_, offBytes) = try order(9, false)
    let forged = try #require(
      seal().seal(order(8, false).0, by: { thief.signature(for: $0) }))
    var later = offBytes
    later[0] = 7
    for isOn in [false, true] {
      if isOn { keeper.take(onBytes) }
      _ = heard.taken
      for bytes in [[], [1], forged, later, [UInt8](repeating: 1, count: 4_096)] {
        for _ in 0..<3 { keeper.take(bytes) }
        let taken = heard.taken
        expectEqual(taken.count, 1)
        guard case .ignored? = taken.first else { return expect(false, "\(taken)") }
        expectEqual(keeper.maintenance != nil, isOn)
      }
    }
  }

  @Test func aRestartKeepsIt() async throws {
    let book = MemoryJournal()
    let (on, bytes) = try order(5)
    let first = keeper(book)
    await first.recall()
    first.take(bytes)
    let second = keeper(book)
    let heard = heard(second)
    // What is shown before the disk has told is judged by what it tells.
    second.take(try order(4, false).1)
    expectEqual(second.maintenance, nil)
    await second.recall()
    await second.recall()
    expect(second.maintenance != nil)
    let told = heard.taken
    expectEqual(told.first, .order(on))
    guard case .ignored? = told.last, told.count == 2 else { return expect(false, "\(told)") }
    // Another administrator's key has followed: what was valid holds, and its end wants theirs.
    let other = Ed25519.PrivateKey()
    let third = keeper(book, [other])
    await third.recall()
    expect(third.maintenance != nil)
    third.take(try order(6, false).1)
    expect(third.maintenance != nil)
    third.take(try #require(seal().seal(order(6, false).0, by: { other.signature(for: $0) })))
    expectEqual(third.maintenance, nil)
    // An end is no news of a start.
    let fourth = keeper(book)
    let silent = self.heard(fourth)
    await fourth.recall()
    expectEqual(fourth.maintenance, nil)
    expectEqual(silent.taken, [])
  }

  /// A station whose file names no administrator believes none, remembered ones neither.
  @Test func whoBelievesNobody() async throws {
    let book = MemoryJournal()
    let first = keeper(book)
    await first.recall()
    first.take(try order(5).1)
    let second = keeper(book, [])
    let heard = heard(second)
    await second.recall()
    expectEqual(second.maintenance, nil)
    second.take(try order(6).1)
    expectEqual(second.maintenance, nil)
    guard case .ignored(let words)? = heard.taken.first else { return expect(false, "not told") }
    expect(words.contains("fleet.administrators names nobody"), "\(words)")
    // It holds again for who believes.
    let third = keeper(book)
    await third.recall()
    expect(third.maintenance != nil)
  }

  @Test func whatCannotBeReadIsNotNothing() async throws {
    let key = LedgerKey(server: ClaimRows.server(of: "summer"), kind: .entry, bytes: [0] + Array("order".utf8))
    for bytes: [UInt8] in [[], [2], [1, 0], [UInt8](repeating: 1, count: 60)] {
      let book = MemoryJournal()
      book.enqueue(JournalBatch(memory: [key: bytes]))
      let keeper = keeper(book)
      await keeper.recall()
      expect(keeper.maintenance?.contains("Nobody knows") == true, "\(bytes)")
      keeper.take(try order(3, false).1)
      expectEqual(keeper.maintenance, nil)
      let again = self.keeper(book)
      await again.recall()
      expectEqual(again.maintenance, nil)
    }
  }

  @Test func whoFollowsIsTold() async throws {
    let keeper = keeper(MemoryJournal())
    await keeper.recall()
    let count = Mutex(0)
    let gone = Mutex(0)
    keeper.follow(while: { true }, changed: { count.withLock { $0 += 1 } })
    keeper.follow(while: { false }, changed: { gone.withLock { $0 += 1 } })
    keeper.take(try order(1).1)
    keeper.take(try order(2, false).1)
    keeper.take([1])
    expectEqual(count.withLock { $0 }, 2)
    expectEqual(gone.withLock { $0 }, 0)
  }

  /// Each reload makes gates anew, and no order ever comes.
  @Test func whoIsGoneIsForgottenWithoutAnOrder() async throws {
    let keeper = keeper(MemoryJournal())
    await keeper.recall()
    let told = Mutex(0)
    for _ in 0..<1_000 {
      let gate = Mutex(true)
      keeper.follow(while: { gate.withLock { exchange(&$0, with: false) } }, changed: {})
    }
    keeper.follow(while: { true }, changed: { told.withLock { $0 += 1 } })
    expectEqual(keeper.followerCount, 1)
    keeper.take(try order(1).1)
    expectEqual(told.withLock { $0 }, 1)
  }

  /// What lies in the book may change for ever before anybody listens.
  @Test func whoListensFirstIsToldTheNewestOfWhatCame() async throws {
    let keeper = keeper(MemoryJournal())
    await keeper.recall()
    for number in 1...300 { keeper.take([UInt8](repeating: 1, count: number)) }
    let (on, bytes) = try order(1)
    keeper.take(bytes)
    let heard = heard(keeper).taken
    expectEqual(heard.count, FleetOrderKeeper.mostUntold)
    expectEqual(heard.last, .order(on))
  }

  /// Whatever comes in whatever order, over restarts: what holds is the valid order of the greatest number that was seen.
  @Test func theGreatestHolds() async throws {
    let thief = Ed25519.PrivateKey()
    for seed in 0..<UInt64(extent(landing: 60, release: 3_000)) {
      var random = SeededGenerator(seed: seed)
      let book = MemoryJournal()
      var keeper = keeper(book)
      await keeper.recall()
      var known: FleetOrder?
      for step in 0..<30 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          keeper = self.keeper(book)
          await keeper.recall()
        case 1:
          keeper.take((0..<Int.random(in: 0..<200, using: &random)).map { _ in .random(in: 0...2, using: &random) })
        case 2:
          let (one, _) = try order(.random(in: 50...99, using: &random), random.chance(50))
          keeper.take(try #require(seal().seal(one, by: { thief.signature(for: $0) })))
        default:
          let number = UInt64.random(in: 1...40, using: &random)
          let (one, bytes) = try order(number, random.chance(50), ["Anna", "Ben"].randomElement(using: &random) ?? "")
          keeper.take(bytes)
          if known.map({ one.number > $0.number }) ?? true { known = one }
        }
        expectEqual(keeper.order, known, "seed \(seed), step \(step)")
        expectEqual(keeper.maintenance != nil, known?.isMaintenance == true, "seed \(seed), step \(step)")
      }
    }
  }
}
