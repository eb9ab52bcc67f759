import Glibc
package import ScanModel
import Synchronization

/// Drives the real devices of a gate: GPIO lines, LEDs, and buzzers on PWM channels and sound devices.
///
/// A device is opened when it is first switched. When a device that was open fails, it is opened anew and switched once more
/// before the failure is reported: a board that was unplugged and came back costs nobody an admission.
package final class DeviceOutputDriver: OutputDriver {
  private enum Handle: Sendable {
    case line(GPIOLine)
    case led(LEDOutput)
    case pwm(PWMOutput)
    case sound(SoundOutput)

    func set(_ isOn: Bool) throws(DeviceError) {
      do throws(DeviceError) {
        switch self {
        case .line(let line): try line.set(isOn)
        case .led(let led): try led.set(isOn)
        case .pwm(let buzzer): try buzzer.set(isOn)
        case .sound(let buzzer): try buzzer.set(isOn)
        }
      } catch {
        throw error.asOfWrite
      }
    }

    /// Ends what would go on without us: a tone lasts after its file is closed.
    func silence() {
      switch self {
      case .line, .led: break
      case .pwm, .sound: try? set(false)
      }
    }
  }

  /// Where the kernel shows devices that have no node of their own, or are found there.
  struct Directories: Sendable {
    var leds = LEDOutput.directory
    var pwm = PWMOutput.directory
    var inputs = SoundOutput.directory
    var inputNodes = "/dev/input"
  }

  private let targets: [OutputName: OutputTarget]
  private let notice: @Sendable (String) -> Void
  private let lines: GPIOLines
  private let ownsLines: Bool
  private let directories: Directories
  private let handles = Mutex<[OutputName: Handle]>([:])
  private let loans = DeviceLoans()

  /// Makes the driver; no device is opened yet.
  /// - Parameters:
  ///   - outputs: the gate's outputs; of several with one name the last one counts.
  ///   - lines: holds the GPIO lines beyond this driver; `nil` where `close` lets go of them.
  ///   - notice: told, in words, what was changed on a device that another program may have set up. Called on the thread
  ///     that switches.
  package convenience init(
    outputs: [OutputConfiguration], lines: GPIOLines? = nil,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(outputs: outputs, lines: lines, directories: Directories(), notice: notice)
  }

  init(
    outputs: [OutputConfiguration], lines: GPIOLines? = nil, directories: Directories,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    targets = Dictionary(outputs.map { ($0.name, $0.target) }) { _, last in last }
    self.lines = lines ?? GPIOLines()
    ownsLines = lines == nil
    self.directories = directories
    self.notice = notice
  }

  package func set(_ output: OutputName, on: Bool) throws(DeviceError) {
    guard let handle = handles.withLock({ $0[output] }) else { return try switchAnew(output, on: on, initially: on) }
    let first: DeviceError
    do throws(DeviceError) {
      return try handle.set(on)
    } catch {
      first = error
    }
    // Closed before it is opened again: a line that we still hold ourselves would be busy.
    forget(output)
    do throws(DeviceError) {
      // At rest, so that a request that fails has surely not switched it.
      try switchAnew(output, on: on, initially: false)
    } catch {
      var error = error
      error.mayHaveHappened = error.mayHaveHappened || first.mayHaveHappened
      throw error
    }
  }

  package func close() {
    for handle in handles.withLock({ exchange(&$0, with: [:]) }).values { handle.silence() }
    loans.giveBack(notice)
    if ownsLines { lines.keepOnly([]) }
  }

  /// - Parameter isOn: a line's first value, where it has to be requested.
  private func switchAnew(_ output: OutputName, on: Bool, initially isOn: Bool) throws(DeviceError) {
    let handle = try open(output, initially: isOn)
    do throws(DeviceError) {
      try handle.set(on)
    } catch {
      forget(output)
      throw error
    }
    handles.withLock { $0[output] = handle }
  }

  private func forget(_ output: OutputName) {
    handles.withLock { $0[output] = nil }
    if case .gpio(let line) = targets[output] { lines.letGo(line) }
  }

  private func open(_ output: OutputName, initially isOn: Bool) throws(DeviceError) -> Handle {
    switch targets[output] {
    case .gpio(let line): return .line(try lines.take(line, output: output.name, initially: isOn))
    case .led(let name):
      return .led(
        try LEDOutput(name, output: output.name, directory: directories.leds, loans: loans, notice: notice))
    case .pwm(let channel):
      return .pwm(try PWMOutput(channel, output: output.name, directory: directories.pwm, loans: loans))
    case .sound(let device):
      return .sound(
        try SoundOutput(device, output: output.name, directory: directories.inputs, nodes: directories.inputNodes))
    case nil:
      throw DeviceError(
        device: "output \(output)", what: "it is not configured", remedy: "Add it to the gate's outputs.")
    }
  }
}

extension DeviceError {
  /// The errors of a write that say that it never came to the device: the kernel had let go of it, or never let us at it. Any other,
  /// such as `EIO` or `ETIMEDOUT` of a board at a bus, can come after the line has switched.
  private static let untouched: Set<Int32> = [
    EBADF, ENOTTY, EFAULT, ENODEV, ENOENT, EACCES, EPERM, EROFS, EMFILE, ENFILE,
  ]

  /// The error of a write to an open device, which tells whether that was done all the same.
  fileprivate var asOfWrite: DeviceError {
    var error = self
    error.mayHaveHappened = errno.map { !Self.untouched.contains($0) } ?? false
    return error
  }
}
