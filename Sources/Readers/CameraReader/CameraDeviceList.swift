package import Reading
package import LinuxIO
import ReaderKit
package import ScanModel

/// A camera that is there, and what it offers.
package struct CameraReport: Sendable, Equatable {
  /// What becomes of it, as of any device.
  package var device: DeviceReport
  /// What it offers; empty where it could not be asked.
  package var offers: [VideoOffer]
  /// What would be asked of it as it is configured, or of any camera; `nil` where nothing fits.
  package var choice: StreamChoice?

  /// What it offers, in short: each format with its sizes and quickest rates.
  package var offered: String { summary(of: offers) }
}

/// Which cameras are there, which reader would take them, and why not. Asks each what it offers, which disturbs nobody who uses
/// it; streams from none.
/// - Parameters:
///   - service: the user that the service runs as, where it is not the caller: whether that user may open a node is judged by
///     its owner, group and mode.
///   - calls: the system calls of cameras.
/// - Throws: where udev cannot be asked.
package func listCameras(
  _ configurations: [CameraConfiguration], as service: UserAccount? = nil, calls: any VideoCalls = SystemVideoCalls()
) throws(DeviceError) -> [CameraReport] {
  let listing = try DeviceListing(of: Cameras.self, configurations, as: service)
  return listing.devices.compactMap { device in
    let reader = listing.reader(of: device)
    let wish = reader?.wish ?? StreamWish()
    var offers: [VideoOffer] = []
    var obstacle: CameraObstacle?
    do throws(SystemError) {
      offers = try VideoDevice(node: device.node, calls: calls).offers()
      if offers.isEmpty { obstacle = .noCamera }
    } catch {
      obstacle = CameraObstacle(error)
    }
    // A node of no reader that turns out to be no camera.
    if obstacle == .noCamera, reader == nil { return nil }
    let choice = StreamChoice(of: offers, wish: wish)
    if obstacle == nil, choice == nil { obstacle = .nothingFits(offers: summary(of: offers)) }
    var report = listing.report(on: device) { _ throws(CameraObstacle) in if let obstacle { throw obstacle } }
    if report.outcome == .notMatched, let words = obstacle?.words(device, wish) {
      report.words += "; it could not be: \(words)"
    }
    return CameraReport(device: report, offers: offers, choice: choice)
  }
}
