import Signalling
import Expectations
import Glibc
import HolderClient
import HolderProtocol
import LinuxIO
import ScanModel
import ScanTesting
import SignalOutputs
import Testing

/// The same demands on outputs in the gateway's process and in the holder's.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConformanceTests {
  private static let kinds: [OutputName: OutputKind] = ["relay": .relay, "red": .lamp]

  private struct NoOutputs: OutputDriver {
    var isBroken = false
    func set(_ output: OutputName, on: Bool) throws(DeviceError) {
      if isBroken { throw DeviceError(device: "output \(output)", what: "it is broken", remedy: "Mend it.") }
    }
    func close() {}
  }

  private func inProcess(isBroken: Bool = false, loop: DeviceLoop) throws -> GateOutputs {
    try GateOutputs(
      gate: GateID("north"), outputs: Self.kinds,
      timing: RelayTiming(pulse: .milliseconds(60), gap: .milliseconds(40)),
      patterns: .standard(for: Self.kinds), driver: NoOutputs(isBroken: isBroken), loop: loop, onFault: { _, _ in })
  }

  @Test func outputsInTheProcess() async throws {
    let loop = try DeviceLoop(name: "outputs")
    defer { loop.stop() }
    let outputs = try inProcess(loop: loop)
    await outputs.start()
    let face = GateSignalOutput(outputs)
    await expectEqual(
      SignalOutputConformance.problems(
        of: face, pulse: .milliseconds(60), gap: .milliseconds(40), time: SystemTime()), [])
    await outputs.stop()
    await expectEqual(SignalOutputConformance.problemsOfBroken(face), [])
    let broken = try inProcess(isBroken: true, loop: loop)
    await broken.start()
    await expectEqual(SignalOutputConformance.problemsOfBroken(GateSignalOutput(broken)), [])
    await broken.stop()
  }

  @Test func outputsInTheHolder() async throws {
    let place = try Place()
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Gateway(place, plan(["north", "broken"], pulse: 60, gap: 40))
    let face = gateway.outputs.output(of: GateID("north"))
    await expectEqual(SignalOutputConformance.problemsOfBroken(face), [])
    await gateway.outputs.start()
    await gateway.ready()
    await expectEqual(
      SignalOutputConformance.problems(
        of: face, pulse: .milliseconds(60), gap: .milliseconds(40), time: SystemTime()), [])
    expect(await gateway.fault("it is broken", at: GateID("broken")) != nil)
    let broken = gateway.outputs.output(of: GateID("broken"))
    await expectEqual(SignalOutputConformance.problemsOfBroken(broken), [])
    await gateway.outputs.stop()
    await expectEqual(SignalOutputConformance.problemsOfBroken(face), [])
  }
}

/// The real executable: it starts, and is what it should be.
@Suite struct ExecutableTests {
  private func run(_ words: [String]) throws -> Int32 {
    var argv = words.map { strdup($0) } + [nil]
    defer { for pointer in argv { free(pointer) } }
    var id = pid_t()
    var envp: [UnsafeMutablePointer<CChar>?] = [nil]
    try #require(posix_spawn(&id, words[0], nil, nil, &argv, &envp) == 0)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status >> 8
  }

  @Test func itStartsAndAnswers() throws {
    let program = try Child.folder() + "/scangate-outputs"
    try expectEqual(run([program, "--version"]), 0)
    try expectEqual(run([program, "--nonsense"]), 64)
    try expectEqual(run([program, "--socket"]), 64)
    try expectEqual(run([program]), 64)
  }

  @Test(arguments: ["libFoundation", "NIOCore", "liblzma", "libsystemd"]) func itLinksNothingBig(name: String) throws {
    let program = try Child.folder() + "/scangate-outputs"
    try expectEqual(run(["/bin/grep", "-q", "libudev", program]), 0)
    try expectEqual(run(["/bin/grep", "-q", name, program]), 1)
  }
}
