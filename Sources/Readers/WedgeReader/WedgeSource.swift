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

  /// See `PlaceSupervisor.start`. Compiles the keymaps first, on a thread of their own.
  package func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    try await places.start(deliver: deliver)
  }

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
