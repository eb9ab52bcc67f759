import Expectations
import HolderProtocol
import ScanModel
import Signalling
import SignalOutputs
import Testing
import WireCoding

@Suite struct WireTests {
  @Test(arguments: 0..<200) func whatIsSentArrives(seed: Int) throws {
    var random = RandomMessages(seed: seed)
    for _ in 0..<20 {
      let request = try random.fromGateway()
      try expectEqual(GatewayMessage(bytes: request.bytes), request, "seed \(seed)")
      let answer = random.fromHolder()
      try expectEqual(HolderMessage(bytes: answer.bytes), answer, "seed \(seed)")
    }
    let plan = try random.plan()
    try expectEqual(OutputPlan(bytes: plan.bytes), plan, "seed \(seed)")
    try expectEqual(OutputPlan(bytes: plan.bytes).bytes, plan.bytes, "seed \(seed)")
  }

  /// Random bytes and damaged packets are refused or are messages; they do nothing else. A plan that is read can be asked
  /// for its problem.
  @Test(arguments: 0..<400) func whateverComesIsRefusedOrRead(seed: Int) throws {
    var random = RandomMessages(seed: seed &+ 50_000)
    for _ in 0..<50 {
      let request = try random.fromGateway().bytes
      for bytes in [random.mutate(request), (0..<random.below(80)).map { _ in UInt8(random.below(256)) }] {
        if case .plan(let plan) = try? GatewayMessage(bytes: bytes) { _ = plan.problem }
        _ = try? HolderMessage(bytes: bytes)
      }
      _ = try? HolderMessage(bytes: random.mutate(random.fromHolder().bytes))
    }
  }

  @Test func lengthsAreBounded() throws {
    // A list that claims more than a packet has, and one that claims more than any may have.
    #expect(throws: WireError.self) { try OutputPlan(bytes: [64, 0]) }
    let error = #expect(throws: WireError.self) { try OutputPlan(bytes: [0xFF, 0xFF]) }
    expectEqual(error?.description, "a list of 65535 is longer than 64")
    #expect(throws: WireError.self) {
      try GatewayMessage(bytes: [3, 0x00, 0x10] + [UInt8](repeating: 65, count: 4_096))
    }
    #expect(throws: WireError.self) { try GatewayMessage(bytes: []) }
    #expect(throws: WireError.self) { try GatewayMessage(bytes: [5, 0]) }
  }

  @Test func longWordsAreCutBetweenCharacters() throws {
    let message = HolderMessage.notice(String(repeating: "ü", count: 3_000))
    try expectEqual(HolderMessage(bytes: message.bytes), .notice(String(repeating: "ü", count: 2_048)))
  }

  @Test func anotherVersionIsReadAsFarAsItsNumber() throws {
    let hello = GatewayMessage.hello(version: 7, heartbeat: .milliseconds(250))
    try expectEqual(GatewayMessage(bytes: hello.bytes + [1, 2, 3]), hello)
  }

  @Test func thePacketOfAnAdmissionStaysAsItIs() {
    for isProvisional in [false, true] {
      let message = GatewayMessage.admit(
        GateID("n"), id: 258, sentAt: MonotonicTime(nanoseconds: 1), isProvisional: isProvisional)
      let bytes: [UInt8] = [4, 1, 0, 110, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, isProvisional ? 1 : 0]
      expectEqual(message.bytes, bytes)
      // One of the version before it, which did not say, opens nothing.
      #expect(throws: WireError.self) { try GatewayMessage(bytes: bytes.dropLast()) }
    }
  }

  @Test func aStationOfManyGatesFitsIntoAPacket() {
    let kinds: [OutputName: OutputKind] = [
      "relay": .relay, "green": .lamp, "red": .lamp, "amber": .lamp, "buzzer": .buzzer,
    ]
    let gates = (0..<HolderLimits.maximumGates).map { number in
      OutputPlan.Gate(
        id: GateID("gate-\(number)"),
        outputs: kinds.sorted { $0.key < $1.key }.enumerated().map { index, output in
          let line = GPIOLineConfiguration(chip: "gate", line: .offset(UInt32(8 * number + index)))
          return OutputConfiguration(name: output.key, kind: output.value, target: .gpio(line))
        }, patterns: .standard(for: kinds))
    }
    let plan = OutputPlan(gates: gates)
    expect(plan.problem == nil)
    expect(GatewayMessage.plan(plan).bytes.count <= HolderLimits.maximumPacket)
  }

  @Test func aPlanSaysWhatIsWrongWithIt() {
    func gate(_ name: String, _ outputs: [OutputConfiguration], inputs: [InputConfiguration] = []) -> OutputPlan.Gate {
      OutputPlan.Gate(id: GateID(name), outputs: outputs, inputs: inputs, patterns: SignalPatterns())
    }
    func output(_ name: OutputName, _ kind: OutputKind, _ line: UInt32) -> OutputConfiguration {
      OutputConfiguration(name: name, kind: kind, target: .gpio(GPIOLineConfiguration(chip: "a", line: .offset(line))))
    }
    let good = gate("north", [output("relay", .relay, 1), output("green", .lamp, 2)])
    expect(OutputPlan(gates: []).problem == nil)
    expect(OutputPlan(gates: [good]).problem == nil)
    expectEqual(OutputPlan(gates: [good, good]).problem, "there are two gates north")
    expectEqual(OutputPlan(gates: [good, gate("south", [output("red", .lamp, 2)])]).problem?.contains("already"), true)
    expect(OutputPlan(gates: [gate("", [])]).problem != nil)
    expect(OutputPlan(gates: [gate("a", [output("r", .relay, 1), output("s", .relay, 2)])]).problem != nil)
    expect(OutputPlan(gates: [gate("a", [output("r", .lamp, 1), output("r", .lamp, 2)])]).problem != nil)
    expect(
      OutputPlan(gates: [gate("a", [OutputConfiguration(name: "b", kind: .lamp, target: .led(""))])]).problem != nil)
  }
}
