package import DecodeProtocol
package import ScanModel

/// A camera's frame as the camera gave it.
package struct RawFrame {
  /// How its pixels are laid out.
  package let format: PixelFormat
  /// Pixels in a row.
  package let width: Int
  /// Rows.
  package let height: Int
  /// Bytes from one row of the first plane to the next; means nothing to compressed formats.
  package let stride: Int
  /// What the camera filled; valid during the call alone.
  package let bytes: UnsafeRawBufferPointer

  /// Makes a frame; nothing of it is checked here.
  package init(format: PixelFormat, width: Int, height: Int, stride: Int, bytes: UnsafeRawBufferPointer) {
    self.format = format
    self.width = width
    self.height = height
    self.stride = stride
    self.bytes = bytes
  }
}

/// What a fenced decoder tells.
package enum DecodeEvent: Sendable, Equatable {
  /// What was read in a frame.
  case reading(frame: UInt64, ViewReading)
  /// A frame that somebody wants to see, no side longer than `DecodeLimits.longestShown`; after its reading. `nil` where it cannot be had.
  case shown(frame: UInt64, GreyPicture?)
  /// A frame could not be read; the worker is well.
  case spoilt(frame: UInt64, reason: DecodeFault)
  /// The worker is replaced by a new one; the frame that it had, if any, is dropped.
  case replaced(DecodeFault)
  /// So many lines were written to the worker's standard error since the last time: libraries complain there.
  case noise(lines: Int)
}

/// Why a picture was not read.
package enum DecodeFault: Error, Sendable, Hashable, CustomStringConvertible {
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

  package var description: String {
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
package struct DecodeCounters: Sendable, Hashable {
  package init() {}

  /// Frames that were taken.
  package internal(set) var taken = 0
  /// Frames that were read, whatever was seen.
  package internal(set) var read = 0
  /// Frames that could not be read.
  package internal(set) var spoilt = 0
  /// Frames that were lost with their worker.
  package internal(set) var dropped = 0
  /// Workers that were replaced.
  package internal(set) var replaced = 0
  /// Workers that closed their fence.
  package internal(set) var fenced = 0
  /// Lines on the standard error.
  package internal(set) var noise = 0
}
