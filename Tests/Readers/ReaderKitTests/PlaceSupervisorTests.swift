import Expectations
import LinuxIO
import ReaderKit
import ScanModel
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct PlaceSupervisorTests {
  @Test func whatIsNotThereIsParkedUntilItComes() async throws {
    let rack = try Rack()
    let house = try await House(rack)
    try await expectEqual(house.next(), "parked")
    try rack.add("a/1")
    try await expectEqual(house.next(), "reading reading a/1")
    try rack.send("AB", to: "a/1")
    try await expectEqual(house.next(), "A")
    try await expectEqual(house.next(), "B")
  }

  @Test func whatIsInTheWayIsSaidOnceAndTriedAgainMoreAndMoreSlowly() async throws {
    let rack = try Rack()
    rack.state.withLock { $0.obstacles = [.busy, .busy, .busy, .busy, .busy, .absent, .wrong] }
    try rack.add("a/1")
    let house = try await House(rack)
    for state in ["waiting busy a/1", "parked", "failed wrong a/1", "reading reading a/1"] {
      try await expectEqual(house.next(), state)
    }
    let tries = rack.state.withLock { $0.tries }
    for (index, least) in [1, 2, 4, 4, 4, 4, 4].enumerated() {
      expect(tries[index + 1] - tries[index] >= .milliseconds(least), "the pause after try \(index)")
    }
  }

  @Test func aReaderOfSeveralNodesIsReadyWhenAllAre() async throws {
    let rack = try Rack()
    try rack.add("a/1")
    try rack.add("a/2")
    try rack.add("a/unfit")
    // The other reader has nothing, so that folders are looked at again and again.
    let house = try await House(rack, isSettled: false, with: "other")
    try await expectEqual(house.next(), "waiting settling a/1")
    try await expectEqual(house.next(), "other: parked")
    try rack.send("sA", to: "a/1")
    try await expectEqual(house.next(), "A")
    try rack.send("s", to: "a/2")
    try await expectEqual(house.next(), "reading reading a/1")
    // One that comes later does not make it unready.
    try rack.add("a/3")
    try await house.opened("a/3")
    try rack.send("C", to: "a/3")
    try await expectEqual(house.next(), "C")
  }

  @Test func whereTwoDevicesMatchOnlyTheOneThatWasThereIsRead() async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack, with: "other")
    try await expectEqual(house.next(), "reading reading a/1")
    try await expectEqual(house.next(), "other: parked")
    try rack.add("b/1")
    let words = try await house.next()
    expect(
      words.hasPrefix("reading reading a/1; two devices match")
        && words.hasSuffix("only the first that was there is read"))
    await house.supervisor.stop()
    let again = try await House(rack)
    let problem = try await again.next()
    expect(problem.hasPrefix("failed two devices match") && problem.hasSuffix("none of them is read"))
    rack.remove("a/1")
    try await expectEqual(again.next(), "reading reading b/1")
    expectEqual(rack.closed, ["a/1"])
  }

  @Test func whatTwoReadersMeanIsReadByNeither() async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack, with: "")
    expect(try await house.next().hasPrefix("failed the readers lane and other both match"))
    expect(try await house.next().hasPrefix("other: failed the readers lane and other both match"))
    expect(rack.state.withLock { $0.tries.isEmpty })
  }

  @Test(arguments: ["hang-up", "g"]) func whatStopsAnsweringIsParkedAndTakenAgain(_ how: String) async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack)
    try await expectEqual(house.next(), "reading reading a/1")
    try rack.send("A", to: "a/1")
    if how == "g" { try rack.send("g", to: "a/1") } else { rack.hangUp("a/1") }
    // What was read before, and what is told of the half that is lost, come before the state.
    for event in ["A", "discarded unplugged", "parked", "reading reading a/1"] {
      try await expectEqual(house.next(), event)
    }
    expectEqual(rack.closed, ["a/1"])
  }

  @Test func whatIsUnpluggedIsLetGoOf() async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack, with: "other")
    try await expectEqual(house.next(), "reading reading a/1")
    try await expectEqual(house.next(), "other: parked")
    rack.remove("a/1")
    try await expectEqual(house.next(), "discarded unplugged")
    try await expectEqual(house.next(), "parked")
    expectEqual(rack.closed, ["a/1"])
  }

  @Test func whatBreaksIsBegunAnewAndItsTroubleSaidUntilItHasProvenToWork() async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack, isSettled: false, isProven: false)
    try await expectEqual(house.next(), "waiting settling a/1")
    try rack.send("b", to: "a/1")
    try await expectEqual(house.next(), "waiting busy a/1")
    try await house.tried(2)
    try rack.send("A", to: "a/1")
    try await expectEqual(house.next(), "A")
    try rack.send("s", to: "a/1")
    try await expectEqual(house.next(), "reading reading a/1")
    try rack.send("f", to: "a/1")
    try await expectEqual(house.next(), "failed failed a/1")
    expectEqual(rack.closed, ["a/1"])
  }

  @Test(arguments: ["d", "w"]) func aSessionIsLookedAtWhenItWantsToBe(_ how: String) async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack)
    try await expectEqual(house.next(), "reading reading a/1")
    for _ in 0..<2 {
      try rack.send("A" + how, to: "a/1")
      try await expectEqual(house.next(), "A")
      try await expectEqual(house.next(), "!")
    }
  }

  @Test func nothingIsToldAfterAStopAndItStartsAgain() async throws {
    let rack = try Rack()
    try rack.add("a/1")
    let house = try await House(rack)
    try await expectEqual(house.next(), "reading reading a/1")
    expect(await house.supervisor.isOpen(ReaderID("lane")))
    await house.supervisor.stop()
    expectEqual(rack.closed, ["a/1"])
    expect(await !house.supervisor.isOpen(ReaderID("lane")))
    try await house.start()
    try rack.send("A", to: "a/1")
    // No word of what became of the first session.
    try await expectEqual(house.next(), "reading reading a/1")
    try await expectEqual(house.next(), "A")
  }

  @Test func whatIsWrongIsThrownBeforeAnythingIsOpened() async throws {
    let rack = try Rack()
    let supervisor = try PlaceSupervisor(Slots(rack: rack), [])
    let error = await #expect(throws: DeviceError.self) { try await supervisor.start { _ in } }
    expectEqual(error?.what, "none")
  }
}

