import HolderProtocol
import LinuxIO
import ScanModel
import SignalOutputs
import Synchronization

/// One gate that is held: its outputs, its inputs and their thread.
final class HeldGate: Sendable {
  let part: OutputPlan.Gate
  let outputs: GateOutputs
  private let inputs: GateInputs
  private let loop: DeviceLoop
  private let pulses: PulseRecord?
  private let hasTurned = Mutex(true)

  /// What a gate tells; called on its thread.
  struct Listener: Sendable {
    var told: @Sendable (HolderMessage) -> Void
    var log: HolderLog
    var isAwaited: @Sendable () -> Bool
  }

  /// Makes the gate; nothing is opened before `start`.
  /// - Parameter runtime: the directory that pulses are recorded in; `nil` where nobody does.
  init(
    _ part: OutputPlan.Gate, runtime: String?, driver: any OutputDriver, listener: Listener
  ) throws(SystemError) {
    self.part = part
    // A thread for each gate: a slow board at one of them lengthens no pulse at another.
    loop = try DeviceLoop(name: "out \(part.id)")
    var pulses: PulseRecord?
    if let runtime {
      do throws(SystemError) {
        pulses = try PulseRecord(of: part, in: runtime)
      } catch {
        listener.log(.warning, "Gate \(part.id): pulses cannot be recorded in \(runtime) (\(error.words)).")
      }
    }
    self.pulses = pulses
    let gate = part.id
    var watching = GateOutputs.Watching()
    watching.isAwaited = listener.isAwaited
    watching.onPulse = { [pulses] in pulses?.record($0) }
    watching.onObstacle = { listener.told(.gateState(gate, admissionFault: $0)) }
    watching.onFault = { output, error in
      listener.log(.error, "Gate \(gate): \(error.description)")
      listener.told(.fault(gate, "output \(output)", error.description))
    }
    watching.onRecovery = { output in
      listener.log(.notice, "Gate \(gate), output \(output) works again.")
      listener.told(.recovered(gate, "output \(output)"))
    }
    inputs = GateInputs(
      gate: gate, inputs: part.inputs, loop: loop,
      onChange: { listener.told(.input(gate, $0, isActive: $1, at: $2)) },
      onFault: { input, error in
        listener.log(.error, "Gate \(gate): \(error.description)")
        listener.told(.fault(gate, "input \(input)", error.description))
      },
      onRecovery: { input in
        listener.log(.notice, "Gate \(gate), input \(input) works again.")
        listener.told(.recovered(gate, "input \(input)"))
      })
    let kinds = Dictionary(part.outputs.map { ($0.name, $0.kind) }) { _, last in last }
    do throws(SignalError) {
      outputs = try GateOutputs(
        gate: gate, outputs: kinds, timing: part.timing, safeState: part.safeState, patterns: part.patterns,
        driver: driver, loop: loop, watching: watching)
    } catch {
      // Two relays, which no plan without a problem has.
      loop.stop()
      throw SystemError(errno: 22, call: "plan")
    }
  }

  /// Opens the outputs, and ends a pulse of a predecessor when it would have ended.
  /// - Parameter started: called when they are at rest or in that pulse; on the gate's thread.
  func start(commanded: Bool, then started: @escaping @Sendable () -> Void) {
    let end = pulses?.end()
    outputs.perform { [inputs] outputs in
      outputs.start(commanded: commanded, resuming: end)
      // The same thread.
      inputs.assumeIsolated { $0.start() }
      started()
    }
  }

  /// Ends the outputs after a pulse that runs, and then the thread.
  func stop(leavingSafeState: Bool, then ended: @escaping @Sendable () -> Void) {
    outputs.perform { [inputs, loop] outputs in
      inputs.assumeIsolated { $0.stop() }
      outputs.stop(leavingSafeState: leavingSafeState) {
        ended()
        loop.stop()
      }
    }
  }

  /// Whether the thread has turned since this was last asked with the answer yes.
  func takeTurn() -> Bool {
    let turned = hasTurned.withLock { exchange(&$0, with: false) }
    if turned { outputs.perform { _ in self.hasTurned.withLock { $0 = true } } }
    return turned
  }
}
