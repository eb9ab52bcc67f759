package import ScanConfiguration
package import ScanModel
internal import Synchronization

/// The outputs of one gate alone, to try its signals without readers or a ticket system.
package struct SignalTrial: Sendable {
  /// The longest that the output holder is waited for.
  private static let patience = Duration.seconds(3)

  /// Whether the gate has a relay to pulse.
  package let hasRelay: Bool
  private let faults = Faults()
  private let outputs: any StationOutputs
  private let signals: any SignalOutput
  private let changes: AsyncStream<Void>
  private let command = OutputCommand()

  /// Makes the trial; nothing is opened before `start`.
  /// - Throws: where the outputs are wrong.
  package init(
    _ configuration: StationConfiguration, gate: GateConfiguration, outputs place: OutputPlace,
    log: @escaping OperatorLines
  ) throws(SetupError) {
    hasRelay = gate.relay != nil
    // The holder is told of all gates: those that are not tried stay as they are. We ourselves open no more than we try.
    var opened = configuration
    if place == .own { opened.gates = [gate] }
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = gate.id
    outputs = try place.outputs(
      of: opened, command: command,
      events: OutputEvents(
        log: log, changed: { _ in change.yield() },
        fault: { [faults] gate, device in if gate == id { faults.devices.withLock { _ = $0.insert(device) } } },
        input: { _, _, _ in }))
    signals = outputs.signals(of: id)
    self.changes = changes
  }

  /// What failed at least once, such as `output green`.
  package var broken: [String] { faults.devices.withLock { $0.sorted() } }

  private final class Faults: Sendable {
    let devices = Mutex<Set<String>>([])
  }

  /// Opens the outputs, all off; returns when the gate could be opened, or tells why it cannot.
  package func start() async throws(SetupError) {
    await outputs.start()
    let waiting = Task { [signals, changes] in
      for await _ in changes where signals.admissionFault == nil { break }
    }
    let alarm = Task {
      try await Task.sleep(for: Self.patience)
      waiting.cancel()
    }
    if signals.admissionFault != nil { await waiting.value }
    waiting.cancel()
    alarm.cancel()
    if let fault = signals.admissionFault { throw SetupError(fault) }
  }

  /// Plays a signal; `admit` and `provisional` pulse the relay.
  /// - Throws: what kept the relay from pulsing.
  package func play(_ signal: Signal) async throws(SetupError) {
    guard signal == .admit || signal == .provisional else { return signals.play(signal) }
    switch await signals.admit(isProvisional: signal == .provisional) {
    case .started, .noRelay: break
    case .failed(let words), .unanswered(let words): throw SetupError(words)
    }
  }

  /// Lets a running pulse end and leaves everything off.
  package func stop() async {
    await outputs.stop()
    await command.end()
  }
}
