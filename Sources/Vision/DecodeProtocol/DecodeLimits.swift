/// The numbers that both ends of the decoder's socket keep to.
public enum DecodeLimits {
  /// The protocol's version; a client starts no worker of another one.
  public static let version: UInt16 = 1
  /// The longest packet in bytes: a result with many long symbols is cut to it, and says so.
  public static let maximumPacket = 131_072
  /// The longest words in bytes; longer ones are cut.
  public static let maximumWords = 512

  /// The most symbols of one picture.
  public static let maximumSymbols = 64
  /// The most bytes of one symbol: what the largest QR code holds in digits.
  public static let maximumSymbolBytes = 7_089
  /// The longest text of one symbol in bytes: a byte becomes one character, of four bytes at most.
  public static let maximumSymbolText = 4 * maximumSymbolBytes
  /// The most corners of a symbol.
  public static let maximumPoints = 16

  /// The most bytes of a camera's frame.
  public static let maximumFrame = 16 << 20
  /// The most pixels of a camera's frame: one byte each.
  public static let maximumFramePixels = maximumFrame
  /// The most bytes of a picture file.
  public static let maximumPicture = 256 << 20
  /// The most pixels of a picture: 64 megapixels.
  public static let maximumPicturePixels = 64_000_000
  /// The most bytes of a PNG that a worker sends back.
  public static let maximumExplanation = 64 << 20
  /// The most frames of a video file that are numbered.
  public static let maximumVideoFrames = 1_000_000
}
