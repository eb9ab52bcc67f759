/// The numbers that both ends of the decoder's socket keep to.
package enum DecodeLimits {
  /// The protocol's version; a client starts no worker of another one.
  package static let version: UInt16 = 3
  /// The longest packet in bytes: a result with many long symbols is cut to it, and says so.
  package static let maximumPacket = 131_072
  /// The longest words in bytes; longer ones are cut.
  package static let maximumWords = 512

  /// The most symbols of one picture.
  package static let maximumSymbols = 64
  /// The most bytes of one symbol: what the largest QR code holds in digits.
  package static let maximumSymbolBytes = 7_089
  /// The longest text of one symbol in bytes: a byte becomes one character, of four bytes at most.
  package static let maximumSymbolText = 4 * maximumSymbolBytes
  /// The most corners of a symbol.
  package static let maximumPoints = 16

  /// The most bytes of a camera's frame.
  package static let maximumFrame = 16 << 20
  /// The most pixels of a camera's frame: one byte each.
  package static let maximumFramePixels = maximumFrame
  /// The most bytes of a picture file.
  package static let maximumPicture = 256 << 20
  /// The most pixels of a picture: 64 megapixels.
  package static let maximumPicturePixels = 64_000_000
  /// The most bytes of a PNG that a worker sends back.
  package static let maximumExplanation = 64 << 20
  /// The longest side of a logo in pixels.
  package static let longestLogo = 1_024
  /// The longest side in pixels of a frame that is made smaller to be shown.
  package static let longestShown = 640
  /// The most frames of a video file that are numbered.
  package static let maximumVideoFrames = 1_000_000
}
