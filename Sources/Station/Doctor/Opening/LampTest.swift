package import Gateway
package import ScanConfiguration
package import ScanModel

/// Plays what lamps and buzzers do, gate after gate, for somebody who watches. No signal of it pulses a relay.
package struct LampTest: Sendable {
  /// What is played: all colours and sounds of a station as it is usually configured.
  package static let signals: [Signal] = [
    .busy, .refuse(.notFound), .undecided(.unreachable), .offline, .outOfService, .idle,
  ]

  private let configuration: StationConfiguration
  private let outputs: OutputPlace
  private let pause: Duration

  /// - Parameters:
  ///   - outputs: who drives them; the service does not run.
  ///   - pause: how long each signal is looked at.
  package init(_ configuration: StationConfiguration, outputs: OutputPlace, pause: Duration = .milliseconds(1_200)) {
    self.configuration = configuration
    self.outputs = outputs
    self.pause = pause
  }

  /// What is said instead, where the service has the lamps.
  package static let isTaken = Finding(
    .note, .opening, "lamps", "They were not tried: the service runs, and they are its own.",
    cure:
      "Look at the lamps while somebody presents a code, or: sudo systemctl stop scangate && sudo scangate doctor --opening FILE"
  )

  /// Plays them.
  /// - Parameter onGate: told of each gate before its lamps.
  package func findings(onGate: @Sendable (GateID) -> Void = { _ in }) async -> [Finding] {
    var findings: [Finding] = []
    for gate in configuration.gates where !gate.outputs.isEmpty {
      onGate(gate.id)
      findings += await play(gate)
    }
    return findings
  }

  private func play(_ gate: GateConfiguration) async -> [Finding] {
    let place = "gates.\(gate.id).outputs"
    let cure = "scangate devices; sudo scangate signal test \(gate.id)"
    do throws(SetupError) {
      let trial = try SignalTrial(configuration, gate: gate, outputs: outputs, log: { _, _ in })
      do throws(SetupError) {
        try await trial.start()
        for signal in Self.signals where !Task.isCancelled {
          try await trial.play(signal)
          try? await Task.sleep(for: pause)
        }
      } catch {
        await trial.stop()
        throw error
      }
      await trial.stop()
      if trial.broken.isEmpty {
        return [Finding(.good, .opening, place, "Its lamps and sounds were played; its relay was not moved.")]
      }
      return trial.broken.map { Finding(.warning, .opening, place, "The \($0) did not work.", cure: cure) }
    } catch {
      // It says what keeps the relay from being had: then nobody is admitted.
      return [Finding(.fault, .opening, place, error.description, cure: cure)]
    }
  }
}
