import Expectations
import Gateway
import Glibc
import LinuxIO
import ScanModel
import StationProtocol
import Synchronization
import Testing
import WireCoding

@testable import StationSocket

/// Who listens, what they are told, and what they may do.
@Suite(.timeLimit(.minutes(2))) struct StationSocketTests {
  @Test func whoGreetsIsToldHowTheStationIs() async throws {
    let bench = try await SocketBench()
    let client = try StationClient(path: bench.path, program: "test")
    await client.start()
    let snapshot = try await client.snapshot(within: .seconds(20))
    expectEqual(snapshot.station, "bench 1")
    expectEqual(snapshot.counters.listeners, 1)
    let welcome = try #require(await client.welcome)
    expectEqual(welcome.station, "bench")
    expectEqual(welcome.orders, OrderKind.allCases)
    let outcome = try await client.perform(
      StationOrder(.openOnce(GateID("north")), who: "anna", why: "a wheelchair"), within: .seconds(20))
    expectEqual(outcome, .done("openOnce"))
    expectEqual(bench.station.givers.first?.user, thisUser)
    expectEqual(bench.station.givers.first?.program, "test")
    await client.stop()
    await bench.socket.stop()
  }

  @Test func eventsComeInTheirOrder() async throws {
    let bench = try await SocketBench()
    let client = try StationClient(path: bench.path, program: "test")
    await client.start(listening: true)
    var news = client.news.makeAsyncIterator()
    guard case .here = await news.next() else { return expect(false, "nobody is there") }
    // What is asked after `listen` is answered after it.
    _ = try await client.snapshot(within: .seconds(20))
    for number in 0..<200 { bench.emit("gate \(number)") }
    for number in 0..<200 {
      guard case .event(let event)? = await news.next() else { return expect(false, "no event") }
      expectEqual(event.number, UInt64(number + 1))
      expect(event.line.contains("\"gate\":\"gate \(number)\""))
    }
    await client.stop()
    await bench.socket.stop()
  }

  /// A listener that reads nothing costs the others nothing, and is told how much it missed.
  @Test func whoDoesNotReadMissesWhatIsCounted() async throws {
    let bench = try await SocketBench()
    let hung = try RawListener(bench.path)
    hung.greet()
    hung.send(.listen)
    guard case .welcome? = await hung.next() else { return expect(false, "no welcome") }
    let client = try StationClient(path: bench.path, program: "test")
    await client.start(listening: true)
    var news = client.news.makeAsyncIterator()
    guard case .here = await news.next() else { return expect(false, "nobody is there") }
    _ = try await client.snapshot(within: .seconds(20))
    let total: UInt64 = 6_000
    var told: UInt64 = 0
    for _ in 0..<total / 100 {
      for _ in 0..<100 { bench.emit(String(repeating: "g", count: 200)) }
      // The quick one keeps up, whoever hangs.
      for _ in 0..<100 {
        guard case .event(let event)? = await news.next() else {
          return expect(false, "the quick one misses something")
        }
        told += 1
        expectEqual(event.number, told)
      }
    }
    var (seen, dropped, last): (UInt64, UInt64, UInt64) = (0, 0, 0)
    while seen + dropped < total {
      switch await hung.next() {
      case .event(let event):
        seen += 1
        expect(event.number > last)
        last = event.number
        expectEqual(event.number, seen + dropped)
      case .dropped(let count): dropped += count
      case let other: return expect(false, "\(String(describing: other)) after \(seen) and \(dropped)")
      }
    }
    expect(dropped > 0 && seen > 0)
    expectEqual(bench.hub.view.counters.eventsDropped, dropped)
    await client.stop()
    await bench.socket.stop()
  }

  @Test func namesAreForThoseWhoMayHaveThem() async throws {
    for (rights, wants) in [(true, true), (true, false), (false, true)] {
      let bench = try await SocketBench(rights: ListenerRights(orders: [], names: rights))
      let listener = try RawListener(bench.path)
      listener.greet(names: wants)
      guard case .welcome(let welcome)? = await listener.next() else { return expect(false, "no welcome") }
      expectEqual(welcome.names, rights && wants)
      expectEqual(welcome.orders, [])
      listener.send(.listen)
      listener.send(.snapshot)
      guard case .snapshot? = await listener.next() else { return expect(false, "no snapshot") }
      bench.hub.emit(.scan(sampleScan(holder: "Ada Lovelace")))
      guard case .event(let event)? = await listener.next() else { return expect(false, "no event") }
      expectEqual(event.line.contains("Lovelace"), rights && wants)
      expect(!event.line.contains("good-ticket"))
      await bench.socket.stop()
    }
  }

  @Test func whoMayNotIsToldSo() async throws {
    let bench = try await SocketBench(rights: ListenerRights(orders: [.annul], names: false))
    let client = try StationClient(path: bench.path, program: "test")
    await client.start()
    let refused = try await client.perform(
      StationOrder(.openOnce(GateID("north")), who: "mallory"), within: .seconds(20))
    expectEqual(refused.refusal, .notAllowed)
    let done = try await client.perform(StationOrder(.annul(GateID("north")), who: "anna"), within: .seconds(20))
    expectEqual(done, .done("annul"))
    expectEqual(bench.station.orders.map(\.action.kind), [.annul])
    // That it came is told whoever keeps the books.
    expectEqual(bench.station.refused.map(\.order.action.kind), [.openOnce])
    expectEqual(bench.station.refused.map(\.giver.user), [getuid()])
    await client.stop()
    await bench.socket.stop()
  }

  @Test func anotherVersionIsRefusedWithWords() async throws {
    let bench = try await SocketBench()
    let listener = try RawListener(bench.path)
    listener.send(.hello(version: StationLimits.version + 1, program: "later", wants: ListenerWants()))
    guard case .refused(let words)? = await listener.next() else { return expect(false, "it is not refused") }
    expect(words.contains("Install both from one release"))
    await expectEqual(listener.next(), nil)
    await bench.socket.stop()
  }

  @Test func whoDoesNotGreetIsSentAway() async throws {
    let bench = try await SocketBench()
    let silent = try RawListener(bench.path)
    let rude = try RawListener(bench.path)
    rude.send(.order(StationOrder(.openOnce(GateID("north")), who: "mallory")))
    await expectEqual(rude.next(), .refused("A message came before its time."))
    let garbled = try RawListener(bench.path)
    _ = garbled.socket.send([250, 1, 2, 3])
    guard case .refused? = await garbled.next() else { return expect(false, "noise is not refused") }
    await expectEqual(silent.next(), .refused("No greeting came."))
    expectEqual(bench.station.orders.count, 0)
    await bench.socket.stop()
  }

  @Test func moreThanTheMostAreSentAway() async throws {
    let bench = try await SocketBench()
    var listeners: [RawListener] = []
    for _ in 0..<StationLimits.maximumListeners {
      let listener = try await connected(bench.path)
      listener.greet()
      guard case .welcome? = await listener.next() else { return expect(false, "no welcome") }
      listeners.append(listener)
    }
    let surplus = try await connected(bench.path)
    guard case .refused? = await surplus.next() else { return expect(false, "one too many is taken") }
    // One goes, another may come.
    listeners.removeLast()
    while await bench.socket.count >= StationLimits.maximumListeners { await bench.socket.heartbeat() }
    let next = try await connected(bench.path)
    next.greet()
    guard case .welcome? = await next.next() else { return expect(false, "no room was made") }
    await bench.socket.stop()
  }

  /// As many as come of one user: nobody else is kept out by them, least of all root.
  @Test func whoComesInCrowdsKeepsNobodyElseOut() async throws {
    let isOwner = Mutex(false)
    let bench = try await SocketBench(rightsOf: { _ in
      ListenerRights(orders: [], names: false, isOwner: isOwner.withLock { $0 })
    })
    var listeners: [RawListener] = []
    /// Whether one more is taken; else the words.
    func come() async throws -> String? {
      let listener = try await connected(bench.path)
      listener.greet()
      switch await listener.next() {
      case .welcome:
        listeners.append(listener)
        return nil
      case .refused(let words): return words
      case let other: return "\(String(describing: other))"
      }
    }
    for _ in 0..<StationLimits.listenersPerUser { try await expectEqual(come(), nil) }
    let user = try await come()
    expect(user?.contains("times already") == true, "\(user ?? "one too many is taken")")
    // Root, and then as many as leave room for it alone.
    isOwner.withLock { $0 = true }
    while listeners.count < StationLimits.maximumListeners - StationLimits.ownListeners {
      try await expectEqual(come(), nil)
    }
    isOwner.withLock { $0 = false }
    let all = try await come()
    expect(all?.hasPrefix("\(listeners.count) listen") == true, "\(all ?? "one too many is taken")")
    isOwner.withLock { $0 = true }
    for _ in 0..<StationLimits.ownListeners { try await expectEqual(come(), nil) }
    expect(try await come() != nil)
    await bench.socket.stop()
  }

  /// Connects, once the queue of those who wait has room.
  private func connected(_ path: String) async throws -> RawListener {
    while true {
      do {
        return try RawListener(path)
      } catch let error as SystemError where error.errno == 11 {
        await Task.yield()
      }
    }
  }

  @Test func ordersOfOneListenerAreBounded() async throws {
    let bench = try await SocketBench()
    bench.station.hold()
    let listener = try RawListener(bench.path)
    listener.greet()
    guard case .welcome? = await listener.next() else { return expect(false, "no welcome") }
    for _ in 0...StationLimits.maximumOpenOrders { listener.send(.order(StationOrder(.outboxRetry, who: "anna"))) }
    guard case .answer(_, .refused(.tooMany, _))? = await listener.next() else {
      return expect(false, "one too many is taken")
    }
    bench.station.release()
    for _ in 0..<StationLimits.maximumOpenOrders {
      guard case .answer(_, .done)? = await listener.next() else { return expect(false, "an answer is missing") }
    }
    listener.send(.order(StationOrder(.outboxRetry, who: "anna")))
    guard case .answer(_, .done)? = await listener.next() else { return expect(false, "no more are taken") }
    await bench.socket.stop()
  }

  /// Who asks and asks, and reads no answer, is let go of: nothing grows for it.
  @Test func whoReadsNoAnswersIsLetGoOf() async throws {
    let bench = try await SocketBench(rights: ListenerRights(orders: [], names: false))
    let listener = try RawListener(bench.path)
    listener.greet()
    guard case .welcome? = await listener.next() else { return expect(false, "no welcome") }
    while await bench.socket.count > 0 {
      // The socket takes what it can; each is answered with words.
      listener.send(.order(StationOrder(.outboxRetry, who: "mallory")))
      await bench.socket.heartbeat()
    }
    await bench.socket.stop()
  }

  @Test func aLookSeesWhatWasDoneBeforeItWasAskedFor() async throws {
    let bench = try await SocketBench()
    let client = try StationClient(path: bench.path, program: "test")
    await client.start()
    var last = 0
    for _ in 0..<5 {
      let station = try await client.snapshot(within: .seconds(20)).station
      let number = try #require(Int(station.split(separator: " ").last ?? ""))
      expect(number > last)
      last = number
    }
    await client.stop()
    await bench.socket.stop()
  }
}
