import ScanModel
import SignalOutputs
import Synchronization

/// A driver that records what changes, and fails where a test says so.
final class RecordingDriver: OutputDriver {
  enum Event: Equatable {
    case on(OutputName)
    case off(OutputName)
    case failed(OutputName, on: Bool)
    case closed
    case fault(OutputName, DeviceError)
    case recovered(OutputName)
  }

  /// Everything in its order, faults that the outputs report included.
  let events: AsyncStream<Event>
  let tell: AsyncStream<Event>.Continuation
  private let broken = Mutex<[OutputName: Fault]>([:])
  private let states = Mutex<[OutputName: Bool]>([:])

  private struct Fault {
    var error: DeviceError
    var isOffOnly: Bool
  }

  init() { (events, tell) = AsyncStream.makeStream() }

  /// From now on `output` fails with `error`, perhaps only when it is switched off; works again with `nil`.
  func fail(_ output: OutputName, _ error: DeviceError?, isOffOnly: Bool = false) {
    broken.withLock { $0[output] = error.map { Fault(error: $0, isOffOnly: isOffOnly) } }
  }

  func set(_ output: OutputName, on: Bool) throws(DeviceError) {
    if let fault = broken.withLock({ $0[output] }), !on || !fault.isOffOnly {
      tell.yield(.failed(output, on: on))
      throw fault.error
    }
    let isNew = states.withLock { $0.updateValue(on, forKey: output) != on }
    if isNew { tell.yield(on ? .on(output) : .off(output)) }
  }

  func close() {
    tell.yield(.closed)
    tell.finish()
  }

  static func error(_ what: String) -> DeviceError {
    DeviceError(device: "output x", what: what, remedy: "Mend it.", errno: 19)
  }
}
