package import DecodeProtocol
package import LinuxIO

/// A camera's decoder: a worker process behind a fence, which is replaced whenever it dies, hangs or answers nonsense.
///
/// Used on its loop's thread alone. It holds itself until `stop`.
package final class FencedDecoder {
  private let keeper: WorkerKeeper
  private let loop: DeviceLoop

  /// Makes a decoder; a worker is started at once.
  /// - Parameters:
  ///   - loop: the thread of the decoder, and of its owner.
  ///   - program: the worker's executable, such as `DecodeProgram.path` finds.
  ///   - settings: what is looked for.
  ///   - deadline: how much of the processor's time a frame may take. A worker that takes none is ended after 2 s.
  ///   - report: called on the loop's thread, never from within `submit`.
  package init(
    loop: DeviceLoop, program: String, settings: DecodeSettings, deadline: Duration = .milliseconds(300),
    report: @escaping (DecodeEvent) -> Void
  ) {
    self.loop = loop
    keeper = WorkerKeeper(loop: loop, program: program, settings: settings, deadline: deadline) { event in
      switch event {
      case .result(let number, let result): report(.reading(frame: number, result.reading))
      case .shown(let number, let picture): report(.shown(frame: number, picture))
      case .spoilt(let number, let fault): report(.spoilt(frame: number, reason: .picture(fault)))
      case .ended(let fault, _): report(.replaced(fault))
      case .noise(let lines): report(.noise(lines: lines))
      }
    }
  }

  /// A frame would be taken now.
  package var isReady: Bool { keeper.isReady }

  /// Called on the loop's thread whenever a frame would be taken after none was.
  package var onReady: () -> Void {
    get { keeper.onReady }
    set { keeper.onReady = newValue }
  }

  /// The worker's process, for those who watch it.
  package var process: Int32? { keeper.process }

  /// What happened so far.
  package var counters: DecodeCounters { keeper.counters.values }

  /// Hands a frame over; its bytes are copied.
  /// - Parameters:
  ///   - number: is told with what was read; the caller's own.
  ///   - isShown: whether somebody wants to see it: it comes after what was read, made smaller.
  /// - Returns: `false` where the frame is not taken: the worker is busy or is being replaced, or the frame is larger than
  ///   `DecodeLimits.maximumFrame`.
  package func submit(_ frame: RawFrame, number: UInt64, isShown: Bool = false) -> Bool {
    loop.checkIsolated()
    guard keeper.isReady,
      let width = UInt32(exactly: frame.width), let height = UInt32(exactly: frame.height),
      let stride = UInt32(exactly: frame.stride), let count = UInt32(exactly: frame.bytes.count),
      keeper.fill(frame.bytes)
    else { return false }
    let layout = FrameLayout(
      format: frame.format, width: width, height: height, stride: stride, byteCount: count, isShown: isShown)
    return keeper.request(.frame(number: number, layout), number: number)
  }

  /// Ends the worker; nothing is reported any more.
  package func stop() {
    loop.checkIsolated()
    keeper.stop()
  }
}
