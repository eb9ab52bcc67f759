import CodeVision
import DecodeProtocol

/// Picture files of strangers, told apart by how they begin, to grey pixels.
final class PictureReader {
  private let jpeg: JPEGReader
  private let png = PNGReader()
  private let pgm = PGMReader()
  private var video = Y4MReader()

  struct Picture {
    var image: GreyImage
    /// It is a frame of a video.
    var isVideo = false
    /// Another frame of the video follows.
    var hasMore = false
  }

  /// - Throws: a fault where a library cannot.
  init() throws(PictureFault) { jpeg = try JPEGReader() }

  /// The grey pixels, valid until the next call and as long as the file's bytes are.
  /// - Parameter frame: which frame of a video, from 0; pictures have one.
  /// - Throws: what is wrong with the file.
  func read(
    _ bytes: UnsafeRawBufferPointer, frame: Int, limit: Int = DecodeLimits.maximumPicturePixels
  ) throws(PictureFault) -> Picture {
    guard !bytes.isEmpty else { throw PictureFault(.empty, "the file is empty") }
    if bytes.starts(with: Y4MReader.magic) {
      let (image, hasMore) = try video.read(bytes, frame: frame, limit: limit)
      return Picture(image: image, isVideo: true, hasMore: hasMore)
    }
    guard frame == 0 else { throw PictureFault(.damaged, "the picture has one frame only") }
    if bytes.starts(with: [0xFF, 0xD8]) { return Picture(image: try jpeg.read(bytes, limit: limit)) }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return Picture(image: try png.read(bytes, limit: limit)) }
    if bytes.starts(with: [0x50, 0x35]) || bytes.starts(with: [0x50, 0x32]) {
      return Picture(image: try pgm.read(bytes, limit: limit))
    }
    throw PictureFault(.unsupported, "it is neither PNG nor JPEG, PGM or Y4M")
  }

  /// Gives memory back that only a large picture needs.
  func shrink() {
    jpeg.shrink()
    png.shrink()
    pgm.shrink()
  }
}
