/// How a camera lays out its pixels, as far as we read them without a converter; V4L2's four-character codes.
public struct PixelFormat: RawRepresentable, Sendable, Hashable {
  /// V4L2's `fourcc`.
  public let rawValue: UInt32

  /// The format of a `fourcc`.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The format of four ASCII characters.
  public init(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar) {
    rawValue = [a, b, c, d].reversed().reduce(0) { $0 << 8 | $1.value & 0xFF }
  }

  /// One byte a pixel.
  public static let grey = PixelFormat("G", "R", "E", "Y")
  /// A plane of grey, then interleaved colour.
  public static let nv12 = PixelFormat("N", "V", "1", "2")
  /// A plane of grey, then two of colour.
  public static let yu12 = PixelFormat("Y", "U", "1", "2")
  /// Grey and colour by turns.
  public static let yuyv = PixelFormat("Y", "U", "Y", "V")
  /// A JPEG a frame.
  public static let mjpg = PixelFormat("M", "J", "P", "G")

  /// Its four characters, as far as they are printable.
  public var name: String {
    String(
      String.UnicodeScalarView(
        (0..<4).map { shift in
          let byte = UInt8(truncatingIfNeeded: rawValue >> (8 * UInt32(shift)))
          return (0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?"
        }))
  }
}
