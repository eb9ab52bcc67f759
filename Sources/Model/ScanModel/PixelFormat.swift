/// How a camera lays out its pixels, as far as we read them without a converter; V4L2's four-character codes.
package struct PixelFormat: RawRepresentable, Sendable, Hashable {
  /// V4L2's `fourcc`.
  package let rawValue: UInt32

  /// The format of a `fourcc`.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The format of four ASCII characters.
  package init(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar) {
    rawValue = [a, b, c, d].reversed().reduce(0) { $0 << 8 | $1.value & 0xFF }
  }

  /// One byte a pixel.
  package static let grey = PixelFormat("G", "R", "E", "Y")
  /// A plane of grey, then interleaved colour.
  package static let nv12 = PixelFormat("N", "V", "1", "2")
  /// A plane of grey, then two of colour.
  package static let yu12 = PixelFormat("Y", "U", "1", "2")
  /// Grey and colour by turns.
  package static let yuyv = PixelFormat("Y", "U", "Y", "V")
  /// A JPEG a frame.
  package static let mjpg = PixelFormat("M", "J", "P", "G")

  /// Its four characters, as far as they are printable.
  package var name: String {
    String(
      String.UnicodeScalarView(
        (0..<4).map { shift in
          let byte = UInt8(truncatingIfNeeded: rawValue >> (8 * UInt32(shift)))
          return (0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?"
        }))
  }
}
