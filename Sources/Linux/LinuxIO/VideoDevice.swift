import Glibc
package import ScanModel

/// An open camera: sets it up, streams, and gives what it was found with back at the end.
///
/// Pictures lie in the driver's buffers, which are mapped for reading; each goes back to the driver on every path, or the
/// camera would stop after a handful. Nothing that the driver says is believed before it is looked at: sizes, lists that
/// never end, buffer numbers, byte counts. One owner, one thread.
package struct VideoDevice: ~Copyable {
  /// Why taking pictures ended.
  package enum End: Sendable, Equatable {
    /// Nothing more for now.
    case drained
    /// The camera is gone.
    case gone(SystemError)
    /// The stream is broken: it must be begun anew.
    case broken(SystemError)
  }

  /// How pictures lie in memory; `nil` while it does not stream.
  package private(set) var format: VideoFormat?

  private let calls: any VideoCalls
  private let owner: OwnedDescriptor
  private var buffers: [UnsafeRawBufferPointer] = []
  /// Controls as they were found, in the order in which they were set.
  private var found: [(control: VideoControl, value: Int32)] = []

  private static let mostFormats = 32
  private static let mostSizes = 64
  private static let mostRates = 32
  /// Of all lists together; each is a question that a USB camera may take a while to answer.
  private static let mostQuestions = 1024
  private static let mostImageBytes = 16 << 20
  private static let bufferCount: UInt32 = 4

  /// Opens a node. Sets nothing yet: others can go on using the camera.
  /// - Throws: the system's error: EACCES; ENOENT, ENODEV and ENXIO where it is not there; ENOTTY where it is no node that
  ///   gives pictures.
  package init(node: String, calls: any VideoCalls = SystemVideoCalls()) throws(SystemError) {
    let owner = try calls.open(node)
    guard try calls.givesPictures(owner.number) else { throw SystemError(errno: ENOTTY, call: "VIDIOC_QUERYCAP") }
    self.init(owner: owner, calls: calls)
  }

  /// Nothing is thrown where properties have their values already: Swift 6.2 miscompiles that in what is not copied.
  private init(owner: consuming OwnedDescriptor, calls: any VideoCalls) {
    self.calls = calls
    self.owner = owner
  }

  deinit {
    // A camera that is gone takes none of it, and needs none.
    try? calls.stream(owner.number, on: false)
    buffers.forEach(calls.unmap)
    if !buffers.isEmpty { _ = try? calls.requestBuffers(owner.number, 0) }
    for (control, value) in found.reversed() { try? calls.set(owner.number, control, to: value) }
  }

  /// The descriptor to wait for.
  package var descriptor: Int32 { owner.number }

  // MARK: What it can do

  /// Everything that the camera offers, as far as it can be asked in bounded time.
  package func offers() -> [VideoOffer] {
    var questions = 0
    func may(_ index: UInt32, _ most: Int) -> Bool {
      questions += 1
      return Int(index) < most && questions <= Self.mostQuestions
    }
    var offers: [VideoOffer] = []
    var formats: Set<PixelFormat> = []
    var place: UInt32 = 0
    // A format that comes twice is a list that does not end.
    while may(place, Self.mostFormats), let format = try? calls.format(owner.number, at: place),
      formats.insert(format).inserted
    {
      place += 1
      var sizes: [VideoSizes] = []
      var index: UInt32 = 0
      while may(index, Self.mostSizes) {
        do throws(SystemError) {
          let size = try calls.sizes(owner.number, of: format, at: index)
          guard !sizes.contains(size) else { break }
          sizes.append(size)
          // A range says it all.
          if case .range = size { break }
          index += 1
        } catch {
          // Old drivers have no such list and take what they are asked for, or make something else of it.
          if index == 0, error.errno == ENOTTY { sizes = [.any] }
          break
        }
      }
      for size in sizes {
        var rates: [VideoRates] = []
        var index: UInt32 = 0
        while may(index, Self.mostRates),
          let rate = try? calls.rates(owner.number, of: format, size.typical, at: index), !rates.contains(rate)
        {
          rates.append(rate)
          if case .range = rate { break }
          index += 1
        }
        offers.append(VideoOffer(format: format, sizes: size, rates: rates))
      }
    }
    return offers
  }

  // MARK: Controls

  /// Sets a control, where the camera has it and takes the value or one near it; what it was comes back at the end.
  /// - Returns: whether it is set now.
  package mutating func set(_ control: VideoControl, to wanted: Int32) -> Bool {
    guard let range = try? calls.control(owner.number, control), let before = try? calls.value(owner.number, control)
    else { return false }
    if control == .autoExposure || control == .powerLine {
      guard range.contains(wanted), calls.hasEntry(owner.number, control, wanted) else { return false }
    }
    let value = min(max(wanted, range.lowerBound), range.upperBound)
    if before == value { return true }
    guard (try? calls.set(owner.number, control, to: value)) != nil else { return false }
    if !found.contains(where: { $0.control == control }) { found.append((control, before)) }
    return true
  }

  /// What a control takes; `nil` where the camera has none that can be set.
  package func range(of control: VideoControl) -> ClosedRange<Int32>? { try? calls.control(owner.number, control) }

  // MARK: Pictures

  /// Sets format and rate as nearly as the driver can, and begins to stream.
  /// - Returns: what the driver made of it, which may be something else.
  /// - Throws: the system's error; EBUSY where another program has the camera, EPROTO where what the driver says cannot be.
  package mutating func start(_ format: PixelFormat, _ size: VideoSize, _ rate: VideoRate?) throws(SystemError)
    -> VideoFormat
  {
    let told = try calls.setFormat(owner.number, format, size)
    guard let made = told.checked, made.imageBytes <= Self.mostImageBytes else {
      throw SystemError(errno: EPROTO, call: "VIDIOC_S_FMT")
    }
    // Not every camera lets one choose; the rate that it has is seen by its pictures.
    if let rate { try? calls.setRate(owner.number, rate) }
    let count = try calls.requestBuffers(owner.number, Self.bufferCount)
    guard (1...32).contains(count) else { throw SystemError(errno: ENOMEM, call: "VIDIOC_REQBUFS") }
    for index in 0..<UInt32(count) { buffers.append(try calls.map(owner.number, buffer: index)) }
    for index in 0..<UInt32(count) { try calls.queue(owner.number, buffer: index) }
    try calls.stream(owner.number, on: true)
    self.format = made
    return made
  }

  /// Takes every picture that has come, and shows the newest good one.
  /// - Parameters:
  ///   - examine: called for each, oldest first; says whether it can be used.
  ///   - use: called at most once, with the newest that can; the bytes are valid during the call only.
  package func takeNewest(
    examine: (VideoFrame, UnsafeRawBufferPointer) -> Bool, use: (VideoFrame, UnsafeRawBufferPointer) -> Void
  ) -> End {
    var newest: VideoFrame?
    var end = End.drained
    // More than there are buffers in one turn would keep the others waiting.
    for _ in 0..<(2 * max(1, buffers.count)) {
      do throws(SystemError) {
        let frame = try calls.dequeue(owner.number)
        guard let bytes = bytes(of: frame) else {
          end = .broken(SystemError(errno: EPROTO, call: "VIDIOC_DQBUF"))
          break
        }
        if examine(frame, bytes) {
          let older = newest
          newest = frame
          if let older { try calls.queue(owner.number, buffer: older.buffer) }
        } else {
          try calls.queue(owner.number, buffer: frame.buffer)
        }
      } catch {
        if error.errno != EAGAIN { end = Self.end(by: error) }
        break
      }
    }
    guard let newest, let bytes = bytes(of: newest) else { return end }
    use(newest, bytes)
    do throws(SystemError) {
      try calls.queue(owner.number, buffer: newest.buffer)
    } catch {
      if end == .drained { end = Self.end(by: error) }
    }
    return end
  }

  /// What was filled; `nil` where the driver names a buffer that there is not, or more bytes than it has.
  private func bytes(of frame: VideoFrame) -> UnsafeRawBufferPointer? {
    guard frame.buffer < buffers.count else { return nil }
    let buffer = buffers[Int(frame.buffer)]
    guard (0...buffer.count).contains(frame.bytes) else { return nil }
    return UnsafeRawBufferPointer(rebasing: buffer[..<frame.bytes])
  }

  private static func end(by error: SystemError) -> End {
    switch error.errno {
    case ENODEV, ENXIO, EBADF: .gone(error)
    default: .broken(error)
    }
  }
}

