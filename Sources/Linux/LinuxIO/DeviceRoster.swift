import Glibc
package import ScanModel

/// The devices that readers could take, and which of them does: those that udev knows, and what stands at the paths that readers
/// name.
package struct DeviceRoster {
  /// Everything that a reader could mean.
  package let devices: [DeviceIdentity]
  /// Which reader takes what.
  package let assignment: DeviceAssignment

  /// Holds what is known.
  package init(devices: [DeviceIdentity], assignment: DeviceAssignment) {
    self.devices = devices
    self.assignment = assignment
  }

  /// Looks at the paths and assigns each node for itself: one device may have several that are read by different readers.
  /// - Parameters:
  ///   - known: what udev tells of the subsystem.
  ///   - isCandidate: whether a match may mean it.
  ///   - readers: which reader is where.
  ///   - held: by reader, the sysfs path of what it reads from now.
  ///   - stranger: what is at a path of which udev knows nothing.
  package init(
    known: [DeviceIdentity], isCandidate: (DeviceIdentity) -> Bool, readers: [(id: ReaderID, place: DevicePlace)],
    held: [Int: String], stranger: (String) -> DeviceIdentity
  ) {
    var devices = known.filter(isCandidate)
    let nodes = readers.map { reader -> String? in
      if case .path(let path) = reader.place { Self.node(at: path) } else { nil }
    }
    for case .some(let node) in nodes where !devices.contains(where: { $0.node == node }) {
      // What is named by its path is meant, whether a match may mean it or not.
      devices.append(known.first { $0.node == node } ?? stranger(node))
    }
    self.devices = devices
    assignment = DeviceAssignment(
      devices: devices,
      claims: readers.indices.map { lane in
        .init(reader: readers[lane].id) { device in
          switch readers[lane].place {
          case .match(let match): match.matches(device)
          case .path: device.node == nodes[lane]
          }
        }
      },
      held: held, by: { $0.sysfsPath }, distinction: "serial, port or interface", isFit: { _ in true })
  }

  /// Where a path leads, through all its links; `nil` where it leads nowhere.
  private static func node(at path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
