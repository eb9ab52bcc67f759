public import ScanModel
public import ScanPipeline
import Synchronization

/// Drives the real devices of a gate: GPIO lines and LEDs.
///
/// A device is opened when it is first switched. When a device that was open fails, it is opened anew and switched once more
/// before the failure is reported: a board that was unplugged and came back costs nobody an admission.
public final class DeviceOutputDriver: OutputDriver {
  private enum Handle: Sendable {
    case line(GPIOLine)
    case led(LEDOutput)

    func set(_ isOn: Bool) throws(DeviceError) {
      switch self {
      case .line(let line): try line.set(isOn)
      case .led(let led): try led.set(isOn)
      }
    }
  }

  private let targets: [OutputName: OutputTarget]
  private let notice: @Sendable (String) -> Void
  private let ledDirectory: String
  private let handles = Mutex<[OutputName: Handle]>([:])

  /// Makes the driver; no device is opened yet.
  /// - Parameters:
  ///   - outputs: the gate's outputs; of several with one name the last one counts.
  ///   - notice: told, in words, what was changed on a device that another program may have set up. Called on the thread
  ///     that switches.
  public convenience init(
    outputs: [OutputConfiguration], notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(outputs: outputs, ledDirectory: LEDOutput.directory, notice: notice)
  }

  init(
    outputs: [OutputConfiguration], ledDirectory: String, notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    targets = Dictionary(outputs.map { ($0.name, $0.target) }) { _, last in last }
    self.ledDirectory = ledDirectory
    self.notice = notice
  }

  public func set(_ output: OutputName, on: Bool) throws(DeviceError) {
    if let handle = handles.withLock({ $0[output] }) {
      do throws(DeviceError) {
        return try handle.set(on)
      } catch {
        // Closed before it is opened again: a line that we still hold ourselves would be busy.
        handles.withLock { $0[output] = nil }
      }
    }
    try switchAnew(output, on: on)
  }

  public func close() { handles.withLock { $0.removeAll() } }

  private func switchAnew(_ output: OutputName, on: Bool) throws(DeviceError) {
    let handle = try open(output)
    try handle.set(on)
    handles.withLock { $0[output] = handle }
  }

  private func open(_ output: OutputName) throws(DeviceError) -> Handle {
    switch targets[output] {
    case .gpio(let line): return .line(try GPIOLine(line, output: output.name))
    case .led(let name):
      return .led(try LEDOutput(name, output: output.name, directory: ledDirectory, notice: notice))
    case .pwm, .sound:
      throw DeviceError(
        device: "output \(output)", what: "buzzers of this sort are not driven", remedy: "Use a GPIO line or an LED.")
    case nil:
      throw DeviceError(
        device: "output \(output)", what: "it is not configured", remedy: "Add it to the gate's outputs.")
    }
  }
}
