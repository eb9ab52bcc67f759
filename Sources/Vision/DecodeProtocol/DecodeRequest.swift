package import ScanModel

/// What a client asks of its worker; the pixels or the file lie in the shared memory, from its beginning.
package enum DecodeRequest: Sendable, Equatable {
  /// The first packet of a connection.
  case settings(version: UInt16, DecodeSettings)
  /// A frame of a camera.
  case frame(number: UInt64, FrameLayout)
  /// A picture file.
  case picture(number: UInt64, PictureLayout)
}

/// How a frame lies in the shared memory.
package struct FrameLayout: Sendable, Hashable {
  /// How its pixels are laid out.
  package var format: PixelFormat
  /// Pixels in a row.
  package var width: UInt32
  /// Rows.
  package var height: UInt32
  /// Bytes from one row of the first plane to the next; means nothing to compressed formats.
  package var stride: UInt32
  /// How many bytes of the memory are the frame's.
  package var byteCount: UInt32
  /// Whether somebody wants to see it: after its result it is made smaller, into the second shared memory (`DecodeAnswer.shown`).
  package var isShown: Bool

  /// Makes a layout; none of it is checked.
  package init(
    format: PixelFormat, width: UInt32, height: UInt32, stride: UInt32, byteCount: UInt32, isShown: Bool = false
  ) {
    self.isShown = isShown
    self.format = format
    self.width = width
    self.height = height
    self.stride = stride
    self.byteCount = byteCount
  }

  /// What is wrong with the numbers alone, whatever the format; `nil` where nothing is.
  package var problem: PictureFault? {
    guard width > 0, height > 0, byteCount > 0 else { return PictureFault(.empty, "the frame is empty") }
    guard UInt64(width) * UInt64(height) <= UInt64(DecodeLimits.maximumFramePixels),
      byteCount <= UInt32(DecodeLimits.maximumFrame)
    else {
      return PictureFault(
        .tooLarge, "a frame of \(width)x\(height) pixels in \(byteCount) bytes is larger than 16 million of each")
    }
    return nil
  }
}

/// A picture file in the shared memory, and what is wanted of it.
package struct PictureLayout: Sendable, Hashable {
  /// What is to be done with a picture.
  package enum Purpose: UInt8, Sendable, Hashable, CaseIterable {
    /// Codes are read.
    case reading = 1
    /// Codes are read, and a PNG that shows how is put into the second shared memory.
    case explanation = 2
    /// No code is read: its pixels are put into the second shared memory, red, green, blue and how opaque it is, a byte each. A PNG or
    /// JPEG, no side of it longer than `DecodeLimits.longestLogo`.
    case logo = 3
  }

  /// How many bytes of the memory are the file's.
  package var byteCount: UInt32
  /// Which frame of a video, from 0; pictures have one.
  package var frame: UInt32
  /// What is wanted.
  package var purpose: Purpose

  /// Makes a layout; none of it is checked.
  package init(byteCount: UInt32, frame: UInt32 = 0, purpose: Purpose = .reading) {
    self.byteCount = byteCount
    self.frame = frame
    self.purpose = purpose
  }
}
