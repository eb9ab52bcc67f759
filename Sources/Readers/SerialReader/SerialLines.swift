import Reading
import LinuxIO
import ReaderKit
import ScanModel

/// What is peculiar to serial scanners: a line is opened for this program alone.
struct SerialLines: ReaderTechnology {
  static let subsystem = "tty"
  static let thread = "serial"
  static let names = (readers: "serial readers", devices: "serial lines")

  static func roster(
    known: [DeviceIdentity], configurations: [SerialConfiguration], held: [Int: String]
  ) -> DeviceRoster {
    DeviceRoster(known: known, configurations: configurations, held: held)
  }

  func prepared(for configurations: [SerialConfiguration]) throws(DeviceError) -> Self {
    if let problem = SerialConfiguration.problems(in: configurations).first { throw problem }
    return self
  }

  func open(
    _ device: DeviceIdentity, for configuration: SerialConfiguration, on loop: DeviceLoop,
    wake: @escaping @Sendable () -> Void
  ) throws(SerialObstacle) -> SerialSession {
    SerialSession(device: try Self.take(device, for: configuration), configuration: configuration)
  }

  static func take(
    _ device: DeviceIdentity, for configuration: SerialConfiguration
  ) throws(SerialObstacle) -> SerialDevice {
    try Result { () throws(SystemError) in try SerialDevice(node: device.node, settings: configuration.settings) }
      .mapError(SerialObstacle.init).get()
  }
}

extension DeviceRoster {
  /// The lines that readers could take. Each line of an adapter that has several is a scanner of its own; a console that is
  /// named by its path is meant too, and udev knows nothing of pseudo-terminals.
  /// - Parameters:
  ///   - known: what udev tells of the subsystem `tty`.
  ///   - held: by reader, the sysfs path of the line that it reads from now.
  init(known: [DeviceIdentity], configurations: [SerialConfiguration], held: [Int: String] = [:]) {
    self.init(
      known: known, isCandidate: \.isSerialLine, readers: configurations.map { ($0.id, $0.place) }, held: held
    ) { node in DeviceIdentity(node: node, sysfsPath: node, subsystem: "tty", isKeyboard: false) }
  }
}
