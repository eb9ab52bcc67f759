import Glibc
package import LinuxIO
package import ScanModel
package import Synchronization

/// A camera behind the system calls: does what a driver does, and fails or lies where a test says so. Its node is a real file,
/// so that it can come and go; what is waited for is a real pipe.
package final class FakeCamera: VideoCalls {
  package struct State {
    package var failures: [String: Int32] = [:]
    package var calls: [String: Int] = [:]
    package var givesPictures = true
    package var offers: [VideoOffer] = [
      VideoOffer(
        format: .grey, sizes: .one(VideoSize(width: 64, height: 48)), rates: [.one(VideoRate(pictures: 30))])
    ]
    /// Lists that never end.
    package var endless = false
    /// What the driver makes of a format; `nil` takes what is asked for.
    package var made: VideoFormat?
    package var controls: [VideoControl: (range: ClosedRange<Int32>, value: Int32)] = [:]
    package var settings: [(VideoControl, Int32)] = []
    package var pictureBytes = 64 * 48
    /// What every buffer holds; `nil` fills each with its number.
    package var picture: [UInt8]?
    /// Where each buffer is mapped, by its number.
    package var memory: [UInt32: UInt] = [:]
    package var queued: [UInt32] = []
    package var filled: [VideoFrame] = []
    package var isStreaming = false
    package var input: Int32 = -1
    package var isGone = false
    package var mapped = 0
    package var sequence: UInt32 = 0
  }

  package let node: String
  package let state = Mutex(State())

  package init() throws {
    var template = Array("/tmp/scangate-camera-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError(errno: errno, call: "mkstemp") }
    close(descriptor)
    node = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    unlink(node)
    state.withLock { if $0.input >= 0 { close($0.input) } }
  }

  // MARK: For tests

  package func plug() {
    close(Glibc.open(node, O_CREAT | O_RDWR, 0o600))
    state.withLock { $0.isGone = false }
  }

  package func unplug() {
    unlink(node)
    state.withLock { state in
      state.isGone = true
      state.isStreaming = false
      state.queued = []
      state.filled = []
      if state.input >= 0 { close(state.input) }
      state.input = -1
    }
  }

  /// Fills the oldest buffer that the driver has; `false` where it has none or does not stream.
  /// - Parameter picture: what it holds then; where there is none, what it held before.
  @discardableResult
  package func take(
    _ picture: [UInt8]? = nil, bytes: Int? = nil, isDamaged: Bool = false, buffer: UInt32? = nil
  ) -> Bool {
    state.withLock { state in
      guard state.isStreaming, let index = state.queued.first else { return false }
      state.queued.removeFirst()
      if let picture, let address = state.memory[index] {
        UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: state.pictureBytes)
          .copyBytes(from: picture.prefix(state.pictureBytes))
      }
      state.sequence += 1
      state.filled.append(
        VideoFrame(
          buffer: buffer ?? index, bytes: bytes ?? picture?.count ?? state.pictureBytes, sequence: state.sequence,
          isDamaged: isDamaged))
      var byte: UInt8 = 0
      return write(state.input, &byte, 1) == 1
    }
  }

  package func calls(_ name: String) -> Int { state.withLock { $0.calls[name] ?? 0 } }
  package func fail(_ name: String, _ errno: Int32?) { state.withLock { $0.failures[name] = errno } }

  // MARK: The calls

  private func counted<Value: Sendable>(
    _ name: String, _ body: (inout State) -> Result<Value, SystemError>
  ) throws(SystemError) -> Value {
    try state.withLock { state -> Result<Value, SystemError> in
      state.calls[name, default: 0] += 1
      if state.isGone { return .failure(SystemError(errno: ENODEV, call: name)) }
      if let errno = state.failures[name] { return .failure(SystemError(errno: errno, call: name)) }
      return body(&state)
    }.get()
  }

  package func open(_ node: String) throws(SystemError) -> OwnedDescriptor {
    let ends = try counted("open") { state -> Result<Int32, SystemError> in
      var ends: [Int32] = [-1, -1]
      guard node == self.node, pipe(&ends) == 0 else { return .failure(SystemError(errno: ENOENT, call: "open")) }
      if state.input >= 0 { close(state.input) }
      state.input = ends[1]
      return .success(ends[0])
    }
    return OwnedDescriptor(owning: ends)
  }

  package func givesPictures(_ camera: Int32) throws(SystemError) -> Bool {
    try counted("givesPictures") { .success($0.givesPictures) }
  }

  package func format(_ camera: Int32, at index: UInt32) throws(SystemError) -> PixelFormat {
    try counted("format") { state in
      if state.endless { return .success(PixelFormat(rawValue: 0x3030_3030 + index)) }
      var formats: [PixelFormat] = []
      for offer in state.offers where !formats.contains(offer.format) { formats.append(offer.format) }
      return Self.entry(formats, index)
    }
  }

  package func sizes(_ camera: Int32, of format: PixelFormat, at index: UInt32) throws(SystemError) -> VideoSizes {
    try counted("sizes") { state in
      if state.endless { return .success(.one(VideoSize(width: 100 + Int(index), height: 100))) }
      return Self.entry(state.offers.filter { $0.format == format }.map(\.sizes), index)
    }
  }

  package func rates(
    _ camera: Int32, of format: PixelFormat, _ size: VideoSize, at index: UInt32
  ) throws(SystemError) -> VideoRates {
    try counted("rates") { state in
      if state.endless { return .success(.one(VideoRate(pictures: index + 1))) }
      let offer = state.offers.first { $0.format == format && $0.sizes.contains(size) }
      return Self.entry(offer?.rates ?? [], index)
    }
  }

  private static func entry<Value>(_ list: [Value], _ index: UInt32) -> Result<Value, SystemError> {
    index < list.count ? .success(list[Int(index)]) : .failure(SystemError(errno: EINVAL, call: "list"))
  }

  package func setFormat(_ camera: Int32, _ format: PixelFormat, _ size: VideoSize) throws(SystemError) -> VideoFormat {
    try counted("setFormat") { state in
      .success(
        state.made
          ?? VideoFormat(format: format, size: size, bytesPerLine: size.width, imageBytes: size.width * size.height))
    }
  }

  package func setRate(_ camera: Int32, _ rate: VideoRate) throws(SystemError) {
    try counted("setRate") { _ in .success(()) }
  }

  package func requestBuffers(_ camera: Int32, _ count: UInt32) throws(SystemError) -> Int {
    try counted("requestBuffers") { state in
      state.memory = [:]
      return .success(Int(count))
    }
  }

  package func map(_ camera: Int32, buffer: UInt32) throws(SystemError) -> UnsafeRawBufferPointer {
    let address = try counted("map") { state -> Result<UInt, SystemError> in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: state.pictureBytes, alignment: 16)
      memory.initializeMemory(as: UInt8.self, repeating: UInt8(buffer))
      if let picture = state.picture { memory.copyBytes(from: picture.prefix(memory.count)) }
      state.mapped += 1
      state.memory[buffer] = UInt(bitPattern: memory.baseAddress)
      return .success(UInt(bitPattern: memory.baseAddress))
    }
    return UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: address), count: state.withLock { $0.pictureBytes })
  }

  package func unmap(_ buffer: UnsafeRawBufferPointer) {
    state.withLock { $0.mapped -= 1 }
    buffer.deallocate()
  }

  package func queue(_ camera: Int32, buffer: UInt32) throws(SystemError) {
    try counted("queue") { state -> Result<Void, SystemError> in
      guard !state.queued.contains(buffer) else { return .failure(SystemError(errno: EINVAL, call: "queue")) }
      state.queued.append(buffer)
      return .success(())
    }
  }

  package func dequeue(_ camera: Int32) throws(SystemError) -> VideoFrame {
    try counted("dequeue") { state in
      guard !state.filled.isEmpty else { return .failure(SystemError(errno: EAGAIN, call: "dequeue")) }
      var byte: UInt8 = 0
      _ = read(camera, &byte, 1)
      return .success(state.filled.removeFirst())
    }
  }

  package func stream(_ camera: Int32, on: Bool) throws(SystemError) {
    try counted(on ? "streamOn" : "streamOff") { state in
      state.isStreaming = on
      if !on {
        state.queued = []
        state.filled = []
      }
      return .success(())
    }
  }

  package func control(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> ClosedRange<Int32> {
    try counted("control") { state in
      state.controls[control].map { .success($0.range) } ?? .failure(SystemError(errno: EINVAL, call: "control"))
    }
  }

  package func hasEntry(_ camera: Int32, _ control: VideoControl, _ entry: Int32) -> Bool {
    state.withLock { $0.controls[control]?.range.contains(entry) ?? false }
  }

  package func value(_ camera: Int32, _ control: VideoControl) throws(SystemError) -> Int32 {
    try counted("value") { state in
      state.controls[control].map { .success($0.value) } ?? .failure(SystemError(errno: EINVAL, call: "value"))
    }
  }

  package func set(_ camera: Int32, _ control: VideoControl, to value: Int32) throws(SystemError) {
    try counted("set") { state -> Result<Void, SystemError> in
      guard state.controls[control]?.range.contains(value) == true else {
        return .failure(SystemError(errno: ERANGE, call: "set"))
      }
      state.controls[control]?.value = value
      state.settings.append((control, value))
      return .success(())
    }
  }
}
