package import ScanModel

/// How many pictures come in how many seconds.
package struct VideoRate: Hashable, Sendable {
  /// So many pictures …
  package var pictures: UInt32
  /// … in so many seconds.
  package var seconds: UInt32

  package init(pictures: UInt32, seconds: UInt32 = 1) {
    self.pictures = pictures
    self.seconds = seconds
  }

  /// Pictures a second; 0 where it makes no sense.
  package var perSecond: Double { seconds == 0 ? 0 : Double(pictures) / Double(seconds) }
}

/// An entry of a camera's list of sizes.
package enum VideoSizes: Sendable, Equatable {
  /// One size.
  case one(VideoSize)
  /// All from one to another by steps.
  case range(from: VideoSize, to: VideoSize, step: VideoSize)

  /// Whether a size is among them.
  package func contains(_ size: VideoSize) -> Bool {
    switch self {
    case .one(let one): return one == size
    case .range(let least, let most, let step):
      func fits(_ value: Int, _ least: Int, _ most: Int, _ step: Int) -> Bool {
        least <= value && value <= most && (value - least) % max(1, step) == 0
      }
      return fits(size.width, least.width, most.width, step.width)
        && fits(size.height, least.height, most.height, step.height)
    }
  }
}

/// An entry of a camera's list of rates.
package enum VideoRates: Sendable, Equatable {
  /// One rate.
  case one(VideoRate)
  /// All from the slowest to the fastest.
  case range(from: VideoRate, to: VideoRate)
}

/// A size of a format with its rates, as a camera offers it.
package struct VideoOffer: Sendable, Equatable {
  /// How pixels are laid out.
  package var format: PixelFormat
  /// The sizes.
  package var sizes: VideoSizes
  /// Its rates at that size, or at the middle of the range; empty where the camera does not say.
  package var rates: [VideoRates]

  package init(format: PixelFormat, sizes: VideoSizes, rates: [VideoRates] = []) {
    self.format = format
    self.sizes = sizes
    self.rates = rates
  }
}

/// How a stream's pictures lie in memory, as the driver set it.
package struct VideoFormat: Sendable, Equatable {
  /// How pixels are laid out.
  package var format: PixelFormat
  /// The size.
  package var size: VideoSize
  /// Bytes from one row to the next; 0 where the format has no rows.
  package var bytesPerLine: Int
  /// Bytes of a picture at most.
  package var imageBytes: Int

  package init(format: PixelFormat, size: VideoSize, bytesPerLine: Int, imageBytes: Int) {
    self.format = format
    self.size = size
    self.bytesPerLine = bytesPerLine
    self.imageBytes = imageBytes
  }

  /// Such as `1280x720 MJPG`.
  package var title: String { "\(size.title) \(format.name)" }
}

/// A filled buffer.
package struct VideoFrame: Sendable, Equatable {
  /// Its number.
  package var buffer: UInt32
  /// Bytes that were filled, as the driver says.
  package var bytes: Int
  /// The driver's count of pictures; jumps where some were lost.
  package var sequence: UInt32
  /// Whether the driver says that the picture is damaged.
  package var isDamaged: Bool
  /// When it was taken, where the driver uses the monotonic clock.
  package var takenAt: MonotonicTime?

  package init(buffer: UInt32, bytes: Int, sequence: UInt32 = 0, isDamaged: Bool = false, takenAt: MonotonicTime? = nil)
  {
    self.buffer = buffer
    self.bytes = bytes
    self.sequence = sequence
    self.isDamaged = isDamaged
    self.takenAt = takenAt
  }
}

/// The controls of a camera that are set here.
package enum VideoControl: Sendable, Hashable, CaseIterable {
  /// Who sets the exposure: a menu.
  case autoExposure
  /// The exposure, in units of 100 µs.
  case exposure
  /// Whether an automatic exposure may slow the pictures down.
  case exposurePriority
  /// Whether the camera focuses by itself.
  case autoFocus
  /// The focus, in units of the camera.
  case focus
  /// The frequency of lamps that flicker: 1 is 50 Hz, 2 is 60 Hz.
  case powerLine

  /// The entry of `autoExposure` that leaves the exposure to us.
  package static let manualExposure: Int32 = 1
}
