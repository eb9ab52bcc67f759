import Glibc
package import LinuxIO
package import ScanModel

/// A picture of a camera as a file, for a person who wants to see what the camera sees.
package struct CameraPicture: Sendable, Equatable {
  /// The file's bytes: a JPEG, or a PGM.
  package var file: [UInt8]
  /// Whether it is a JPEG, as the camera made it; else it is a PGM of its grey.
  package var isJPEG: Bool
}

/// Some pictures of a camera, taken one after another.
package struct CameraSnapshot: Sendable {
  /// How the camera sends them.
  package var format: VideoFormat
  /// Pictures that came, good or not.
  package var count = 0
  /// Pictures that were damaged or too short.
  package var bad = 0
  /// From the first good picture to the last.
  package var span = Duration.zero
  /// Some of the good ones, oldest first; none of the first three, which are often dark.
  package var pictures: [CameraPicture] = []
  /// What could not be set of the camera, in words.
  package var shortfalls: [String] = []
  private var firstAt: MonotonicTime?

  /// How many pictures are kept.
  private static let most = 6

  /// Takes pictures. Blocks for as long as it takes: for commands alone.
  /// - Parameters:
  ///   - device: which camera.
  ///   - wish: what is wanted of its stream.
  ///   - controls: what is set of the camera, and put back.
  ///   - time: how long pictures are taken, from the first one on; a camera may need some seconds for that one.
  /// - Throws: what is in the way, and what to do.
  package init(
    of device: DeviceIdentity, wish: StreamWish = StreamWish(),
    controls: CameraControls = CameraControls(), for time: Duration = .seconds(1),
    calls: any VideoCalls = SystemVideoCalls()
  ) throws(DeviceError) {
    var camera: VideoDevice
    do throws(SystemError) {
      camera = try VideoDevice(node: device.node, calls: calls)
    } catch {
      throw Self.failure(device, CameraObstacle(error), wish)
    }
    let offers = camera.offers()
    guard let choice = StreamChoice(of: offers, wish: wish) else {
      throw Self.failure(device, offers.isEmpty ? .noCamera : .nothingFits(offers: summary(of: offers)), wish)
    }
    shortfalls = camera.apply(controls)
    do throws(SystemError) {
      format = try camera.start(choice.format, choice.size, choice.rate)
    } catch {
      throw Self.failure(device, CameraObstacle(error), wish)
    }
    guard format.isKept else {
      throw DeviceError(
        device: device.title, what: "its pictures come as \(format.format.name), which can be read but not be kept",
        remedy: "Ask for another format that it has: \(summary(of: offers)).")
    }
    try take(from: camera, of: device, for: time)
  }

  private mutating func take(
    from camera: borrowing VideoDevice, of device: DeviceIdentity, for time: Duration
  ) throws(DeviceError) {
    let clock = SystemTime()
    var stream = FrameStream(format: format, startedAt: clock.now())
    var end: MonotonicTime?
    var nextAt: MonotonicTime?
    while end.map({ clock.now() < $0 }) ?? true {
      if let fault = stream.fault(at: clock.now()) {
        if !pictures.isEmpty { return }
        throw Self.failure(device, fault == .silent ? .silent : .bad, StreamWish())
      }
      var waited = pollfd(fd: camera.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waited, 1, 100) > 0 else { continue }
      let now = clock.now()
      var found: CameraPicture?
      let broken = camera.takeNewest(
        examine: { frame, bytes in
          count += 1
          return stream.take(frame, bytes, at: now)
        },
        use: { _, bytes in if nextAt.map({ now >= $0 }) ?? true { found = format.picture(bytes) } })
      bad = stream.faults.values.reduce(0, +)
      if let found, pictures.count < Self.most {
        pictures.append(found)
        nextAt = now + time / Self.most
      }
      if stream.isSettled {
        if firstAt == nil { firstAt = now }
        span = firstAt.map { now - $0 } ?? .zero
        if end == nil { end = now + time }
      }
      switch broken {
      case .drained: break
      case .gone(let error), .broken(let error): throw Self.failure(device, CameraObstacle(error), StreamWish())
      }
    }
  }

  private static func failure(
    _ device: DeviceIdentity, _ obstacle: CameraObstacle, _ wish: StreamWish
  ) -> DeviceError {
    let words = obstacle.words(device, wish) ?? "\(device.title) is gone"
    let isFault = obstacle.isFault || obstacle == .absent
    return DeviceError(
      device: device.node, what: isFault ? words : "it must wait for \(words)",
      remedy: obstacle == .held
        ? "A running service has the cameras of its configuration: systemctl stop scangate, then again."
        : "Then ask again.")
  }
}

extension VideoFormat {
  /// Whether its pictures can be kept without a converter.
  fileprivate var isKept: Bool {
    switch format {
    case .grey, .nv12, .yu12, .yuyv, .mjpg: true
    default: false
    }
  }

  /// A picture of these bytes as a file. They are at least `leastBytes`.
  fileprivate func picture(_ bytes: UnsafeRawBufferPointer) -> CameraPicture? {
    if format == .mjpg { return CameraPicture(file: Array(bytes), isJPEG: true) }
    guard bytes.count >= leastBytes else { return nil }
    let step = format == .yuyv ? 2 : 1
    var file = [UInt8]("P5\n\(size.width) \(size.height)\n255\n".utf8)
    file.reserveCapacity(file.count + size.width * size.height)
    for row in 0..<size.height {
      let start = row * bytesPerLine
      for column in 0..<size.width { file.append(bytes[start + column * step]) }
    }
    return CameraPicture(file: file, isJPEG: false)
  }
}
