import CodeVision
import DecodeProtocol

/// Frames of raw video (YUV4MPEG2), eight bits: the grey plane of each.
struct Y4MReader {
  /// What a file begins with.
  static let magic = [UInt8]("YUV4MPEG2 ".utf8)

  private struct Stream: Equatable {
    var width: Int
    var height: Int
    /// Bytes of a frame without its head.
    var frameBytes: Int
    /// Where the first frame's head begins.
    var start: Int
  }

  /// Where a frame's head begins.
  private struct Place {
    var stream: Stream
    /// Of the whole file.
    var byteCount: Int
    var frame: Int
    var start: Int
  }

  /// Of the frame after the one that was read last: frames that are read in turn are not looked for from the first one.
  private var next: Place?

  /// The grey pixels of a frame, which are the file's own bytes, and whether another one follows.
  ///
  /// A file begins anew with its frame 0.
  /// - Throws: what is wrong with it.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, frame: Int, limit: Int
  ) throws(PictureFault) -> (image: GreyImage, hasMore: Bool) {
    let stream = try Self.head(bytes, limit: limit)
    var place = Place(stream: stream, byteCount: bytes.count, frame: 0, start: stream.start)
    if let next, frame > 0, next.frame <= frame, next.stream == stream, next.byteCount == bytes.count { place = next }
    next = nil
    while place.frame < min(frame, DecodeLimits.maximumVideoFrames) {
      place.start = try Self.pixels(bytes, stream, at: place.start).upperBound
      place.frame += 1
    }
    let range = try Self.pixels(bytes, stream, at: place.start)
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { throw Self.short }
    let image = try greyImage(start + range.lowerBound, count: range.count, width: stream.width, height: stream.height)
    next = Place(stream: stream, byteCount: bytes.count, frame: place.frame + 1, start: range.upperBound)
    let hasMore = range.upperBound < bytes.count && frame + 1 < DecodeLimits.maximumVideoFrames
    return (image, hasMore)
  }

  /// Where a frame's pixels are whose head begins at a place.
  private static func pixels(
    _ bytes: UnsafeRawBufferPointer, _ stream: Stream, at place: Int
  ) throws(PictureFault) -> Range<Int> {
    guard place < bytes.count else { throw short }
    var head = TextHead(bytes, at: place)
    guard let line = head.line(limit: 256), line.starts(with: [UInt8]("FRAME".utf8)) else {
      throw bytes.count - place < 6
        ? short : PictureFault(.damaged, "the video has something else where a frame begins")
    }
    guard bytes.count - head.place >= stream.frameBytes else { throw short }
    return head.place..<head.place + stream.frameBytes
  }

  private static func head(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(PictureFault) -> Stream {
    var head = TextHead(bytes, at: magic.count)
    guard let line = head.line(limit: 1_024) else { throw PictureFault(.damaged, "the video's head is damaged") }
    var (width, height, colours) = (0, 0, "420")
    for word in line.split(separator: 32) {
      let value = String(decoding: word.dropFirst(), as: UTF8.self)
      switch word.first {
      case UInt8(ascii: "W"): width = Int(value) ?? 0
      case UInt8(ascii: "H"): height = Int(value) ?? 0
      case UInt8(ascii: "C"): colours = value
      default: break
      }
    }
    let count = try pixelCount(width, height, limit: limit)
    let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
    let size: Int
    switch colours {
    case "mono": size = count
    case "420", "420jpeg", "420mpeg2", "420paldv": size = count + 2 * halfWidth * halfHeight
    case "422": size = count + 2 * halfWidth * height
    case "444": size = 3 * count
    default:
      throw PictureFault(
        .unsupported, "video of this colour format is not read; mono, 420, 422 and 444 with 8 bits are")
    }
    return Stream(width: width, height: height, frameBytes: size, start: head.place)
  }

  private static let short = PictureFault(.damaged, "the video ends in the middle of a frame")
}
