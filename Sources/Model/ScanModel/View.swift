/// A place in a picture, in pixels from the left upper corner.
package struct ViewPoint: Sendable, Hashable {
  /// From the left edge.
  package var x: Float
  /// From the upper edge.
  package var y: Float

  package init(x: Float, y: Float) {
    self.x = x
    self.y = y
  }
}

/// One symbol that was read in a picture.
package struct SeenSymbol: Sendable, Equatable {
  /// The kind of code.
  package var symbology: Symbology
  /// Its AIM identifier with the options that were seen (ECI, FNC1), such as `]Q3`.
  package var identifier: AIMIdentifier?
  /// The exact bytes that it holds; may be anything, NUL and binary included.
  package var bytes: [UInt8]
  /// The bytes as text, decided as in `docs/camera.md`: UTF-8 always.
  package var text: String
  /// Its corners (QR: four, clockwise, beginning at the left upper finder) or its two ends (linear); may be empty.
  package var points: [ViewPoint]

  package init(
    symbology: Symbology, identifier: AIMIdentifier? = nil, bytes: [UInt8], text: String, points: [ViewPoint] = []
  ) {
    self.symbology = symbology
    self.identifier = identifier
    self.bytes = bytes
    self.text = text
    self.points = points
  }
}

/// What was read in one picture, or in one frame of a camera.
package struct ViewReading: Sendable, Equatable {
  /// The symbols, each once.
  package var symbols: [SeenSymbol]
  /// Nothing changed since the frame before, and it was not looked at again.
  package var isStill: Bool
  /// What can be said of the picture itself: why nothing is read.
  package var quality: ViewQuality
  /// CPU time of decoding alone, grey pixels in memory, in nanoseconds.
  package var decodeTime: UInt64

  package init(
    symbols: [SeenSymbol] = [], isStill: Bool = false, quality: ViewQuality = ViewQuality(), decodeTime: UInt64 = 0
  ) {
    self.symbols = symbols
    self.isStill = isStill
    self.quality = quality
    self.decodeTime = decodeTime
  }
}

/// What a picture is like. Zero where it was not measured.
package struct ViewQuality: Sendable, Equatable {
  /// Mean brightness, 0 (black) to 255.
  package var brightness: Float
  /// Between the darkest and the brightest twentieth of the picture, 0 to 255.
  package var contrast: Float
  /// Share of edge energy in single-pixel steps, 0 (blurred) to 1 (sharp).
  package var sharpness: Float
  /// Finder patterns that were seen: three make a QR code.
  package var finders: Int
  /// Width of a QR module in pixels as the best finder pattern has it; below 2 is too small to be read surely.
  package var modulePixels: Float

  package init(
    brightness: Float = 0, contrast: Float = 0, sharpness: Float = 0, finders: Int = 0, modulePixels: Float = 0
  ) {
    self.brightness = brightness
    self.contrast = contrast
    self.sharpness = sharpness
    self.finders = finders
    self.modulePixels = modulePixels
  }
}
