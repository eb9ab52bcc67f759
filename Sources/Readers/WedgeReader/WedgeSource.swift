package import LinuxIO
import ReaderKit
package import Reading
package import ScanModel

/// The wedges of a station: finds them, grabs them, reads them, on one thread that does nothing else.
package final class WedgeSource: ReadSource {
  private let places: PlaceSupervisor<Wedges>

  /// Makes a source; `start` begins its work.
  /// - Throws: where the system has no thread for it.
  package init(_ configurations: [WedgeConfiguration]) throws(DeviceError) {
    places = try PlaceSupervisor(Wedges(), configurations)
  }

  /// Begins to watch for devices and to read. Compiles the keymaps first, on a thread of their own.
  /// - Throws: the first thing that is wrong with the configurations, or that udev cannot be reached.
  package func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    try await places.start(deliver: deliver)
  }

  /// Lets go of every device. After it returns, nothing is delivered any more; `start` may be called again.
  package func stop() async { await places.stop() }

  package func heartbeat() async { await places.heartbeat() }
}

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
