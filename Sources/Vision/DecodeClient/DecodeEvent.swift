public import DecodeProtocol
public import ScanModel

/// A camera's frame as the camera gave it.
public struct RawFrame {
  /// How its pixels are laid out.
  public let format: PixelFormat
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Bytes from one row of the first plane to the next; means nothing to compressed formats.
  public let stride: Int
  /// What the camera filled; valid during the call alone.
  public let bytes: UnsafeRawBufferPointer

  /// Makes a frame; nothing of it is checked here.
  public init(format: PixelFormat, width: Int, height: Int, stride: Int, bytes: UnsafeRawBufferPointer) {
    self.format = format
    self.width = width
    self.height = height
    self.stride = stride
    self.bytes = bytes
  }
}

/// What a fenced decoder tells.
public enum DecodeEvent: Sendable, Equatable {
  /// What was read in a frame.
  case reading(frame: UInt64, ViewReading)
  /// A frame could not be read; the worker is well.
  case spoilt(frame: UInt64, reason: DecodeFault)
  /// The worker is replaced by a new one; the frame that it had, if any, is dropped.
  case replaced(DecodeFault)
  /// So many lines were written to the worker's standard error since the last time: libraries complain there.
  case noise(lines: Int)
}

/// Why a picture was not read.
public enum DecodeFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The picture cannot be read.
  case picture(PictureFault)
  /// The worker ended while it looked at the picture: by a signal, or with a status.
  case died(signal: Int32?, status: Int32)
  /// The worker did not answer in time, and was ended.
  case hung(Duration)
  /// What the worker answered is no answer; it was ended.
  case lied(String)
  /// No worker can be started.
  case cannotStart(String)

  public var description: String {
    switch self {
    case .picture(let fault): fault.words
    // SIGSYS, by number: what the fence does, also to the C library where that ends a process whose memory is broken.
    case .died(signal: 31, _): "the decoder broke, or tried what it may not do, and was ended"
    case .died(signal: let signal?, _): "the decoder was ended by signal \(signal)"
    case .died(_, let status): "the decoder ended with status \(status)"
    case .hung(let time): "the decoder did not answer within \(time.milliseconds) ms, and was ended"
    case .lied(let words): "the decoder's answer is none (\(words)), and it was ended"
    case .cannotStart(let words): "the decoder cannot be started: \(words)"
    }
  }
}

/// What a fenced decoder counted since it was made.
public struct DecodeCounters: Sendable, Hashable {
  /// Makes counters at zero.
  public init() {}

  /// Frames that were taken.
  public internal(set) var taken = 0
  /// Frames that were read, whatever was seen.
  public internal(set) var read = 0
  /// Frames that could not be read.
  public internal(set) var spoilt = 0
  /// Frames that were lost with their worker.
  public internal(set) var dropped = 0
  /// Workers that were replaced.
  public internal(set) var replaced = 0
  /// Workers that closed their fence.
  public internal(set) var fenced = 0
  /// Lines on the standard error.
  public internal(set) var noise = 0
}
