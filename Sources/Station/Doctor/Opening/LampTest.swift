package import Gateway
package import ScanConfiguration
package import ScanModel
package import StationProtocol

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
  ///   - outputs: who drives them, while the service does not run.
  ///   - pause: how long each signal is looked at.
  package init(_ configuration: StationConfiguration, outputs: OutputPlace, pause: Duration = .milliseconds(1_200)) {
    self.configuration = configuration
    self.outputs = outputs
    self.pause = pause
  }

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

/// The same where the service runs, which has the lamps: it plays them by order, and only at gates that are in maintenance. Whoever stands
/// at another one is not to be turned away by a test.
package struct OrderedLampTest: Sendable {
  /// Gives an order; `nil` where no answer comes.
  package typealias Perform = @Sendable (StationOrder.Action) async -> OrderOutcome?

  private let configuration: StationConfiguration
  private let pause: Duration
  private let perform: Perform

  /// - Parameter pause: how long each signal is looked at.
  package init(
    _ configuration: StationConfiguration, pause: Duration = .milliseconds(1_200), perform: @escaping Perform
  ) {
    self.configuration = configuration
    self.pause = pause
    self.perform = perform
  }

  /// Plays them.
  /// - Parameters:
  ///   - station: how the service says that it is.
  ///   - onGate: told of each gate before its lamps.
  package func findings(
    _ station: StationSnapshot, onGate: @Sendable (GateID) -> Void = { _ in }
  ) async -> [Finding] {
    var findings: [Finding] = []
    for gate in configuration.gates where !gate.outputs.isEmpty {
      let place = "gates.\(gate.id).outputs"
      guard station.gates.contains(where: { $0.id == gate.id && $0.condition.state == "maintenance" }) else {
        findings.append(
          Finding(
            .note, .opening, place, "Its lamps were not tried: it is in service.",
            cure:
              "sudo scangate maintenance on \(gate.id), this once more, and: sudo scangate maintenance off \(gate.id)"))
        continue
      }
      onGate(gate.id)
      findings.append(await play(gate.id, place))
    }
    return findings
  }

  private func play(_ gate: GateID, _ place: String) async -> Finding {
    for signal in LampTest.signals where !Task.isCancelled {
      switch await perform(.signalTest(gate, signal)) {
      case .done, .decided, .found, .picture: try? await Task.sleep(for: pause)
      case .refused(_, let words):
        return Finding(.warning, .opening, place, "Its lamps could not be tried. \(words)", cure: "scangate status")
      case .unknown, nil:
        return Finding(
          .warning, .opening, place, "Whether its lamps were tried is not known: the service does not answer.",
          cure: "systemctl status scangate")
      }
    }
    return Finding(.good, .opening, place, "Its lamps and sounds were played by the service; its relay was not moved.")
  }
}
