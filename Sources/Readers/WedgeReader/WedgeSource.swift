package import Reading
import ReaderKit
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
