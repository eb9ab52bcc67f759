package import Reading
package import LinuxIO
import ReaderKit
package import ScanModel

/// Which serial lines are there, which reader would take them, and why not. Opens only lines that a reader matches, and
/// holds them no longer than it takes to see that they can be had.
/// - Parameter service: the user that the service runs as, where it is not the caller: whether that user may open a node is
///   judged by its owner, group and mode.
/// - Throws: where udev cannot be asked.
package func listSerialDevices(
  _ configurations: [SerialConfiguration], as service: UserAccount? = nil
) throws(DeviceError) -> [DeviceReport] {
  let listing = try DeviceListing(of: SerialLines.self, configurations, as: service)
  return listing.devices.map { device in
    listing.report(on: device) { reader throws(SerialObstacle) in _ = try SerialLines.take(device, for: reader) }
  }
}
