import Expectations
import FleetBook
import ScanModel
import Testing

@testable import JetStreamClaims

/// What becomes of claims where servers are killed, stand still, are full or are cut off. Another leader is elected after four to nine
/// seconds, so that a landing goes through that once.
///
/// One after the other, for three servers are the same to all of them.
@Suite(.serialized) struct FaultTests {
  @Test func threeServers() async throws { try await ConformanceTests.conforms(.shared(3)) }

  /// Of those who write on one condition at once, each by a server of its own, one does.
  @Test func stationsAtThreeServers() async throws {
    let servers = try await NATSServers.shared(3)
    var stores: [JetStreamClaimStore] = []
    for first in 0..<3 { stores.append(try await servers.store(first: first)) }
    let stations = stores
    for _ in 0..<extent(landing: 10, release: 500) {
      let key = freshKey()
      var revision = ClaimRevision.none
      for step in 0..<2 {
        let base = revision
        let won = await withTaskGroup(of: (Int, ClaimRevision)?.self) { group in
          for (number, station) in stations.enumerated() {
            group.addTask {
              let value = [UInt8(step), UInt8(number)]
              let made =
                step == 0
                ? try? await station.create(key, value, until: soon(20))
                : try? await station.update(key, value, at: base, until: soon(20))
              return made.map { (number, $0) }
            }
          }
          var won: [(Int, ClaimRevision)] = []
          for await case let made? in group { won.append(made) }
          return won
        }
        guard won.count == 1, let (winner, made) = won.first else {
          return expect(false, "\(won.count) of 3 writes at one revision were made")
        }
        revision = made
        for station in stations {
          let found = try await station.read(key, until: soon(20))
          expectEqual(found?.value, [UInt8(step), UInt8(winner)])
          expectEqual(found?.replaced, base)
        }
      }
    }
    for station in stations { await station.stop() }
  }

  @Test func leaderIsKilled() async throws {
    let servers = try await NATSServers.shared(3)
    let leader = try await servers.leader()
    // Once connected to the leader itself, once to another one.
    for first in [leader, (leader + 1) % 3].prefix(extent(landing: 1, release: 2)) {
      let leader = try await servers.leader()
      let store = try await servers.store(first: first)
      let kept = freshKey()
      let revision = try await store.create(kept, [1], until: soon())
      servers.kill(leader)
      let key = freshKey()
      let later = try await store.createInTheEnd(key, [2])
      expect(later > revision)
      expectEqual(try await store.read(kept, until: soon())?.value, [1])
      expectEqual(try await store.read(key, until: soon())?.revision, later)
      await store.stop()
      try servers.start(leader)
      try await servers.whole()
    }
  }

  @Test(.enabled(if: extent(landing: 0, release: 1) == 1)) func leaderStandsStill() async throws {
    let servers = try await NATSServers.shared(3)
    let leader = try await servers.leader()
    for first in [leader, (leader + 1) % 3] {
      let leader = try await servers.leader()
      let store = try await servers.store(first: first)
      let key = freshKey()
      servers.pause(leader, true)
      let begun = ContinuousClock.now
      // Whoever waits is answered in time, and is told no more than is known.
      let fault = await store.fault(creating: key, [1], until: SystemTime().now() + .milliseconds(500))
      expect(fault == .lostAnswer || fault == .noQuorum, "\(String(describing: fault))")
      expect(ContinuousClock.now - begun < .seconds(3))
      let other = freshKey()
      let revision = try await store.createInTheEnd(other, [2])
      servers.pause(leader, false)
      try await servers.whole()
      // What is found is what was written, by a leader that knows it.
      expectEqual(try await store.readInTheEnd(other)?.revision, revision)
      // The one whose answer was lost was written once, or can be now: never a second time.
      let again = await store.faultInTheEnd(creating: key, [3])
      let found = try await store.readInTheEnd(key)?.value
      expect(found == [3] || (found == [1] && again == .wrongRevision), "\(String(describing: found))")
      await store.stop()
    }
  }

  /// Without a majority nothing is written, and nobody is told so; once it is back, everything is.
  @Test(.enabled(if: extent(landing: 0, release: 1) == 1)) func majorityIsGone() async throws {
    let servers = try await NATSServers.shared(3)
    let leader = try await servers.leader()
    let store = try await servers.store(first: leader)
    let key = freshKey()
    for other in 0..<3 where other != leader { servers.kill(other) }
    var revision: ClaimRevision?
    for _ in 0..<10 {
      do throws(ClaimFault) {
        revision = try await store.create(key, [1], until: SystemTime().now() + .milliseconds(300))
      } catch { expect(error == .lostAnswer || error == .noQuorum, "\(error)") }
    }
    expectEqual(revision, nil)
    try await store.becomes(.away(.noQuorum))
    for other in 0..<3 where other != leader { try servers.start(other) }
    try await store.becomes(.ready)
    let again = await store.faultInTheEnd(creating: key, [2])
    let found = try await store.readInTheEnd(key)?.value
    expect(found == [2] || (found == [1] && again == .wrongRevision), "\(String(describing: found))")
    await store.stop()
  }

