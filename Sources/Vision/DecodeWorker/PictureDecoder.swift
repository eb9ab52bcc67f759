import CPNG
import CodeVision
import DecodeProtocol
import Glibc
import ScanModel

/// Answers requests with what is seen in their pictures.
final class PictureDecoder: Answering {
  private let settings: DecodeSettings
  private let frames: FramePixels
  private let pictures: PictureReader
  private let reader: CodeReader
  private let logos: LogoReader
  /// The frame that was looked at last, until it is shown; its pixels are there as long as no other request is taken.
  private var shown: GreyImage?

  /// - Throws: a fault where a library cannot.
  init(_ settings: DecodeSettings) throws(PictureFault) {
    self.settings = settings
    frames = try FramePixels()
    pictures = try PictureReader()
    logos = try LogoReader()
    reader = CodeReader(VisionSettings(kinds: settings.kinds, stages: VisionStages(rawValue: settings.stages)))
  }

  /// Reads a JPEG in every way, whatever is in it.
  func warmUp(_ jpeg: UnsafeRawBufferPointer) {
    let layout = FrameLayout(format: .mjpg, width: 64, height: 64, stride: 64, byteCount: UInt32(jpeg.count))
    _ = try? read(layout, jpeg)
    _ = try? read(PictureLayout(byteCount: UInt32(jpeg.count)), jpeg, nil)
  }

  func answer(_ request: DecodeRequest, _ memory: UnsafeRawBufferPointer, _ returns: UnsafeMutableRawBufferPointer?)
    -> [UInt8]?
  {
    do throws(PictureFault) {
      switch request {
      case .settings: return nil
      case .frame(let number, let layout):
        return DecodeAnswer.result(number: number, try read(layout, memory)).bytes
      case .picture(let number, let layout):
        return DecodeAnswer.result(number: number, try read(layout, memory, returns)).bytes
      }
    } catch {
      return DecodeAnswer.spoilt(number: request.number, error).bytes
    }
  }

  /// A frame that somebody wants to see, after what was read in it was told: who is at the gate comes first.
  func more(_ request: DecodeRequest, _ returns: UnsafeMutableRawBufferPointer?) -> [UInt8]? {
    defer { shown = nil }
    guard case .frame(let number, _) = request, let image = shown, let returns,
      let size = ShownSize(ofFrame: image.width, image.height),
      ShownPicture.write(image, width: Int(size.width), height: Int(size.height), to: returns)
    else { return nil }
    return DecodeAnswer.shown(number: number, size).bytes
  }

  private func read(_ layout: FrameLayout, _ memory: UnsafeRawBufferPointer) throws(PictureFault) -> DecodeResult {
    let image = try frames.read(layout, memory)
    shown = layout.isShown ? image : nil
    let reading = Self.timed { reader.read(frame: image) }
    return DecodeResult(reading: reading, width: UInt32(image.width), height: UInt32(image.height))
  }

  private func read(
    _ layout: PictureLayout, _ memory: UnsafeRawBufferPointer, _ returns: UnsafeMutableRawBufferPointer?
  ) throws(PictureFault) -> DecodeResult {
    guard Int(layout.byteCount) <= memory.count else { throw PictureFault(.tooLarge, "the file is too large") }
    let bytes = UnsafeRawBufferPointer(rebasing: memory[..<Int(layout.byteCount)])
    if layout.purpose == .logo {
      guard let returns else { throw PictureFault(.unsupported, "there is no memory for a logo") }
      let (width, height) = try logos.read(bytes, into: returns)
      return DecodeResult(
        reading: ViewReading(), width: UInt32(width), height: UInt32(height),
        explanationBytes: UInt32(4 * width * height))
    }
    defer { pictures.shrink() }
    let picture = try pictures.read(bytes, frame: Int(layout.frame))
    let image = picture.image
    var canvas: ExplainCanvas?
    let reading = Self.timed {
      if layout.purpose == .explanation, !picture.isVideo {
        let (reading, explained) = reader.explain(picture: image)
        canvas = explained
        return reading
      }
      // A frame of a video, too: nobody waits at a gate, and what is read in the picture is read in the video.
      return reader.read(picture: image)
    }
    return DecodeResult(
      reading: reading, width: UInt32(image.width), height: UInt32(image.height), isVideo: picture.isVideo,
      hasMore: picture.hasMore,
      explanationBytes: canvas.map { Self.write($0, to: returns) } ?? 0)
  }

  /// Writes what was drawn as a PNG; returns its length, 0 where it does not fit.
  private static func write(_ canvas: ExplainCanvas, to returns: UnsafeMutableRawBufferPointer?) -> UInt32 {
    guard let returns, canvas.rgb.count >= 3 * canvas.width * canvas.height else { return 0 }
    let count = canvas.rgb.withUnsafeBytes {
      cpng_write($0.baseAddress, UInt32(canvas.width), UInt32(canvas.height), returns.baseAddress, returns.count)
    }
    return UInt32(clamping: count)
  }

  /// A reading with the processor's time that it took.
  private static func timed(_ read: () -> ViewReading) -> ViewReading {
    let start = processorTime
    var reading = read()
    reading.decodeTime = processorTime &- start
    return reading
  }

  /// The processor's time of this process, which has one thread, in nanoseconds.
  private static var processorTime: UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}

extension DecodeRequest {
  /// The number of the picture; 0 where it is about none.
  fileprivate var number: UInt64 {
    switch self {
    case .settings: 0
    case .frame(let number, _), .picture(let number, _): number
    }
  }
}
