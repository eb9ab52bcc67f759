internal import LinuxIO
public import ScanConfiguration
public import ScanModel
internal import ScanPipeline
internal import SignalOutputs
internal import Synchronization

/// The outputs of one gate alone, to try its signals without readers or a ticket system.
public struct SignalTrial: Sendable {
  /// Whether the gate has a relay to pulse.
  public let hasRelay: Bool
  private let faults = Faults()
  private let outputs: GateOutputs
  private let signals: GateSignalOutput
  private let loop: DeviceLoop

  /// Makes the trial; nothing is opened before `start`.
  /// - Throws: where the gate's outputs are wrong.
  public init(_ gate: GateConfiguration, log: @escaping @Sendable (String) -> Void) throws(SetupError) {
    do {
      loop = try DeviceLoop(name: "outputs")
    } catch {
      throw SetupError("The outputs' thread cannot be started (\(error.words)).")
    }
    hasRelay = gate.outputs.contains { if case .relay = $0.role { true } else { false } }
    outputs = try Gateway.outputs(of: gate, loop: loop, log: log) { [faults] output in
      faults.names.withLock { _ = $0.insert(output.name) }
    }
    signals = GateSignalOutput(outputs)
  }

  /// The outputs that failed at least once, by name.
  public var brokenOutputs: [String] { faults.names.withLock { $0.sorted() } }

  private final class Faults: Sendable {
    let names = Mutex<Set<String>>([])
  }

  /// Opens the outputs, all off.
  public func start() async { await outputs.start() }

  /// Plays a signal; `admit` pulses the relay.
  /// - Throws: what kept the relay from pulsing.
  public func play(_ signal: Signal) async throws(SetupError) {
    guard signal == .admit else { return signals.play(signal) }
    if case .failed(let words) = await signals.admit() { throw SetupError(words) }
  }

  /// Lets a running pulse end and leaves everything off.
  public func stop() async {
    await outputs.stop()
    loop.stop()
  }
}
