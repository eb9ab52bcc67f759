import Reading
import LinuxIO
import ReaderKit
import ScanModel

/// What is peculiar to cameras: what they offer is looked through before one streams, and what they show is looked at elsewhere.
struct Cameras: ReaderTechnology {
  static let subsystem = "video4linux"
  static let thread = "camera"
  static let names = (readers: "cameras", devices: "cameras")

  let calls: any VideoCalls
  let makeDecoder: FrameDecoderMaker

  /// A device may hold several cameras; another node of a camera, or one that udev does not know, is meant where it is named by its
  /// path.
  static func roster(
    known: [DeviceIdentity], configurations: [CameraConfiguration], held: [Int: String]
  ) -> DeviceRoster {
    DeviceRoster(known: known, isCandidate: \.isCamera, readers: configurations.map { ($0.id, $0.place) }, held: held) {
      DeviceIdentity(node: $0, sysfsPath: $0, subsystem: subsystem, isKeyboard: false, isCamera: true)
    }
  }

  static func refusal(_ access: NodeAccess, of device: DeviceIdentity, to service: UserAccount) -> String {
    "the service's user \(service.name) may not open it (\(access.title)): sudo usermod -aG video \(service.name), then restart the service"
  }

  func prepared(for configurations: [CameraConfiguration]) throws(DeviceError) -> Self {
    if let problem = CameraConfiguration.problems(in: configurations).first { throw problem }
    return self
  }

  func open(
    _ device: DeviceIdentity, for configuration: CameraConfiguration, on loop: DeviceLoop,
    wake: @escaping @Sendable () -> Void
  ) throws(CameraObstacle) -> CameraSession {
    let offers: [VideoOffer]
    do throws(SystemError) {
      let camera = try VideoDevice(node: device.node, calls: calls)
      offers = camera.offers()
      if let choice = StreamChoice(of: offers, wish: configuration.wish) {
        let session = try CameraSession(device: camera, configuration: configuration, choice: choice)
        session.begin(makeDecoder, configuration, on: loop, wake: wake)
        return session
      }
    } catch {
      throw CameraObstacle(error)
    }
    // A loopback device offers nothing until somebody feeds it.
    throw offers.isEmpty ? .noCamera : .nothingFits(offers: summary(of: offers))
  }
}
