import Expectations
import Foundation
import ScanModel
import StationProtocol
import Testing
import WireCoding

@Suite struct WireTests {
  @Test(arguments: 0..<200) func whatIsSentArrives(seed: Int) throws {
    var random = RandomMessages(seed: seed)
    for _ in 0..<20 {
      let asked = random.fromListener()
      try expectEqual(ListenerMessage(bytes: asked.bytes), asked, "seed \(seed)")
      let told = random.fromStation()
      try expectEqual(StationMessage(bytes: told.bytes), told, "seed \(seed)")
    }
    let snapshot = random.snapshot()
    try expectEqual(StationSnapshot(bytes: snapshot.bytes), snapshot, "seed \(seed)")
  }

  /// Random bytes and damaged packets are refused or are messages; they do nothing else.
  @Test(arguments: 0..<300) func whateverComesIsRefusedOrRead(seed: Int) throws {
    var random = RandomMessages(seed: seed &+ 50_000)
    for _ in 0..<50 {
      let noise = (0..<random.below(80)).map { _ in UInt8(random.below(256)) }
      for bytes in [random.mutate(random.fromListener().bytes), random.mutate(random.fromStation().bytes), noise] {
        _ = try? ListenerMessage(bytes: bytes)
        _ = try? StationMessage(bytes: bytes)
        _ = try? StationSnapshot(bytes: bytes)
      }
    }
    let bytes = random.mutate(random.snapshot().bytes)
    if let snapshot = try? StationSnapshot(bytes: bytes) {
      try expectEqual(StationSnapshot(bytes: snapshot.bytes), snapshot, "seed \(seed)")
    }
  }

  @Test func anotherVersionIsReadAsFarAsItsNumber() throws {
    let hello = ListenerMessage.hello(version: 7, program: "later", wants: ListenerWants(names: true))
    try expectEqual(ListenerMessage(bytes: hello.bytes + [1, 2, 3]), hello)
  }

  /// How programs of different versions find out: these bytes stay as they are.
  @Test func greetingAndRefusalStayAsTheyAre() {
    expectEqual(
      ListenerMessage.hello(version: 0x0102, program: "ab", wants: ListenerWants(names: true)).bytes,
      [1, 2, 1, 2, 0, 97, 98, 1])
    expectEqual(StationMessage.refused("no").bytes, [2, 2, 0, 110, 111])
  }

  /// A snapshot that was written by hand, by what the protocol says.
  @Test func theSnapshotOfTheCorpusIsRead() throws {
    let bytes = [UInt8](try Data(contentsOf: repositoryFile("Fuzz/corpus/station/whole")).dropFirst())
    let snapshot = try StationSnapshot(bytes: bytes)
    expectEqual(snapshot.bytes, bytes)
    expectEqual(snapshot.gates.map(\.event), ["The Tempest", nil, nil])
    expectEqual(snapshot.readers.map(\.reads), [12, 0])
    expectEqual(snapshot.readers.map(\.isCamera), [false, true])
    expectEqual(snapshot.ticketSystems.first?.branding?.name, "The Hall")
    expectEqual(snapshot.ticketSystems.first?.seats?.kinds.map(\.name), ["Stalls", "Circle"])
    expectEqual(snapshot.outbox.open.map(\.reason), ["refunded"])
    expectEqual(snapshot.control?.board.statusText, "Back at two")
    expectEqual(snapshot.control?.sessionTimeout, .seconds(1_800))
    expectEqual(snapshot.fleet?.inHouse, 812)
    expectEqual(snapshot.fleet?.inHouseHere, -3)
    expectEqual(snapshot.throughput.series.map(\.counts), [[3, 0, 9], [1]])
  }

  /// A camera's picture, and the order for one, as they were written by hand.
  @Test func thePictureOfTheCorpusIsRead() throws {
    func file(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: repositoryFile("Fuzz/corpus/station/\(name)")).dropFirst())
    }
    let asked = try file("picture")
    guard case .order(let order) = try ListenerMessage(bytes: asked) else { throw WireError("no order") }
    expectEqual(order.action, .picture(ReaderID("desk")))
    expectEqual(ListenerMessage.order(order).bytes, asked)
    let bytes = try file("picture-shown")
    let message = try StationMessage(bytes: bytes)
    expectEqual(message.bytes, bytes)
    guard case .answer(_, .picture(let view)) = message else { throw WireError("no picture") }
    expect(view.jpeg.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]) && view.width == 640 && view.height == 360)
    expect(view.format == "1280x720 MJPG" && view.age == .milliseconds(41) && view.rate == 299)
    expect(view.light == .covered && view.brightness == 4 && view.isFrozen)
    expectEqual(view.seen.map(\.code), ["…4711", "…31"])
    expectEqual(
      view.seen.map(\.corners),
      [[.init(x: 10, y: 20), .init(x: 110, y: 20), .init(x: 110, y: 120), .init(x: 10, y: 120)], []])
    for count in bytes.indices { #expect(throws: WireError.self) { try StationMessage(bytes: bytes.prefix(count)) } }
  }

  /// The largest station that is configured fits, with all that pages are told of it.
  @Test func whatPagesAreToldIsBounded() throws {
    var snapshot = StationSnapshot(station: "s", version: "1", at: WallTime(seconds: 0), uptime: .zero)
    let name = String(repeating: "n", count: StationLimits.maximumName)
    let words = String(repeating: "w", count: StationLimits.maximumWords)
    snapshot.throughput.series = (0..<StationThroughput.mostSeries + 100).map { _ in
      StationThroughput.Series(
        gate: GateID(name), verdict: "refuse", reason: name,
        counts: Array(repeating: .max, count: StationThroughput.bins + 10))
    }
    snapshot.outbox.open = (0..<StationLimits.maximumConflicts + 10).map { _ in
      StationSnapshot.Conflict(
        id: AttemptID(), system: TicketSystemID(name), gate: GateID(name), code: "…1234",
        admitted: WallTime(seconds: 0), state: "contradicted", reason: "refunded", words: words)
    }
    snapshot.ticketSystems = (0..<64).map { _ in
      var system = StationSnapshot.TicketSystem(id: TicketSystemID(name), type: name)
      system.seats = StationSnapshot.Seats(
        kinds: (0..<StationLimits.maximumKinds + 10).map { _ in .init(name: name, capacity: .max, sold: .max) })
      return system
    }
    expect(snapshot.bytes.count < StationLimits.maximumSnapshot / 2, "\(snapshot.bytes.count)")
    let read = try StationSnapshot(bytes: snapshot.bytes)
    expectEqual(read.throughput.series.count, StationThroughput.mostSeries)
    expect(read.throughput.series.allSatisfy { $0.counts.count == StationThroughput.bins })
    expectEqual(read.outbox.open.count, StationLimits.maximumConflicts)
    expect(read.ticketSystems.allSatisfy { $0.seats?.kinds.count == StationLimits.maximumKinds })
  }

  @Test func aWhyThatIsTooLongIsCut() throws {
    let order = StationOrder(.openOnce(GateID("a")), who: "anna", why: String(repeating: "ü", count: 300))
    guard case .order(let read) = try ListenerMessage(bytes: ListenerMessage.order(order).bytes) else {
      return #expect(Bool(false), "an order is read as something else")
    }
    expectEqual(read.why, String(repeating: "ü", count: 200))
    expectEqual(read.id, order.id)
  }

  /// A code that is typed is shown nowhere.
  @Test func aTypedCodeIsNotShown() {
    let order = StationOrder(.present(GateID("a"), Code("secret-1234-5678")), who: "anna")
    expect(!"\(order)".contains("secret"))
    expectEqual(order.action.detail, "…5678")
  }
}

