import Signalling
import Glibc
import HolderClient
import HolderProtocol
import LinuxIO
import OutputHolder
import ScanModel
import SignalOutputs
import Synchronization

enum Bench {
  static func say(_ line: String) {
    let text = line + "\n"
    _ = write(STDOUT_FILENO, text, text.utf8.count)
  }

  /// Prints what is switched: `north on relay 123`. A gate called `broken` is; a relay at one called `doubtful` errs when it
  /// is switched on, and nobody knows what it did.
  private struct PrintedOutputs: OutputDriver {
    let gate: GateID
    func set(_ output: OutputName, on: Bool) throws(DeviceError) {
      if gate.name == "broken" {
        throw DeviceError(device: "output \(output)", what: "it is broken", remedy: "Mend it.")
      }
      if gate.name == "doubtful", on, output == "relay" {
        throw DeviceError(device: "output \(output)", what: "it errs", remedy: "Mend it.", mayHaveHappened: true)
      }
      say("\(gate) \(on ? "on" : "off") \(output) \(SystemTime().now().nanoseconds)")
    }
    func close() { say("\(gate) closed") }
  }

  /// Holds until the standard input ends, which stops it as SIGTERM stops the real one.
  static func hold(_ paths: [String]) {
    do {
      let holder = OutputHolder(
        listener: try PacketListener(path: paths[0], mode: 0o600),
        directories: .init(state: paths[1], runtime: paths[2]),
        devices: .init(driver: { gate, _ in PrintedOutputs(gate: gate.id) }), manager: ServiceManager(),
        loop: try DeviceLoop(name: "holder"), log: { say("log \($1)") })
      holder.perform { $0.start() }
      say("listening")
      while readLine() != nil {}
      holder.perform { holder in
        holder.stop {
          say("stopped")
          exit(0)
        }
      }
      while true { pause() }
    } catch {
      say("error \(error)")
    }
  }

  /// A plan of one gate with a relay and a lamp.
  static func plan(_ safeState: SafeState) throws -> OutputPlan {
    let outputs = [
      OutputConfiguration(name: "relay", kind: .relay, target: .gpio(.init(chip: "bench", line: .offset(0)))),
      OutputConfiguration(name: "red", kind: .lamp, target: .gpio(.init(chip: "bench", line: .offset(1)))),
    ]
    return OutputPlan(gates: [
      .init(
        id: GateID("north"), outputs: outputs,
        timing: try RelayTiming(pulse: .milliseconds(700), gap: .milliseconds(100)), safeState: safeState,
        patterns: .standard(for: ["relay": .relay, "red": .lamp]))
    ])
  }

  private final class Face: Sendable {
    let output = Mutex<HeldGateOutput?>(nil)
  }

  /// Commands the holder: each line of the standard input admits once, but for `turn`, which is answered when its thread has
  /// turned.
  static func command(_ words: [String]) {
    do {
      let gate = GateID("north")
      let face = Face()
      var watching = HeldOutputs.Watching()
      watching.onGateChanged = { _ in
        if let face = face.output.withLock({ $0 }) { say(face.admissionFault.map { "fault \($0)" } ?? "ready") }
      }
      watching.log = { say("log \($0)") }
      let outputs = try HeldOutputs(
        path: words[0], plan: try plan(SafeState(rawValue: words[1]) ?? .secure), watching: watching)
      let signals = outputs.output(of: gate)
      face.output.withLock { $0 = signals }
      Task { await outputs.start() }
      while let line = readLine() {
        Task {
          if line == "turn" {
            await outputs.heartbeat()
            say("turned")
          } else {
            say("\(await signals.admit(isProvisional: false))")
          }
        }
      }
      while true { pause() }
    } catch {
      say("error \(error)")
    }
  }
}
