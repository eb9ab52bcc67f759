package import Reading
package import LinuxIO
import ReaderKit
package import ScanModel

/// What is plugged in, which reader would take it, and why not. Opens only nodes that a reader matches, and holds them no
/// longer than it takes to see that they can be grabbed.
/// - Parameter service: the user that the service runs as, where it is not the caller: whether that user may open a node is
///   judged by its owner, group and mode.
/// - Throws: where udev cannot be asked.
package func listInputDevices(
  _ configurations: [WedgeConfiguration], as service: UserAccount? = nil
) throws(DeviceError) -> [DeviceReport] {
  let listing = try DeviceListing(of: Wedges.self, configurations, as: service) {
    $0.node.hasPrefix("/dev/input/event")
  }
  return listing.devices.map { device in
    listing.report(on: device) { _ throws(WedgeObstacle) in _ = try Wedges.grab(device) }
  }
}
