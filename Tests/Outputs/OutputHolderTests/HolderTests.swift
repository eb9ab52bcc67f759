import CLinux
import Expectations
import Glibc
import HolderClient
import HolderProtocol
import LinuxIO
import ScanModel
import Signalling
import SignalOutputs
import Testing

/// Real processes on both ends, which are stopped and killed.
@Suite(.serialized, .timeLimit(.minutes(2))) struct HolderTests {
  private let place: Place

  init() throws { place = try Place() }

  private func started(_ outcome: PulseOutcome) throws -> (start: Int64, end: Int64) {
    guard case .started(let start, let end) = outcome else {
      Issue.record("no pulse: \(outcome)")
      throw CancellationError()
    }
    return (start.nanoseconds, end.nanoseconds)
  }

  @Test func anAdmissionPulsesAndTheNextOneWaits() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Gateway(place, plan())
    await gateway.outputs.start()
    await gateway.ready()
    let output = gateway.outputs.output(of: GateID("north"))
    async let one = output.admit(isProvisional: false)
    async let two = output.admit(isProvisional: false)
    let pulses = try await [started(one), started(two)].sorted { $0.start < $1.start }
    expect(pulses.allSatisfy { $0.end - $0.start == 400_000_000 })
    expect(pulses[1].start >= pulses[0].end + 100_000_000)
    expect(try Child.time(try await holder.next("on relay")) <= pulses[0].start)
    expect(try Child.time(try await holder.next("off relay")) >= pulses[0].end)
    expect(try Child.time(try await holder.next("on relay")) <= pulses[1].start)
    expect(try Child.time(try await holder.next("off relay")) >= pulses[1].end)
    output.play(.refuse(.unpaid))
    try await holder.next("on red")
    await gateway.outputs.stop()
    try await holder.next("goodbye")
    guard case .failed = await output.admit(isProvisional: false) else {
      Issue.record("admitted after the stop")
      return
    }
  }

  @Test func whatIsProvisionalLooksSoAndPulsesAlike() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    var plan = try plan()
    plan.gates[0].patterns = SignalPatterns(
      provisional: SignalPattern(["red": try .on(for: .milliseconds(100))]), offline: SignalPattern(["red": .steady]))
    let gateway = try Gateway(place, plan)
    await gateway.outputs.start()
    await gateway.ready()
    let output = gateway.outputs.output(of: GateID("north"))
    let pulse = try await started(output.admit(isProvisional: true))
    expectEqual(pulse.end - pulse.start, 400_000_000)
    try await holder.next("on relay")
    try await holder.next("on red")
    try await holder.next("off red")
    output.play(.offline)
    try await holder.next("on red")
    await gateway.outputs.stop()
  }

  @Test(arguments: SafeState.allCases) func aGatewayThatIsKilledLeavesAWholePulse(safeState: SafeState) async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Child(["command", place.socket, safeState.rawValue])
    try await gateway.next("ready")
    gateway.tell("admit")
    let on = try Child.time(try await holder.next("on relay"))
    try await gateway.next("started")
    gateway.send(SIGKILL)
    try await holder.next("uncommanded")
    let next = try await holder.next(" relay ")
    expect(try Child.time(next) >= on + 700_000_000)
    expect(next.contains(safeState == .safe ? "on relay" : "off relay"))
    // Held, and told so again.
    let again = try await holder.next(" relay ")
    expect(again.contains(safeState == .safe ? "on relay" : "off relay"))
    let successor = try Gateway(place, plan(pulse: 700, safeState: safeState))
    await successor.outputs.start()
    await successor.ready()
    _ = try await started(successor.outputs.output(of: GateID("north")).admit(isProvisional: false))
    await successor.outputs.stop()
  }

  @Test func aGatewayThatIsStoppedIsSilentAndComesBack() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Child(["command", place.socket, "secure"])
    try await gateway.next("ready")
    gateway.stop()
    try await holder.next("was silent")
    try await holder.next("on red")
    gateway.send(SIGCONT)
    try await gateway.next("fault")
    try await gateway.next("ready")
    gateway.tell("admit")
    try await gateway.next("started")
  }

  @Test func aHolderThatIsStoppedOpensNothingLater() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Gateway(place, plan())
    await gateway.outputs.start()
    await gateway.ready()
    let output = gateway.outputs.output(of: GateID("north"))
    holder.stop()
    guard case .unanswered(let words) = await output.admit(isProvisional: false) else {
      Issue.record("an answer of a holder that is stopped")
      return
    }
    expect(words.contains("may have opened"))
    expectEqual(output.admissionFault?.contains("does not answer"), true)
    guard case .failed = await output.admit(isProvisional: false) else {
      Issue.record("admitted while the holder is stopped")
      return
    }
    holder.send(SIGCONT)
    await gateway.ready()
    let asked = SystemTime().now().nanoseconds
    _ = try await started(output.admit(isProvisional: false))
    expect(try Child.time(try await holder.next("on relay")) >= asked)
    expect(!holder.seen.dropLast().contains { $0.contains("on relay") })
    await gateway.outputs.stop()
  }

  @Test func whetherARelayThatErrsHasOpenedIsNotMadeUp() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Gateway(place, plan(["doubtful"]))
    await gateway.outputs.start()
    await gateway.ready(GateID("doubtful"))
    let outcome = await gateway.outputs.output(of: GateID("doubtful")).admit(isProvisional: false)
    guard case .unanswered(let words) = outcome else {
      Issue.record("it is sure of what nobody knows: \(outcome)")
      return
    }
    expect(words.contains("may have opened") && words.contains("it errs"))
    await gateway.outputs.stop()
  }

  @Test func anAdmissionThatWaitsIsNotCarriedOutAfterAStop() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Gateway(place, plan(gap: 0))
    await gateway.outputs.start()
    await gateway.ready()
    let output = gateway.outputs.output(of: GateID("north"))
    _ = try await started(output.admit(isProvisional: false))
    async let waiting = output.admit(isProvisional: false)
    // The waiting one was taken: what was played after it is seen.
    try await holder.next("on relay")
    await gateway.outputs.heartbeat()
    output.play(.refuse(.unpaid))
    try await holder.next("on red")
    holder.stop()
    guard case .unanswered = await waiting else {
      Issue.record("an answer of a holder that is stopped")
      return
    }
    // Without a gap it would begin in the moment in which the late pulse ends.
    holder.send(SIGCONT)
    try await holder.next("off relay")
    await gateway.ready()
    let asked = SystemTime().now().nanoseconds
    _ = try await started(output.admit(isProvisional: false))
    expect(try Child.time(try await holder.next("on relay")) >= asked)
    await gateway.outputs.stop()
  }

  @Test func aHolderThatIsKilledHasItsPulseEndedByItsSuccessor() async throws {
    let first = try place.holder()
    try await first.next("listening")
    let gateway = try Gateway(place, plan(pulse: 2_500))
    await gateway.outputs.start()
    await gateway.ready()
    let pulse = try await started(gateway.outputs.output(of: GateID("north")).admit(isProvisional: false))
    // Another gate's plan was kept, too.
    while access("\(place.path)/state/plan", F_OK) != 0 { await gateway.outputs.heartbeat() }
    first.killAndWait()
    expect(await gateway.fault("does not answer") != nil)
    let second = try place.holder()
    let relay = try await second.next(" relay ")
    expect(relay.contains("off relay"))
    expect(try Child.time(relay) >= pulse.end)
    await gateway.ready()
    _ = try await started(gateway.outputs.output(of: GateID("north")).admit(isProvisional: false))
    await gateway.outputs.stop()
  }

  @Test func theSafeStateOfTheLastPlanIsHeldBeforeItIsReady() async throws {
    let first = try place.holder()
    try await first.next("listening")
    let gateway = try Gateway(place, plan(safeState: .safe))
    await gateway.outputs.start()
    await gateway.ready()
    while access("\(place.path)/state/plan", F_OK) != 0 { await gateway.outputs.heartbeat() }
    await gateway.outputs.stop()
    first.killAndWait()
    let notify = clinux_unix_socket(Int32(SOCK_DGRAM.rawValue))
    defer { close(notify) }
    let path = "\(place.path)/notify"
    try #require(clinux_unix_bind(notify, path) == 0)
    let second = try place.holder(environment: ["NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=2000000"])
    var states: Set<String> = []
    while !states.isSuperset(of: ["READY=1", "WATCHDOG=1"]) {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = clinux_receive(notify, &buffer, buffer.count, nil)
      if count > 0 {
        states.insert(String(decoding: buffer.prefix(count), as: UTF8.self))
      } else {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    try await second.next("on relay")
    expect(!second.seen.contains { $0.contains("off relay") })
  }

  @Test func aSecondGatewayIsRefusedInWords() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let first = try Child(["command", place.socket, "secure"])
    try await first.next("ready")
    let second = try Gateway(place, plan())
    await second.outputs.start()
    expect(await second.fault("another gateway (process \(first.process) ") != nil)
    first.tell("admit")
    try await first.next("started")
    first.send(SIGKILL)
    await second.ready()
    await second.outputs.stop()
  }

  @Test func whatIsNotUnderstoodEndsTheConnectionOnly() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let hello = GatewayMessage.hello(version: HolderLimits.version, heartbeat: .milliseconds(250)).bytes
    let bad: [([[UInt8]], String)] = [
      ([[0xFF, 0xFF]], "not understood"), ([GatewayMessage.hello(version: 9, heartbeat: .zero).bytes], "version 9"),
      ([GatewayMessage.hello(version: HolderLimits.version - 1, heartbeat: .milliseconds(250)).bytes], "one release"),
      ([GatewayMessage.plan(try plan()).bytes], "before its time"), ([hello, [2, 0xFF, 0xFF]], "not understood"),
      ([hello, GatewayMessage.plan(OutputPlan(gates: try plan().gates + plan().gates)).bytes], "two gates north"),
      (
        [hello, GatewayMessage.admit(GateID("north"), id: 1, sentAt: SystemTime().now(), isProvisional: false).bytes],
        "before its time"
      ),
      ([GatewayMessage.hello(version: HolderLimits.version, heartbeat: .seconds(9)).bytes], "too seldom"),
      ([[UInt8](repeating: 1, count: 70_000)], "more than 65536"),
    ]
    for (packets, words) in bad {
      let socket = try PacketSocket(connectingTo: place.socket)
      for packet in packets { expect(socket.send(packet)) }
      let line = try await holder.next(words)
      expect(line.contains("log "))
      var last: HolderMessage?
      reading: while true {
        switch socket.receive(limit: HolderLimits.maximumPacket) {
        case .packet(let bytes): last = try HolderMessage(bytes: bytes)
        case .nothing: try await Task.sleep(for: .milliseconds(2))
        case .tooLong, .end: break reading
        }
      }
      guard case .refused(let told) = last else {
        Issue.record("ended without words: \(words)")
        continue
      }
      expect(told.contains(words))
    }
    let gateway = try Gateway(place, plan())
    await gateway.outputs.start()
    await gateway.ready()
    _ = try await started(gateway.outputs.output(of: GateID("north")).admit(isProvisional: false))
    await gateway.outputs.stop()
  }

  @Test(arguments: [-1, 600, 5_000, -1_000_000]) func anAdmissionOfAnotherTimeOpensNothing(age: Int) async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let socket = try PacketSocket(connectingTo: place.socket)
    let sentAt = SystemTime().now() - .milliseconds(age) + (age < 0 ? .seconds(1) : .zero)
    for message: GatewayMessage in [
      .hello(version: HolderLimits.version, heartbeat: HolderLimits.heartbeat), .plan(try plan()),
    ] { expect(socket.send(message.bytes)) }
    try await holder.next("commanded by")
    expect(socket.send(GatewayMessage.admit(GateID("north"), id: 7, sentAt: sentAt, isProvisional: false).bytes))
    while true {
      guard case .packet(let bytes) = socket.receive(limit: HolderLimits.maximumPacket) else {
        try await Task.sleep(for: .milliseconds(2))
        continue
      }
      guard case .admitted(7, let outcome) = try HolderMessage(bytes: bytes) else { continue }
      guard case .failed(let words) = outcome else {
        Issue.record("opened: \(outcome)")
        break
      }
      expect(words.contains("too late"))
      break
    }
    expect(!holder.seen.contains { $0.contains("on relay") })
  }

  @Test func aPlanThatChangesEndsNoPulseAndTouchesNoOtherGate() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let old = try plan(["north", "south"], pulse: 1_500)
    let first = try Gateway(place, old)
    await first.outputs.start()
    await first.ready()
    await first.ready(GateID("south"))
    let pulse = try await started(first.outputs.output(of: GateID("north")).admit(isProvisional: false))
    await first.outputs.stop()
    try await holder.next("goodbye")
    let mark = holder.seen.count
    var new = old
    new.gates[0].timing = try RelayTiming(pulse: .milliseconds(300), gap: .zero)
    let second = try Gateway(place, new)
    await second.outputs.start()
    await second.ready()
    let shorter = try await started(second.outputs.output(of: GateID("north")).admit(isProvisional: false))
    expectEqual(shorter.end - shorter.start, 300_000_000)
    expect(shorter.start >= pulse.end)
    let off = try await holder.next("north off relay")
    expect(try Child.time(off) >= pulse.end)
    try await holder.next("north closed")
    try await holder.next("north on relay")
    expect(!holder.seen[mark...].contains("south closed"))
    expect(!holder.seen[mark...].contains { $0.hasPrefix("south on relay") })
    await second.outputs.stop()
  }

  @Test func aStopLeavesTheSafeState() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Gateway(place, plan(safeState: .safe))
    await gateway.outputs.start()
    await gateway.ready()
    let pulse = try await started(gateway.outputs.output(of: GateID("north")).admit(isProvisional: false))
    holder.closeInput()
    try await holder.next("closed")
    try await holder.next("stopped")
    expect(SystemTime().now().nanoseconds >= pulse.end)
    expectEqual(holder.seen.last { $0.contains(" relay ") }?.contains("on relay"), true)
    expect(await gateway.fault("does not answer") != nil)
    await gateway.outputs.stop()
  }
}
