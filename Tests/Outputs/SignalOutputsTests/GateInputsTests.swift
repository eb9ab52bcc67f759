import CLinux
import Expectations
import Glibc
import LinuxIO
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import SignalOutputs

/// A requested line whose events a test writes: the line's descriptor is the reading end of a pipe.
private final class Bench: Sendable {
  enum Told: Equatable {
    case level(InputName, Bool)
    case fault(InputName, DeviceError)
    case recovered(InputName)
  }

  private struct State {
    var writing: Int32 = -1
    var level: Int32 = 0
    var error: DeviceError?
  }

  static let error = DeviceError(device: "input button", what: "no such chip", remedy: "Plug it in.")
  let told: AsyncStream<Told>
  let tell: AsyncStream<Told>.Continuation
  private let state = Mutex(State())

  init() { (told, tell) = AsyncStream.makeStream() }

  deinit { unplug() }

  func open(_ configuration: InputConfiguration) throws(DeviceError) -> GPIOInput {
    if let error = state.withLock({ $0.error }) { throw error }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Self.error }
    state.withLock { $0.writing = ends[1] }
    let selection = GPIOSelection(role: .input, name: configuration.name.name, wanted: configuration.line)
    return GPIOInput(owning: ends[0], selection: selection) { [weak self] _ in
      self?.state.withLock { $0.level } ?? -1
    }
  }

  /// What a read of the level says from now on.
  func set(level: Bool) { state.withLock { $0.level = level ? 1 : 0 } }

  /// From now on opening fails with `error`; works again with `nil`.
  func fail(_ error: DeviceError?) { state.withLock { $0.error = error } }

  /// The kernel tells these edges at once.
  func edges(_ edges: [(sequence: UInt32, isActive: Bool)]) {
    let events = edges.map { edge in
      var event = gpio_v2_line_event()
      event.timestamp_ns = 1_000
      event.id = edge.isActive ? 1 : 2
      event.line_seqno = edge.sequence
      event.seqno = edge.sequence
      return event
    }
    state.withLock { _ = write($0.writing, events, events.count * MemoryLayout<gpio_v2_line_event>.stride) }
  }

  /// The chip goes: whoever waits for the line is told that it hung up.
  func unplug() {
    state.withLock { state in
      if state.writing >= 0 { close(state.writing) }
      state.writing = -1
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct GateInputsTests {
  private let bench = Bench()
  private let loop: DeviceLoop

  init() throws { loop = try DeviceLoop(name: "inputs") }

  private func inputs() -> GateInputs {
    let tell = bench.tell
    let line = GPIOLineConfiguration(chip: "relays", line: .offset(0))
    return GateInputs(
      gate: GateID("north"), inputs: [InputConfiguration(name: "button", line: line, use: .log)], loop: loop,
      open: { [bench] (input) throws(DeviceError) in try bench.open(input) },
      onChange: { name, isActive, _ in tell.yield(.level(name, isActive)) },
      onFault: { tell.yield(.fault($0, $1)) }, onRecovery: { tell.yield(.recovered($0)) })
  }

  private func next(_ count: Int, of told: inout AsyncStream<Bench.Told>.Iterator) async -> [Bench.Told] {
    var seen: [Bench.Told] = []
    while seen.count < count, let one = await told.next(isolation: #isolation) { seen.append(one) }
    return seen
  }

  @Test func theLevelIsToldAtTheStartAndThenItsChanges() async {
    defer { loop.stop() }
    bench.set(level: true)
    let inputs = inputs()
    var told = bench.told.makeAsyncIterator()
    await inputs.start()
    await inputs.start()
    await expectEqual(next(1, of: &told), [.level("button", true)])
    // The first one was on its way when the level was read.
    bench.edges([(1, true), (2, false), (3, true)])
    await expectEqual(next(2, of: &told), [.level("button", false), .level("button", true)])
    await inputs.stop()
    bench.tell.finish()
    await expectEqual(next(1, of: &told), [])
  }

  @Test func theLevelIsReadWhereEventsWereLost() async {
    defer { loop.stop() }
    let inputs = inputs()
    var told = bench.told.makeAsyncIterator()
    await inputs.start()
    await expectEqual(next(1, of: &told), [.level("button", false)])
    bench.set(level: true)
    bench.edges([(40, false)])
    await expectEqual(next(1, of: &told), [.level("button", true)])
    bench.edges([(41, false)])
    await expectEqual(next(1, of: &told), [.level("button", false)])
    await inputs.stop()
  }

  @Test func aChipThatGoesIsReportedOnceAndTakenBack() async {
    defer { loop.stop() }
    let inputs = inputs()
    var told = bench.told.makeAsyncIterator()
    await inputs.start()
    await expectEqual(next(1, of: &told), [.level("button", false)])
    bench.fail(Bench.error)
    bench.unplug()
    guard case .fault("button", let gone) = await next(1, of: &told).first else {
      Issue.record("no fault")
      return
    }
    expect(gone.what == "the chip is gone" && gone.device == "input button (GPIO chip relays, line 0)")
    await expectEqual(next(1, of: &told), [.fault("button", Bench.error)])
    bench.set(level: true)
    bench.fail(nil)
    await expectEqual(next(2, of: &told), [.recovered("button"), .level("button", true)])
    await inputs.stop()
  }

  @Test func whatCannotBeOpenedDoesNotKeepOthersFromStarting() async {
    defer { loop.stop() }
    bench.fail(Bench.error)
    let inputs = inputs()
    var told = bench.told.makeAsyncIterator()
    await inputs.start()
    await expectEqual(next(1, of: &told), [.fault("button", Bench.error)])
    bench.fail(nil)
    await expectEqual(next(2, of: &told), [.recovered("button"), .level("button", false)])
    await inputs.stop()
    await inputs.start()
    await expectEqual(next(1, of: &told), [.level("button", false)])
    await inputs.stop()
  }

  @Test func noChipIsAFaultInWords() async {
    defer { loop.stop() }
    let tell = bench.tell
    let line = GPIOLineConfiguration(chip: "no-such-chip", line: .offset(0))
    let inputs = GateInputs(
      gate: GateID("north"), inputs: [InputConfiguration(name: "button", line: line)], loop: loop,
      onChange: { name, isActive, _ in tell.yield(.level(name, isActive)) }, onFault: { tell.yield(.fault($0, $1)) })
    var told = bench.told.makeAsyncIterator()
    await inputs.start()
    guard case .fault("button", let error) = await next(1, of: &told).first else {
      Issue.record("no fault")
      return
    }
    expectEqual(error.device, "input button (GPIO chip no-such-chip, line 0)")
    await inputs.stop()
  }

  /// A line with a buffer that drops its oldest events: after each turn the tracker knows the level.
  @Test func theTrackerEndsAtTheLevelWhateverIsLost() {
    print("seed 21")
    var random = SeededGenerator(seed: 21)
    for _ in 0..<300 {
      var level = Bool.random(using: &random)
      var tracker = EdgeTracker(isActive: level)
      var known = level
      // Numbers wrap around where a line has lived long enough; the first turn begins at 1.
      var sequence: UInt32 = 0
      for _ in 0..<20 {
        var waiting: [(UInt32, Bool)] = []
        for _ in 0..<Int.random(in: 0...30, using: &random) {
          level.toggle()
          sequence &+= 1
          waiting.append((sequence, level))
          if waiting.count > 16 { waiting.removeFirst() }
        }
        var isLost = false
        for (sequence, level) in waiting {
          switch tracker.event(sequence: sequence, isActive: level) {
          case .changed(let level):
            expect(level != known)
            known = level
          case .lost: isLost = true
          case .same: break
          }
        }
        if isLost, tracker.level(level) { known = level }
        expectEqual(known, level)
      }
    }
  }

  @Test func numbersWrapAround() {
    var tracker = EdgeTracker(isActive: false)
    expectEqual(tracker.event(sequence: .max, isActive: true), .lost)
    expectEqual(tracker.event(sequence: 0, isActive: true), .changed(true))
    expectEqual(tracker.event(sequence: 1, isActive: true), .same)
  }
}
