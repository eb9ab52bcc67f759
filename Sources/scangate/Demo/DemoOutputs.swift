import ScanModel
import SignalOutputs
import Synchronization

/// The devices of the demo: instead of lines and LEDs, the terminal is told what they would do.
final class DemoOutputs: OutputDriver {
  private let states = Mutex<[OutputName: Bool]>([:])
  private let changes: AsyncStream<(OutputName, Bool)>.Continuation

  /// What goes on and off, in order; each change once.
  let switched: AsyncStream<(OutputName, Bool)>

  init() { (switched, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024)) }

  func set(_ output: OutputName, on: Bool) throws(DeviceError) {
    let isNew = states.withLock { states in
      defer { states[output] = on }
      return (states[output] ?? false) != on
    }
    if isNew { changes.yield((output, on)) }
  }

  func close() { changes.finish() }
}