  @Test(arguments: [1, 3]) func full(_ count: Int) async throws {
    let servers = try await NATSServers.shared(count)
    try await servers.makeBucket("small", bytes: 100_000)
    let store = try await servers.store(bucket: "small")
    let value = [UInt8](repeating: 7, count: 1_000)
    let first = freshKey()
    let revision = try await store.create(first, value, until: soon())
    var fault: ClaimFault?
    for _ in 0..<200 where fault == nil {
      fault = await store.fault(creating: freshKey(), value, until: soon())
    }
    expectEqual(fault, .full)
    // Not even what is there can be written anew.
    var updating: ClaimFault?
    do throws(ClaimFault) { _ = try await store.update(first, value, at: revision, until: soon()) } catch {
      updating = error
    }
    expectEqual(updating, .full)
    expectEqual(try await store.read(first, until: soon())?.value, value)
    await store.stop()
  }

  /// Who asks too much at once is told so, and the others are answered.
  @Test func tooManyAtOnce() async throws {
    let servers = try await NATSServers.shared(1)
    var settings = servers.settings()
    settings.writeRate = 1_000_000
    let store = try JetStreamClaimStore(settings)
    store.start()
    try await store.becomes(.ready)
    let outcomes = await withTaskGroup(of: ClaimFault?.self) { group in
      for _ in 0..<2_000 {
        group.addTask { await store.fault(creating: freshKey(), [1], until: soon(20)) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    expect(outcomes.count { $0 == nil } >= JetStreamLimits.mostCalls)
    expect(outcomes.allSatisfy { $0 == nil || $0 == .noQuorum })
    await store.stop()
  }

  /// A connection that breaks takes nothing with it but what was on its way.
  @Test func onlyServerIsKilled() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let store = try await servers.store()
    let kept = freshKey()
    let revision = try await store.create(kept, [1], until: soon())
    servers.kill(0)
    try await store.becomes(.away(.noQuorum))
    expectEqual(await store.fault(creating: freshKey(), [1], until: soon()), .noQuorum)
    try servers.start(0)
    try await store.becomes(.ready)
    expectEqual(try await store.read(kept, until: soon())?.revision, revision)
    await store.stop()
    expectEqual(await store.fault(creating: freshKey(), [1], until: soon()), .noQuorum)
  }

  /// A watch goes on after the last that was taken, whatever breaks.
  @Test(.enabled(if: extent(landing: 0, release: 1) == 1)) func watchOutlivesItsServers() async throws {
    let servers = try await NATSServers.shared(3)
    let store = try await servers.store()
    let (first, second) = (freshKey(), freshKey())
    let start = try await store.create(freshKey(), [0], until: soon())
    var watch = store.watch(after: start).makeAsyncIterator()
    expectEqual(await watch.next(), .caughtUp)
    let revision = try await store.create(first, [1], until: soon())
    guard case .stored(let claim)? = await watch.next() else { return expect(false, "not told") }
    expectEqual(claim.revision, revision)
    // All of them go, one after another.
    for number in 0..<3 {
      servers.kill(number)
      try servers.start(number)
      try await servers.whole()
    }
    let later = try await store.createInTheEnd(second, [2])
    while let change = await watch.next() {
      if case .stored(let claim) = change {
        expectEqual(claim.key, second)
        expectEqual(claim.revision, later)
        break
      }
    }
    await store.stop()
  }

  /// More than anybody takes in time waits at the server, and comes in order.
  @Test func watchIsTakenSlowly() async throws {
    let servers = try await NATSServers.shared(1)
    let store = try await servers.store()
    let start = try await store.create(freshKey(), [0], until: soon())
    var watch = store.watch(after: start).makeAsyncIterator()
    expectEqual(await watch.next(), .caughtUp)
    var written: [ClaimRevision] = []
    for _ in 0..<(Int(JetStreamLimits.batch) * 4 + 10) {
      written.append(try await store.create(freshKey(), [1], until: soon()))
    }
    var told: [ClaimRevision] = []
    while told.count < written.count, let change = await watch.next() {
      if case .stored(let claim) = change { told.append(claim.revision) }
    }
    expectEqual(told, written)
    await store.stop()
  }
}
