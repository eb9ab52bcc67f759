import CLinux
import Glibc
package import ScanModel

/// The system calls of a camera, one function each, so that tests can make any of them fail or lie. All throw the system's
/// error; none blocks.
package protocol VideoCalls: Sendable {
  /// Opens a node. ENOTTY where it is no character device.
  func open(_ node: String) throws(SystemError) -> OwnedDescriptor
  /// Whether the node gives pictures in one plane each that can be mapped. A camera's node for metadata does not, and the raw
  /// sensors of some boards have several planes.
  func givesPictures(_ camera: Int32) throws(SystemError) -> Bool
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

  package func givesPictures(_ camera: Int32) throws(SystemError) -> Bool {
    var told = v4l2_capability()
    try ask(camera, clinux_VIDIOC_QUERYCAP, "VIDIOC_QUERYCAP", &told)
    // What this node can do, apart from the device's other nodes.
    let node = told.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? told.device_caps : told.capabilities
    return node & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 && node & UInt32(V4L2_CAP_STREAMING) != 0
  }

  package func format(_ camera: Int32, at index: UInt32) throws(SystemError) -> PixelFormat {
    var told = v4l2_fmtdesc()
    told.index = index
    told.type = capture
    try ask(camera, clinux_VIDIOC_ENUM_FMT, "VIDIOC_ENUM_FMT", &told)
    return PixelFormat(rawValue: told.pixelformat)
  }

  package func sizes(_ camera: Int32, of format: PixelFormat, at index: UInt32) throws(SystemError) -> VideoSizes {
    var told = v4l2_frmsizeenum()
    told.index = index
    told.pixel_format = format.rawValue
    try ask(camera, clinux_VIDIOC_ENUM_FRAMESIZES, "VIDIOC_ENUM_FRAMESIZES", &told)
    func size(_ width: UInt32, _ height: UInt32) -> VideoSize { VideoSize(width: Int(width), height: Int(height)) }
    guard told.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
      return .one(size(told.discrete.width, told.discrete.height))
    }
    let range = told.stepwise
    return .range(
      from: size(range.min_width, range.min_height), to: size(range.max_width, range.max_height),
      step: size(range.step_width, range.step_height))
  }

  package func rates(
    _ camera: Int32, of format: PixelFormat, _ size: VideoSize, at index: UInt32
  ) throws(SystemError) -> VideoRates {
    var told = v4l2_frmivalenum()
    told.index = index
    told.pixel_format = format.rawValue
    told.width = UInt32(clamping: size.width)
    told.height = UInt32(clamping: size.height)
    try ask(camera, clinux_VIDIOC_ENUM_FRAMEINTERVALS, "VIDIOC_ENUM_FRAMEINTERVALS", &told)
    // The kernel has seconds a picture: the shortest interval is the fastest rate.
    func rate(_ interval: v4l2_fract) -> VideoRate {
      VideoRate(pictures: interval.denominator, seconds: interval.numerator)
    }
    guard told.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else { return .one(rate(told.discrete)) }
    return .range(from: rate(told.stepwise.max), to: rate(told.stepwise.min))
  }

  package func setFormat(_ camera: Int32, _ format: PixelFormat, _ size: VideoSize) throws(SystemError) -> VideoFormat {
    var wanted = v4l2_format()
    wanted.type = capture
    wanted.fmt.pix.width = UInt32(clamping: size.width)
    wanted.fmt.pix.height = UInt32(clamping: size.height)
    wanted.fmt.pix.pixelformat = format.rawValue
    wanted.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    try ask(camera, clinux_VIDIOC_S_FMT, "VIDIOC_S_FMT", &wanted)
    // What the driver made of it is what counts.
    let made = wanted.fmt.pix
    return VideoFormat(
      format: PixelFormat(rawValue: made.pixelformat),
      size: VideoSize(width: Int(made.width), height: Int(made.height)),
      bytesPerLine: Int(made.bytesperline), imageBytes: Int(made.sizeimage))
  }

  package func setRate(_ camera: Int32, _ rate: VideoRate) throws(SystemError) {
    var wanted = v4l2_streamparm()
    wanted.type = capture
    wanted.parm.capture.timeperframe = v4l2_fract(numerator: rate.seconds, denominator: rate.pictures)
    try ask(camera, clinux_VIDIOC_S_PARM, "VIDIOC_S_PARM", &wanted)
  }

  package func requestBuffers(_ camera: Int32, _ count: UInt32) throws(SystemError) -> Int {
    var request = v4l2_requestbuffers()
    request.count = count
    request.type = capture
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try ask(camera, clinux_VIDIOC_REQBUFS, "VIDIOC_REQBUFS", &request)
    return Int(request.count & 0xFFFF)
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
    var queued = mapped(buffer)
    try ask(camera, clinux_VIDIOC_QBUF, "VIDIOC_QBUF", &queued)
  }

  package func dequeue(_ camera: Int32) throws(SystemError) -> VideoFrame {
    var told = mapped(0)
    try ask(camera, clinux_VIDIOC_DQBUF, "VIDIOC_DQBUF", &told)
    let stamp = clinux_video_stamp(&told)
    return VideoFrame(
      buffer: told.index, bytes: Int(told.bytesused), sequence: told.sequence,
      isDamaged: told.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0,
      takenAt: stamp == 0 ? nil : MonotonicTime(nanoseconds: stamp))
  }

  package func stream(_ camera: Int32, on: Bool) throws(SystemError) {
    var type = capture
    if on {
      try ask(camera, clinux_VIDIOC_STREAMON, "VIDIOC_STREAMON", &type)
    } else {
      try ask(camera, clinux_VIDIOC_STREAMOFF, "VIDIOC_STREAMOFF", &type)
    }
  }

  package func control(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> ClosedRange<Int32> {
    var told = v4l2_queryctrl()
    told.id = control.number
    try ask(camera, clinux_VIDIOC_QUERYCTRL, "VIDIOC_QUERYCTRL", &told)
    guard told.flags & UInt32(V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY) == 0 else {
      throw SystemError(errno: EINVAL, call: "VIDIOC_QUERYCTRL")
    }
    return min(told.minimum, told.maximum)...max(told.minimum, told.maximum)
  }

  package func hasEntry(_ camera: Int32, _ control: VideoControl, _ entry: Int32) -> Bool {
    clinux_video_has_entry(camera, control.number, entry) == 1
  }

  package func value(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> Int32 {
    var told = v4l2_control(id: control.number, value: 0)
    try ask(camera, clinux_VIDIOC_G_CTRL, "VIDIOC_G_CTRL", &told)
    return told.value
  }

  package func set(_ camera: Int32, _ control: VideoControl, to value: Int32) throws(SystemError) {
    var wanted = v4l2_control(id: control.number, value: value)
    try ask(camera, clinux_VIDIOC_S_CTRL, "VIDIOC_S_CTRL", &wanted)
  }

  private var capture: UInt32 { V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue }

  private func mapped(_ index: UInt32) -> v4l2_buffer {
    var buffer = v4l2_buffer()
    buffer.type = capture
    buffer.memory = V4L2_MEMORY_MMAP.rawValue
    buffer.index = index
    return buffer
  }

  private func ask<Argument>(
    _ camera: Int32, _ number: UInt, _ call: String, _ argument: inout Argument
  ) throws(SystemError) {
    try check(withUnsafeMutablePointer(to: &argument) { clinux_video_call(camera, number, $0) }, call)
  }

  @discardableResult
  private func check(_ result: Int32, _ call: String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(errno: -result, call: call) }
    return result
  }
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
