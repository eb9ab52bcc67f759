import CLinux
import Glibc
package import ScanModel

/// The system calls of a camera, one function each, so that tests can make any of them fail or lie. All throw the system's
/// error; none blocks.
package protocol VideoCalls: Sendable {
  /// Opens a node. ENOTTY where it is no character device.
  func open(_ node: String) throws(SystemError) -> OwnedDescriptor
  /// What the node says of itself.
  func capability(_ camera: Int32) throws(SystemError) -> VideoCapability
  /// The format at a place in the list; EINVAL after the last.
  func format(_ camera: Int32, at index: UInt32) throws(SystemError) -> PixelFormat
  /// The sizes at a place in a format's list; EINVAL after the last.
  func sizes(_ camera: Int32, of format: PixelFormat, at index: UInt32) throws(SystemError) -> VideoSizes
  /// The rates at a place in a size's list; EINVAL after the last.
  func rates(_ camera: Int32, of format: PixelFormat, _ size: VideoSize, at index: UInt32) throws(SystemError)
    -> VideoRates
  /// Sets a format; answers what the driver made of it.
  func setFormat(_ camera: Int32, _ format: PixelFormat, _ size: VideoSize) throws(SystemError) -> VideoFormat
  /// Sets a rate.
  func setRate(_ camera: Int32, _ rate: VideoRate) throws(SystemError)
  /// Asks for buffers; answers how many there are.
  func requestBuffers(_ camera: Int32, _ count: UInt32) throws(SystemError) -> Int
  /// Maps a buffer.
  func map(_ camera: Int32, buffer: UInt32) throws(SystemError) -> UnsafeRawBufferPointer
  /// Unmaps one.
  func unmap(_ buffer: UnsafeRawBufferPointer)
  /// Gives a buffer to the driver.
  func queue(_ camera: Int32, buffer: UInt32) throws(SystemError)
  /// Takes the oldest filled buffer; EAGAIN where there is none.
  func dequeue(_ camera: Int32) throws(SystemError) -> VideoFrame
  /// Begins to stream, or ends.
  func stream(_ camera: Int32, on: Bool) throws(SystemError)
  /// What a control takes; EINVAL where there is none that can be set.
  func control(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> ClosedRange<Int32>
  /// Whether a menu has this entry.
  func hasEntry(_ camera: Int32, _ control: VideoControl, _ entry: Int32) -> Bool
  /// A control's value.
  func value(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> Int32
  /// Sets a control.
  func set(_ camera: Int32, _ control: VideoControl, to value: Int32) throws(SystemError)
}

/// The kernel's own.
package struct SystemVideoCalls: VideoCalls {
  /// Makes the calls; they hold no state.
  package init() {}

  package func open(_ node: String) throws(SystemError) -> OwnedDescriptor {
    OwnedDescriptor(owning: try check(clinux_video_open(node), "open"))
  }

  package func capability(_ camera: Int32) throws(SystemError) -> VideoCapability {
    var told = clinux_video_capability()
    try check(clinux_video_query(camera, &told), "VIDIOC_QUERYCAP")
    return VideoCapability(
      driver: withUnsafeBytes(of: told.driver, text), name: withUnsafeBytes(of: told.card, text),
      bus: withUnsafeBytes(of: told.bus, text), captures: told.node & clinux_video_capture != 0,
      capturesPlanes: told.node & clinux_video_capture_planes != 0, streams: told.node & clinux_video_streaming != 0)
  }

  package func format(_ camera: Int32, at index: UInt32) throws(SystemError) -> PixelFormat {
    var fourcc: UInt32 = 0
    try check(clinux_video_format_at(camera, index, &fourcc), "VIDIOC_ENUM_FMT")
    return PixelFormat(rawValue: fourcc)
  }

  package func sizes(_ camera: Int32, of format: PixelFormat, at index: UInt32) throws(SystemError) -> VideoSizes {
    var told = clinux_video_range()
    try check(clinux_video_size_at(camera, format.rawValue, index, &told), "VIDIOC_ENUM_FRAMESIZES")
    let least = VideoSize(width: Int(told.min_width), height: Int(told.min_height))
    guard told.is_range != 0 else { return .one(least) }
    return .range(
      from: least, to: VideoSize(width: Int(told.max_width), height: Int(told.max_height)),
      step: VideoSize(width: Int(told.step_width), height: Int(told.step_height)))
  }

  package func rates(
    _ camera: Int32, of format: PixelFormat, _ size: VideoSize, at index: UInt32
  ) throws(SystemError) -> VideoRates {
    var told = clinux_video_interval()
    try check(
      clinux_video_interval_at(
        camera, format.rawValue, UInt32(clamping: size.width), UInt32(clamping: size.height), index, &told),
      "VIDIOC_ENUM_FRAMEINTERVALS")
    let fastest = VideoRate(pictures: told.min_denominator, seconds: told.min_numerator)
    guard told.is_range != 0 else { return .one(fastest) }
    return .range(from: VideoRate(pictures: told.max_denominator, seconds: told.max_numerator), to: fastest)
  }

  package func setFormat(_ camera: Int32, _ format: PixelFormat, _ size: VideoSize) throws(SystemError) -> VideoFormat {
    var wanted = clinux_video_format()
    wanted.fourcc = format.rawValue
    wanted.width = UInt32(clamping: size.width)
    wanted.height = UInt32(clamping: size.height)
    try check(clinux_video_set_format(camera, &wanted), "VIDIOC_S_FMT")
    return VideoFormat(
      format: PixelFormat(rawValue: wanted.fourcc),
      size: VideoSize(width: Int(wanted.width), height: Int(wanted.height)), bytesPerLine: Int(wanted.bytes_per_line),
      imageBytes: Int(wanted.image_size))
  }

  package func setRate(_ camera: Int32, _ rate: VideoRate) throws(SystemError) {
    var (seconds, pictures) = (rate.seconds, rate.pictures)
    try check(clinux_video_set_interval(camera, &seconds, &pictures), "VIDIOC_S_PARM")
  }

  package func requestBuffers(_ camera: Int32, _ count: UInt32) throws(SystemError) -> Int {
    Int(try check(clinux_video_request(camera, count), "VIDIOC_REQBUFS"))
  }

  package func map(_ camera: Int32, buffer: UInt32) throws(SystemError) -> UnsafeRawBufferPointer {
    var start: UnsafeMutableRawPointer?
    var length: UInt32 = 0
    try check(clinux_video_map(camera, buffer, &start, &length), "VIDIOC_QUERYBUF")
    return UnsafeRawBufferPointer(start: start, count: Int(length))
  }

  package func unmap(_ buffer: UnsafeRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    munmap(UnsafeMutableRawPointer(mutating: start), buffer.count)
  }

  package func queue(_ camera: Int32, buffer: UInt32) throws(SystemError) {
    try check(clinux_video_queue(camera, buffer), "VIDIOC_QBUF")
  }

  package func dequeue(_ camera: Int32) throws(SystemError) -> VideoFrame {
    var told = clinux_video_frame()
    try check(clinux_video_dequeue(camera, &told), "VIDIOC_DQBUF")
    return VideoFrame(
      buffer: told.index, bytes: Int(told.bytes), sequence: told.sequence, isDamaged: told.is_damaged != 0,
      takenAt: told.nanoseconds == 0 ? nil : MonotonicTime(nanoseconds: told.nanoseconds))
  }

  package func stream(_ camera: Int32, on: Bool) throws(SystemError) {
    try check(clinux_video_stream(camera, on ? 1 : 0), on ? "VIDIOC_STREAMON" : "VIDIOC_STREAMOFF")
  }

  package func control(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> ClosedRange<Int32> {
    var told = clinux_video_control()
    try check(clinux_video_control(camera, control.number, &told), "VIDIOC_QUERYCTRL")
    return min(told.minimum, told.maximum)...max(told.minimum, told.maximum)
  }

  package func hasEntry(_ camera: Int32, _ control: VideoControl, _ entry: Int32) -> Bool {
    clinux_video_has_entry(camera, control.number, entry) == 1
  }

  package func value(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> Int32 {
    var value: Int32 = 0
    try check(clinux_video_get(camera, control.number, &value), "VIDIOC_G_CTRL")
    return value
  }

  package func set(_ camera: Int32, _ control: VideoControl, to value: Int32) throws(SystemError) {
    try check(clinux_video_set(camera, control.number, value), "VIDIOC_S_CTRL")
  }

  @discardableResult
  private func check(_ result: Int32, _ call: String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(errno: -result, call: call) }
    return result
  }
}

/// Text up to the first NUL; bytes that are not UTF-8 are replaced.
private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

extension VideoControl {
  fileprivate var number: UInt32 {
    switch self {
    case .autoExposure: clinux_video_auto_exposure
    case .exposure: clinux_video_exposure
    case .exposurePriority: clinux_video_exposure_priority
    case .autoFocus: clinux_video_auto_focus
    case .focus: clinux_video_focus
    case .powerLine: clinux_video_power_line
    }
  }
}
