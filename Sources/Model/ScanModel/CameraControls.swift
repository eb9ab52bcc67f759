/// The size of a picture, in pixels.
package struct VideoSize: Hashable, Sendable {
  /// Pixels in a row.
  package var width: Int
  /// Rows.
  package var height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// As people write it: `1280x720`.
  package var title: String { "\(width)x\(height)" }

  /// Whether it is one that a picture can have here.
  package var isSane: Bool { (16...8192).contains(width) && (16...8192).contains(height) }
}

/// What the configuration wants of a camera's pictures; `nil` leaves it to us.
package struct StreamWish: Sendable, Equatable {
  /// Exactly this size.
  package var size: VideoSize?
  /// At least about so many pictures a second.
  package var rate: Int?
  /// Exactly this format.
  package var format: PixelFormat?

  package init(size: VideoSize? = nil, rate: Int? = nil, format: PixelFormat? = nil) {
    self.size = size
    self.rate = rate
    self.format = format
  }
}

/// What of a camera itself is set. What is not given is left as it is found.
package struct CameraControls: Sendable, Equatable {
  /// The focus.
  package enum Focus: Sendable, Hashable {
    /// The camera focuses by itself.
    case auto
    /// Fixed, in units of the camera.
    case fixed(Int32)
  }

  /// The frequency of the mains, in Hz: lamps flicker with it.
  package enum PowerLine: String, Sendable, CaseIterable {
    /// Europe, most of Asia and Africa.
    case hertz50 = "50"
    /// North America, parts of Asia and South America.
    case hertz60 = "60"
  }

  /// A fixed exposure, in units of 100 µs; `nil` leaves it to the camera.
  package var exposure: Int32?
  /// The focus.
  package var focus: Focus?
  /// The frequency of the mains.
  package var powerLine: PowerLine?

  package init(exposure: Int32? = nil, focus: Focus? = nil, powerLine: PowerLine? = nil) {
    self.exposure = exposure
    self.focus = focus
    self.powerLine = powerLine
  }
}
