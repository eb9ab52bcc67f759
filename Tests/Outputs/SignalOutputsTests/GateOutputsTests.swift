import Signalling
import Expectations
import LinuxIO
import ScanModel
import SignalOutputs
import Testing

@Suite(.timeLimit(.minutes(2))) struct GateOutputsTests {
  private static let kinds: [OutputName: OutputKind] = ["relay": .relay, "green": .lamp, "red": .lamp]
  private let driver = RecordingDriver()
  private let loop: DeviceLoop

  init() throws { loop = try DeviceLoop(name: "outputs") }

  private func outputs(
    _ kinds: [OutputName: OutputKind] = Self.kinds, pulse: Duration = .milliseconds(30),
    gap: Duration = .milliseconds(20)
  ) throws -> GateOutputs {
    let tell = driver.tell
    return try GateOutputs(
      gate: GateID("north"), outputs: kinds, timing: RelayTiming(pulse: pulse, gap: gap),
      patterns: .standard(for: kinds), driver: driver, loop: loop,
      onFault: { tell.yield(.fault($0, $1)) }, onRecovery: { tell.yield(.recovered($0)) })
  }

  private func next(
    _ count: Int, of events: inout AsyncStream<RecordingDriver.Event>.Iterator
  ) async -> [RecordingDriver.Event] {
    var seen: [RecordingDriver.Event] = []
    while seen.count < count, let event = await events.next(isolation: #isolation) { seen.append(event) }
    return seen
  }

  @Test func startTurnsOffRelayFirstAndStopLetsGo() async throws {
    defer { loop.stop() }
    let outputs = try outputs()
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    await expectEqual(next(3, of: &events), [.off("relay"), .off("green"), .off("red")])
    await outputs.stop()
    await expectEqual(next(1, of: &events), [.closed])
  }

  @Test func anAdmissionPulsesTheRelayAndTheNextOneWaits() async throws {
    defer { loop.stop() }
    let outputs = try outputs()
    let signals = GateSignalOutput(outputs)
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    await expectEqual(next(3, of: &events).count, 3)
    let asked = SystemTime().now()
    guard case .started(let start, let end) = await signals.admit(isProvisional: false) else {
      Issue.record("no pulse")
      return
    }
    expect(start >= asked && end - start == .milliseconds(30))
    signals.play(.refuse(.unpaid))
    guard case .started(let second, _) = await signals.admit(isProvisional: false) else {
      Issue.record("no second pulse")
      return
    }
    expect(second - end >= .milliseconds(20))
    await outputs.stop()
    var relay: [RecordingDriver.Event] = []
    while let event = await events.next() {
      if event == .on("relay") || event == .off("relay") { relay.append(event) }
    }
    expectEqual(relay, [.on("relay"), .off("relay"), .on("relay"), .off("relay")])
    expect(SystemTime().now() - second >= .milliseconds(30))
  }

  @Test func aPulseIsNotedBeforeItIsDrivenAndASafeStateIsNone() async throws {
    defer { loop.stop() }
    let (noted, note) = AsyncStream.makeStream(of: MonotonicTime.self)
    var watching = GateOutputs.Watching()
    watching.onPulse = { note.yield($0) }
    let outputs = try GateOutputs(
      gate: GateID("north"), outputs: Self.kinds, timing: RelayTiming(pulse: .milliseconds(30), gap: .milliseconds(20)),
      safeState: .safe, patterns: .standard(for: Self.kinds), driver: driver, loop: loop, watching: watching)
    var events = driver.events.makeAsyncIterator()
    await outputs.start(commanded: false)
    await expectEqual(next(1, of: &events), [.on("relay")])
    await outputs.command()
    while let event = await events.next(isolation: #isolation), event != .off("relay") {}
    let asked = SystemTime().now()
    guard case .started(_, let end) = await GateSignalOutput(outputs).admit(isProvisional: false) else {
      Issue.record("no pulse")
      return
    }
    await outputs.stop()
    note.finish()
    var ends: [MonotonicTime] = []
    for await end in noted { ends.append(end) }
    // The first is what a successor would wait for had we died in the drive; the second is when it really ends.
    expect(ends.count == 2 && ends.last == end)
    expect(ends.allSatisfy { $0 >= asked + .milliseconds(30) })
  }

  @Test func theRelayComesBeforeTheLamp() async throws {
    defer { loop.stop() }
    let outputs = try outputs(pulse: .seconds(5))
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    _ = await next(3, of: &events)
    guard case .started = await GateSignalOutput(outputs).admit(isProvisional: false) else {
      Issue.record("no pulse")
      return
    }
    await expectEqual(next(2, of: &events), [.on("relay"), .on("green")])
  }

  @Test func aProvisionalAdmissionIsTheSamePulseWithOtherLamps() async throws {
    defer { loop.stop() }
    let outputs = try outputs(["relay": .relay, "green": .lamp, "amber": .lamp], pulse: .seconds(5))
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    _ = await next(3, of: &events)
    guard case .started(let start, let end) = await GateSignalOutput(outputs).admit(isProvisional: true) else {
      Issue.record("no pulse")
      return
    }
    expectEqual(end - start, .seconds(5))
    await expectEqual(next(3, of: &events), [.on("relay"), .on("amber"), .on("green")])
  }

  @Test func signalsArePlayedInTheirOrder() async throws {
    defer { loop.stop() }
    let outputs = try outputs(["green": .lamp, "amber": .lamp, "red": .lamp])
    let signals = GateSignalOutput(outputs)
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    await expectEqual(next(3, of: &events), [.off("amber"), .off("green"), .off("red")])
    signals.play(.busy)
    await expectEqual(next(1, of: &events), [.on("amber")])
    signals.play(.refuse(.unpaid))
    await expectEqual(next(2, of: &events), [.off("amber"), .on("red")])
    signals.play(.busy)
    await expectEqual(signals.admit(isProvisional: false), .noRelay)
    var seen: [RecordingDriver.Event] = []
    while seen.last != .on("green"), let event = await events.next() { seen.append(event) }
    expectEqual(seen.suffix(3), [.on("amber"), .off("amber"), .on("green")])
  }

  @Test func aRelayThatCannotBeDrivenFailsTheAdmissionAndComesBack() async throws {
    defer { loop.stop() }
    let outputs = try outputs(gap: .zero)
    let signals = GateSignalOutput(outputs)
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    _ = await next(3, of: &events)
    let error = RecordingDriver.error("the chip is gone")
    driver.fail("relay", error)
    await expectEqual(signals.admit(isProvisional: false), .failed(error.description))
    let seen = await next(5, of: &events)
    expectEqual(seen.first, .failed("relay", on: true))
    expectEqual(seen.dropFirst().first, .fault("relay", error))
    expect(seen.contains(.failed("relay", on: false)))
    driver.fail("relay", nil)
    while let event = await events.next(), event != .recovered("relay") {
      expect(event == .failed("relay", on: false) || event == .off("relay"))
    }
    guard case .started = await signals.admit(isProvisional: false) else {
      Issue.record("no pulse after recovery")
      return
    }
    await outputs.stop()
  }

  @Test func aRelayThatMayHaveSwitchedIsNotSaidToHaveStayedShut() async throws {
    defer { loop.stop() }
    let outputs = try outputs(gap: .zero)
    let signals = GateSignalOutput(outputs)
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    _ = await next(3, of: &events)
    var error = RecordingDriver.error("no answer")
    error.mayHaveHappened = true
    driver.fail("relay", error)
    let outcome = await signals.admit(isProvisional: false)
    guard case .unanswered(let words) = outcome else {
      Issue.record("it is sure of what nobody knows: \(outcome)")
      return
    }
    expect(words.contains("may have opened") && words.contains(error.description))
    let seen = await next(4, of: &events)
    expect(seen.first == .failed("relay", on: true) && seen.contains(.failed("relay", on: false)), "\(seen)")
    driver.fail("relay", nil)
    while let event = await events.next(), event != .recovered("relay") {}
    guard case .started = await signals.admit(isProvisional: false) else {
      Issue.record("no pulse after recovery")
      return
    }
    await outputs.stop()
  }

  @Test func aRelayThatCannotBeReleasedIsReportedOnceAndTriedUntilItIs() async throws {
    defer { loop.stop() }
    let outputs = try outputs()
    let signals = GateSignalOutput(outputs)
    var events = driver.events.makeAsyncIterator()
    await outputs.start()
    _ = await next(3, of: &events)
    driver.fail("relay", RecordingDriver.error("no answer"), isOffOnly: true)
    guard case .started = await signals.admit(isProvisional: false) else {
      Issue.record("no pulse")
      return
    }
    var faults: [DeviceError] = []
    var tries = 0
    while tries < 5, let event = await events.next() {
      if case .fault("relay", let error) = event { faults.append(error) }
      if event == .failed("relay", on: false) { tries += 1 }
    }
    expectEqual(faults.count, 1)
    expectEqual(faults.first?.what.contains("may stand open"), true)
    guard case .failed(let words) = await signals.admit(isProvisional: false) else {
      Issue.record("admitted at a gate that cannot be closed")
      return
    }
    expect(words.contains("may stand open"))
    expectEqual(signals.admissionFault, words)
    driver.fail("relay", nil)
    while let event = await events.next(), event != .recovered("relay") {}
    expect(signals.admissionFault == nil)
    await outputs.stop()
  }

  @Test func aStopGivesUpARelayThatIsGone() async throws {
    defer { loop.stop() }
    let outputs = try outputs()
    driver.fail("relay", RecordingDriver.error("no such chip"))
    await outputs.start()
    expectEqual(GateSignalOutput(outputs).admissionFault?.contains("no such chip"), true)
    await outputs.stop()
    var events = driver.events.makeAsyncIterator()
    var seen: [RecordingDriver.Event] = []
    while let event = await events.next() { seen.append(event) }
    expectEqual(seen.last, .closed)
    expectEqual(seen.filter { if case .fault = $0 { true } else { false } }.count, 1)
    expect(!seen.contains(.on("relay")))
  }

  @Test func aLampThatFailsIsReportedOnceAndTakenBackAsItShouldBe() async throws {
    defer { loop.stop() }
    let outputs = try outputs(["amber": .lamp, "green": .lamp])
    let signals = GateSignalOutput(outputs)
    var events = driver.events.makeAsyncIterator()
    let error = RecordingDriver.error("no such LED")
    driver.fail("amber", error)
    await outputs.start()
    await expectEqual(next(3, of: &events), [.failed("amber", on: false), .fault("amber", error), .off("green")])
    signals.play(.busy)
    // Tried again with what it should show by now, without a second report.
    var reports = 0
    while let event = await events.next(), event != .failed("amber", on: true) {
      if case .fault = event { reports += 1 }
    }
    expectEqual(reports, 0)
    driver.fail("amber", nil)
    while let event = await events.next(), event != .on("amber") {
      expectEqual(event, .failed("amber", on: true))
    }
    await expectEqual(next(1, of: &events), [.recovered("amber")])
  }

  @Test func outsideStartAndStopAdmissionsFail() async throws {
    defer { loop.stop() }
    let outputs = try outputs()
    let signals = GateSignalOutput(outputs)
    guard case .failed(let words) = await signals.admit(isProvisional: false) else {
      Issue.record("admitted before the start")
      return
    }
    expect(words.contains("north"))
    expectEqual(signals.admissionFault, words)
    await outputs.start()
    expect(signals.admissionFault == nil)
    async let first: Void = outputs.stop()
    async let second: Void = outputs.stop()
    _ = await (first, second)
    expect(signals.admissionFault != nil)
    guard case .failed = await signals.admit(isProvisional: false) else {
      Issue.record("admitted after the stop")
      return
    }
  }

  @Test func gatesShareALoop() async throws {
    defer { loop.stop() }
    let outputs = try outputs()
    let other = RecordingDriver()
    let second = try GateOutputs(
      gate: GateID("south"), outputs: Self.kinds, timing: RelayTiming(pulse: .milliseconds(30), gap: .zero),
      patterns: .standard(for: Self.kinds), driver: other, loop: loop, onFault: { _, _ in })
    await outputs.start()
    await second.start()
    async let one = GateSignalOutput(outputs).admit(isProvisional: false)
    async let two = GateSignalOutput(second).admit(isProvisional: false)
    for outcome in await [one, two] {
      guard case .started = outcome else {
        Issue.record("no pulse: \(outcome)")
        return
      }
    }
    await outputs.stop()
    await second.stop()
    var pulses = 0
    for await event in other.events where event == .on("relay") { pulses += 1 }
    expectEqual(pulses, 1)
  }
}