extension PlaceSupervisor<Slots> {
  fileprivate func isOpen(_ reader: ReaderID) -> Bool { session(of: reader) != nil }
}

/// A running supervisor and what it told.
private final class House {
  let supervisor: PlaceSupervisor<Slots>
  private let rack: Rack
  private let continuation: AsyncStream<ReaderEvent>.Continuation
  private var iterator: AsyncStream<ReaderEvent>.Iterator

  /// - Parameter other: the folder of a second reader.
  init(_ rack: Rack, isSettled: Bool = true, isProven: Bool = true, with other: String? = nil) async throws {
    self.rack = rack
    let slot = Slot(id: ReaderID("lane"), root: rack.root, isSettled: isSettled, isProven: isProven)
    let others = other.map { [Slot(id: ReaderID("other"), root: $0.isEmpty ? rack.root : "\(rack.root)/\($0)")] }
    supervisor = try PlaceSupervisor(Slots(rack: rack), [slot] + (others ?? []))
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    self.continuation = continuation
    iterator = stream.makeAsyncIterator()
    try await start()
  }

  func start() async throws { try await supervisor.start { [continuation] in continuation.yield($0) } }

  /// The next event, in short and without the folder.
  func next() async throws -> String {
    let event = try #require(await iterator.next(isolation: #isolation))
    switch event {
    case .read(let read): return String(decoding: read.bytes, as: UTF8.self)
    case .discarded(_, let reason, _, _): return "discarded \(reason)"
    case .state(let reader, let state):
      let words: String? =
        switch state {
        case .parked: nil
        case .waiting(let words), .reading(let words), .failed(let words): words
        }
      let short = words.map { $0.split(separator: "\(rack.root)/").joined() }
      return (reader.name == "lane" ? "" : "\(reader): ")
        + [state.name, short].compactMap(\.self).joined(separator: " ")
    default: return "\(event)"
    }
  }

  /// Returns once a node is open.
  func opened(_ node: String) async throws {
    while rack.state.withLock({ $0.inlets["\(rack.root)/\(node)"] == nil }) { try await turn() }
  }

  /// Returns once a node was tried so often.
  func tried(_ count: Int) async throws {
    while rack.state.withLock({ $0.tries.count }) < count { try await turn() }
    await supervisor.heartbeat()
  }

  private func turn() async throws {
    try Task.checkCancellation()
    await supervisor.heartbeat()
  }
}
