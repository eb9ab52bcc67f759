package import Reading
import ReaderKit
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

  /// Begins to watch for lines and to read.
  /// - Throws: the first thing that is wrong with the configurations, or that udev cannot be reached and is needed.
  package func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    try await places.start(deliver: deliver)
  }

  /// Lets go of every line. After it returns, nothing is delivered any more; `start` may be called again.
  package func stop() async { await places.stop() }

  package func heartbeat() async { await places.heartbeat() }
}
