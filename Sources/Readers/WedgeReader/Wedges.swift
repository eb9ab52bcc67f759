import LinuxIO
import ReaderKit
import Reading
import ScanModel

/// What is peculiar to wedges: a node is grabbed when no key is down, all nodes of a scanner are one reader's, and keymaps are
/// compiled before.
struct Wedges: ReaderTechnology {
  static let subsystem = "input"
  static let thread = "wedges"
  static let names = (readers: "wedge readers", devices: "input devices")
  static let unfit = "this node types no digits; it is left alone"
  static let asksSysfs = true

  private var keymaps: [KeymapNames: Keymap] = [:]

  static func roster(
    known: [DeviceIdentity], configurations: [WedgeConfiguration], held: [Int: String]
  ) -> DeviceRoster {
    DeviceRoster(
      devices: known, assignment: DeviceAssignment(devices: known, configurations: configurations, held: held))
  }

  static func thing(of device: DeviceIdentity) -> String { device.physicalPath }

  /// Compiles the keymaps, on a thread of their own.
  func prepared(for configurations: [WedgeConfiguration]) async throws(DeviceError) -> Self {
    if let problem = WedgeConfiguration.problems(in: configurations, compilingKeymaps: false).first { throw problem }
    return try await SystemThread.run("keymaps") { Self.compile(configurations) }.get()
  }

  private static func compile(_ configurations: [WedgeConfiguration]) -> Result<Self, DeviceError> {
    do throws(DeviceError) {
      var made = Self()
      for configuration in configurations where made.keymaps[configuration.keymap] == nil {
        made.keymaps[configuration.keymap] = try Keymap(configuration.keymap, for: configuration.id)
      }
      return .success(made)
    } catch {
      return .failure(error)
    }
  }

  func companion() throws(SystemError) -> (any PlaceCompanion)? { try IdentityMonitor() }

  func open(
    _ device: DeviceIdentity, for configuration: WedgeConfiguration, on loop: DeviceLoop,
    wake: @escaping @Sendable () -> Void
  ) throws(WedgeObstacle) -> WedgeSession {
    guard let keymap = keymaps[configuration.keymap] else { throw .other("its keymap was not compiled") }
    let node = try Self.grab(device)
    node.discardPending()
    return WedgeSession(device: node, keymap: keymap, configuration: configuration)
  }

  /// Grabs a node when no key is down: other programs would never see its release.
  static func grab(_ device: DeviceIdentity) throws(WedgeObstacle) -> EventDevice {
    do throws(SystemError) {
      let node = try EventDevice(node: device.node)
      if try !node.hasKeysDown() {
        try node.grab()
        if try !node.hasKeysDown() { return node }
        node.ungrab()
      }
    } catch {
      throw WedgeObstacle(error)
    }
    throw .keyDown
  }
}

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
