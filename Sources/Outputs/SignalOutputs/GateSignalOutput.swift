package import ScanModel

/// The face of a gate's outputs towards the gate: signals and admissions, nothing of their life.
package final class GateSignalOutput: SignalOutput {
  private let outputs: GateOutputs

  /// Makes the face of `outputs`, which somebody else starts and stops.
  package init(_ outputs: GateOutputs) { self.outputs = outputs }

  package func play(_ signal: Signal) { outputs.post(signal) }

  /// See `SignalOutput.admissionFault`: the relay's fault, or that the outputs do not run. A relay at rest is looked after
  /// every 5 s, so a board that went away is known by then at the latest. Failed lamps are no obstacle.
  package var admissionFault: String? { outputs.admissionFault }

  /// Opens the gate for one person; see `SignalOutput.admit`. Where the outputs are not started or are stopped, and where
  /// the relay does not work, the answer is `failed`.
  package func admit(isProvisional: Bool) async -> PulseOutcome { await outputs.admit(isProvisional: isProvisional) }
}
