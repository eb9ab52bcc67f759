import Glibc
import LinuxIO

/// The cameras that readers could take: those that udev knows, and what stands at the paths that readers name.
struct CameraRoster {
  let devices: [DeviceIdentity]
  let assignment: DeviceAssignment

  /// Looks at the paths and assigns.
  /// - Parameters:
  ///   - known: what udev tells of the subsystem `video4linux`.
  ///   - held: by reader, the sysfs path of the camera that it reads from now.
  init(known: [DeviceIdentity], configurations: [CameraConfiguration], held: [Int: String] = [:]) {
    var devices = known.filter(\.isCamera)
    let nodes = configurations.map { configuration -> String? in
      if case .path(let path) = configuration.place { Self.node(at: path) } else { nil }
    }
    for case .some(let node) in nodes where !devices.contains(where: { $0.node == node }) {
      // Another node of a camera, or one that udev does not know, is meant where it is named by its path.
      devices.append(
        known.first { $0.node == node }
          ?? DeviceIdentity(node: node, sysfsPath: node, subsystem: "video4linux", isKeyboard: false, isCamera: true))
    }
    self.devices = devices
    assignment = DeviceAssignment(
      devices: devices,
      claims: configurations.indices.map { lane in
        .init(reader: configurations[lane].id) { device in
          switch configurations[lane].place {
          case .match(let match): match.matches(device)
          case .path: device.node == nodes[lane]
          }
        }
      },
      // A device may hold several cameras.
      held: held, by: { $0.sysfsPath }, distinction: "serial, port or interface", isFit: { _ in true })
  }

  /// Where a path leads, through all its links; `nil` where it leads nowhere.
  private static func node(at path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
