package import LinuxIO
import ReaderKit
package import Reading
package import ScanModel

/// The serial scanners of a station: finds their lines, opens them for this program alone, reads them, on one thread that
/// does nothing else.
///
/// Lines that are matched by what udev knows come and go by its word. A line that is named by a path is looked for twice a
/// second while it is not there: a pseudo-terminal or a link announces itself to nobody.
package final class SerialSource: ReadSource {
  private let places: PlaceSupervisor<SerialLines>

  /// Makes a source; `start` begins its work.
  /// - Throws: where the system has no thread for it.
  package init(_ configurations: [SerialConfiguration]) throws(DeviceError) {
    places = try PlaceSupervisor(SerialLines(), configurations)
  }

  /// See `PlaceSupervisor.start`.
  package func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    try await places.start(deliver: deliver)
  }

  package func stop() async { await places.stop() }

  package func heartbeat() async { await places.heartbeat() }
}

extension SerialConfiguration: ReaderConfiguration {
  /// Everything that is wrong with these configurations, each with its reader; empty where nothing is.
  package static func problems(in configurations: [SerialConfiguration]) -> [DeviceError] {
    let words: PlaceWords = (
      every: "line", same: "line", fields: "vendor and product, serial, port or path",
      distinction: "serial, port or interface", path: "/dev/serial/by-id/…"
    )
    return problems(in: configurations, words) { configuration in
      (configuration.settings.problems + configuration.framing.problems).map {
        configuration.problem($0, "Correct it in the configuration.")
      }
    }
  }
}

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
