import CLinux
import Glibc
import LinuxIO
import ScanModel

/// A GPIO line that we hold as an input and whose changes the kernel tells us, debounced by it.
final class GPIOInput: Sendable {
  /// As many as the kernel keeps of one line.
  private static let mostEvents = 16

  /// A change of the level.
  struct Edge: Equatable {
    /// The kernel's number for it within the request.
    var sequence: UInt32
    /// The level after it.
    var isActive: Bool
    /// When it was.
    var at: MonotonicTime
  }

  /// What is asked of an open line; a test gives its own.
  typealias LevelReader = @Sendable (_ descriptor: Int32) -> Int32

  private let descriptorOwner: OwnedDescriptor
  private let selection: GPIOSelection
  private let readLevel: LevelReader

  /// Finds the line and requests it.
  /// - Parameter directory: where the chips' nodes are.
  convenience init(_ configuration: InputConfiguration, directory: String = "/dev") throws(DeviceError) {
    let selection = GPIOSelection(role: .input, name: configuration.name.name, wanted: configuration.line)
    if let problem = configuration.problem { throw selection.error(problem, "Correct the configuration.") }
    let (chip, offset) = try selection.find(in: directory)
    let debounce = Self.microseconds(configuration.debounce)
    let number = clinux_gpio_request_input(
      chip.descriptor.number, offset, Self.flags(configuration.line), debounce, GPIOSelection.consumer)
    guard number >= 0 else { throw selection.requestFailed(errno: errno, chip, offset) }
    self.init(owning: number, selection: selection) { clinux_gpio_get($0) }
    try checkDebounce(debounce, of: chip, offset)
  }

  /// Takes a line that has been requested.
  init(owning number: Int32, selection: GPIOSelection, readLevel: @escaping LevelReader) {
    descriptorOwner = OwnedDescriptor(owning: number)
    self.selection = selection
    self.readLevel = readLevel
    // A read where nothing is there must not hold up the outputs, which may live on the same thread.
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
  }

  /// The descriptor to wait for.
  var descriptor: Int32 { descriptorOwner.number }

  /// Whether the line is active now, after debouncing.
  func isActive() throws(DeviceError) -> Bool {
    let level = readLevel(descriptor)
    guard level >= 0 else { throw selection.failed(SystemError(errno: errno, call: "GPIO_V2_LINE_GET_VALUES_IOCTL")) }
    return level > 0
  }

  /// The edges that wait, the oldest first; empty when none does.
  func edges() throws(DeviceError) -> [Edge] {
    var events = [gpio_v2_line_event](repeating: gpio_v2_line_event(), count: Self.mostEvents)
    let size = MemoryLayout<gpio_v2_line_event>.stride
    let count = read(descriptor, &events, events.count * size)
    guard count >= 0 else {
      if errno == EAGAIN || errno == EINTR { return [] }
      throw selection.failed(SystemError(errno: errno, call: "read"))
    }
    return events.prefix(count / size).map { event in
      Edge(
        sequence: event.line_seqno, isActive: event.id == GPIO_V2_LINE_EVENT_RISING_EDGE.rawValue,
        at: MonotonicTime(nanoseconds: Int64(clamping: event.timestamp_ns)))
    }
  }

  /// That the line's descriptor reported its end.
  var gone: DeviceError { selection.failed(SystemError(errno: ENODEV, call: "poll")) }

  private func checkDebounce(_ wanted: UInt32, of chip: GPIOChip, _ offset: UInt32) throws(DeviceError) {
    if wanted == 0 { return }
    var info = gpio_v2_line_info()
    guard clinux_gpio_line_info(chip.descriptor.number, offset, &info) == 0 else {
      throw selection.failed(SystemError(errno: errno, call: "GPIO_V2_GET_LINEINFO_IOCTL"))
    }
    guard clinux_gpio_debounce(&info) == wanted else {
      throw selection.error(
        "the kernel did not take the debounce of \(wanted) µs", "Configure debounce: 0 ms, or choose another line.")
    }
  }

  /// The request's flags for a configuration: an input with both edges.
  static func flags(_ configuration: GPIOLineConfiguration) -> UInt64 {
    UInt64(GPIO_V2_LINE_FLAG_INPUT.rawValue) | UInt64(GPIO_V2_LINE_FLAG_EDGE_RISING.rawValue)
      | UInt64(GPIO_V2_LINE_FLAG_EDGE_FALLING.rawValue) | configuration.flags
  }

  /// A duration in the kernel's unit, rounded up; a problem of the configuration keeps it within the range.
  static func microseconds(_ duration: Duration) -> UInt32 {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : UInt32(clamping: whole &+ (attoseconds + 999_999_999_999) / 1_000_000_000_000)
  }
}