extension VideoSizes {
  /// Every size that a picture can have here.
  static let any = VideoSizes.range(
    from: VideoSize(width: 16, height: 16), to: VideoSize(width: 8192, height: 8192),
    step: VideoSize(width: 1, height: 1))

  /// The size at which rates are asked for.
  var typical: VideoSize {
    switch self {
    case .one(let size): size
    case .range(let least, let most, _):
      VideoSize(
        width: min(max(1280, least.width), max(least.width, most.width)),
        height: min(max(720, least.height), max(least.height, most.height)))
    }
  }
}

extension VideoFormat {
  /// The same with the row length that follows where the driver gives none; `nil` where it cannot be.
  var checked: VideoFormat? {
    guard size.isSane, imageBytes > 0, bytesPerLine >= 0, bytesPerLine <= 8 * 8192 else { return nil }
    var checked = self
    guard let least = format.bytesPerPixelInRow.map({ $0 * size.width }) else { return checked }
    if checked.bytesPerLine == 0 { checked.bytesPerLine = least }
    return checked.bytesPerLine >= least ? checked : nil
  }

  /// Bytes that a whole picture has at least; 1 where that cannot be said.
  package var leastBytes: Int {
    switch format {
    case .grey: bytesPerLine * (size.height - 1) + size.width
    case .yuyv: bytesPerLine * (size.height - 1) + 2 * size.width
    case .nv12: bytesPerLine * (size.height + (size.height + 1) / 2)
    case .yu12: bytesPerLine * size.height + 2 * ((bytesPerLine / 2) * ((size.height + 1) / 2))
    case .mjpg: 4
    default: 1
    }
  }
}

extension PixelFormat {
  /// Bytes of a pixel in the first plane, of the formats that are read without a converter.
  fileprivate var bytesPerPixelInRow: Int? {
    switch self {
    case .grey, .nv12, .yu12: 1
    case .yuyv: 2
    default: nil
    }
  }
}