@Suite struct SnapshotAssemblyTests {
  @Test(arguments: 0..<100) func theSnapshotComesOutOfItsPieces(seed: Int) throws {
    var random = RandomMessages(seed: seed)
    var snapshot = random.snapshot()
    // Longer than a packet now and then.
    if random.flag() {
      let details = (0..<20).map { _ in random.text(200) }
      snapshot.readers = (0..<1_000).map {
        StationSnapshot.Reader(
          id: ReaderID("reader \($0)"), condition: StationSnapshot.Condition(state: "failed", detail: details[$0 % 20]))
      }
    }
    var assembly = SnapshotAssembly()
    let parts = snapshot.parts
    for part in parts.dropLast() { try expectEqual(assembly.take(part), nil, "seed \(seed)") }
    let last = try #require(parts.last)
    try expectEqual(assembly.take(last), snapshot, "seed \(seed)")
    // And again with the same one.
    for part in parts.dropLast() { _ = try assembly.take(part) }
    try expectEqual(assembly.take(last), snapshot, "seed \(seed)")
    for part in parts { expect(StationMessage.snapshot(part).bytes.count <= StationLimits.maximumPacket) }
  }

  @Test func piecesOutOfTheirOrderAreNone() throws {
    var assembly = SnapshotAssembly()
    #expect(throws: WireError.self) { try assembly.take(SnapshotPart(index: 1, isLast: true, bytes: [])) }
    try expectEqual(assembly.take(SnapshotPart(index: 0, isLast: false, bytes: [1])), nil)
    #expect(throws: WireError.self) { try assembly.take(SnapshotPart(index: 0, isLast: true, bytes: [])) }
    #expect(throws: WireError.self) { try assembly.take(SnapshotPart(index: 1, isLast: false, bytes: [])) }
  }

  @Test func endlessPiecesAreRefused() throws {
    var assembly = SnapshotAssembly()
    let piece = [UInt8](repeating: 0, count: StationLimits.maximumPart)
    var taken = 0
    do {
      while taken < UInt16.max {
        expectEqual(try assembly.take(SnapshotPart(index: UInt16(taken), isLast: false, bytes: piece)), nil)
        taken += 1
      }
    } catch {
      expect("\(error)".contains("more than"), "\(error)")
    }
    expectEqual(taken, StationLimits.maximumSnapshot / StationLimits.maximumPart)
  }
}

@Suite struct HistogramTests {
  @Test(arguments: 0..<100) func eachIsInItsBucket(seed: Int) {
    var random = RandomMessages(seed: seed)
    var times = StationCounters.Histogram()
    var model = [UInt64](repeating: 0, count: StationCounters.Histogram.bounds.count + 1)
    for _ in 0..<100 {
      let duration = random.pick([random.duration(), .microseconds(random.below(6_000_000))])
      times.add(duration)
      model[StationCounters.Histogram.bounds.count { $0 < duration }] += 1
    }
    expectEqual(times.buckets, model, "seed \(seed)")
    expectEqual(times.count, 100)
    expect(times.sum >= .zero)
  }
}

@Suite struct SignalTextTests {
  @Test func eachSignalIsFoundByItsText() {
    let signals: [Signal] =
      [.admit, .provisional, .busy, .idle, .offline, .outOfService] + RefuseReason.allCases.map { .refuse($0) }
      + UndecidedReason.allCases.map { .undecided($0) } + SetUpSignal.all.map { .setUp($0) }
    for signal in signals { expectEqual(Signal(text: signal.text), signal) }
    for text in ["", "admit.x", "refuse.", "refuse.no", "setUp", "ADMIT", "."] { expectEqual(Signal(text: text), nil) }
  }
}
