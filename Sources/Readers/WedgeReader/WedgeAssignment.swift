import Reading
import LinuxIO

extension DeviceAssignment {
  /// Assigns input devices to wedges. All nodes of what one can hold in a hand go to one reader.
  /// - Parameter held: by reader, the physical device that it reads from now; it keeps it when another one comes.
  init(devices: [DeviceIdentity], configurations: [WedgeConfiguration], held: [Int: String] = [:]) {
    self.init(
      devices: devices,
      claims: configurations.map { configuration in
        Claim(reader: configuration.id) { configuration.match.matches($0) }
      },
      held: held, by: { $0.physicalPath }, distinction: "serial or port", isFit: { $0.isKeyboard })
  }
}
