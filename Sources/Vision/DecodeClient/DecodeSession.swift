package import DecodeProtocol
package import LinuxIO
import ScanModel

/// Picture files read by a worker behind a fence, one after another: for commands.
package actor DecodeSession {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private nonisolated let loop: DeviceLoop
  private let keeper: WorkerKeeper
  private let inbox: Inbox
  private var number: UInt64 = 0
  /// The length of the file that is in the memory.
  private var byteCount: UInt32 = 0

  /// What was read in a picture, and the PNG that was asked for.
  package struct Picture: Sendable {
    /// What was read.
    package var result: DecodeResult
    /// A PNG file: what shows how it was read, or the logo; empty where none was asked for, or none could be made.
    package var explanation: [UInt8]
  }

  /// Where answers come in; used on the loop's thread alone.
  private final class Inbox: @unchecked Sendable {
    // The keeper and the session call it, both on the loop's thread.
    var waiting: CheckedContinuation<Outcome, Never>?
    /// Why no worker can be started, which is told once.
    var startFault: DecodeFault?

    func resume(_ outcome: Outcome) { exchange(&waiting, with: nil)?.resume(returning: outcome) }
  }

  private enum Outcome {
    case ready
    case result(DecodeResult)
    case fault(DecodeFault)
  }

  /// Makes a session; its worker is started at once.
  /// - Parameters:
  ///   - program: the worker's executable.
  ///   - settings: what is looked for; the mode is pictures, whatever is said.
  ///   - deadline: how long a picture may take.
  /// - Throws: the system's error where no thread can be had.
  package init(program: String, settings: DecodeSettings, deadline: Duration = .seconds(10)) throws(SystemError) {
    loop = try DeviceLoop(name: "decode")
    var settings = settings
    settings.mode = .pictures
    let inbox = Inbox()
    self.inbox = inbox
    keeper = WorkerKeeper(loop: loop, program: program, settings: settings, deadline: deadline) { event in
      switch event {
      case .result(_, let result): inbox.resume(.result(result))
      case .shown: break
      case .spoilt(_, let fault): inbox.resume(.fault(.picture(fault)))
      case .ended(let fault, _):
        if case .cannotStart = fault { inbox.startFault = fault }
        inbox.resume(.fault(fault))
      case .noise: break
      }
    }
    keeper.onReady = {
      inbox.startFault = nil
      inbox.resume(.ready)
    }
  }

  /// What happened so far.
  package var counters: DecodeCounters { keeper.counters.values }

  /// Reads the codes of a picture file, or of a frame of a video.
  /// - Parameters:
  ///   - file: the file's bytes; `nil` for the file of the call before.
  ///   - frame: which frame of a video, from 0.
  /// - Throws: why it cannot be read; the next file is read none the less.
  package func read(
    _ file: [UInt8]?, frame: UInt32 = 0, purpose: PictureLayout.Purpose = .reading
  ) async throws(DecodeFault) -> Picture {
    if let file {
      guard file.count <= keeper.capacity else {
        throw .picture(PictureFault(.tooLarge, "the file is larger than \(keeper.capacity >> 20) MB"))
      }
      byteCount = UInt32(file.count)
      // The worker may be just starting; it sees the bytes when it is asked.
      guard file.withUnsafeBytes({ keeper.fill($0) }) else { throw .cannotStart("no memory can be shared") }
    }
    while !keeper.isReady {
      if let fault = inbox.startFault { throw fault }
      if case .fault(let fault) = await next() { throw fault }
    }
    number += 1
    let layout = PictureLayout(byteCount: byteCount, frame: frame, purpose: purpose)
    guard keeper.request(.picture(number: number, layout), number: number) else {
      throw .cannotStart("the decoder ended before it was asked")
    }
    switch await next() {
    case .ready: throw .lied("it was not asked")
    case .fault(let fault): throw fault
    case .result(let result):
      let returned = keeper.returned(Int(result.explanationBytes))
      guard purpose == .logo else { return Picture(result: result, explanation: returned) }
      // A worker that a picture has taken over can only lie about colours: the file is written here.
      let (width, height) = (Int(result.width), Int(result.height))
      guard (1...DecodeLimits.longestLogo).contains(width), (1...DecodeLimits.longestLogo).contains(height),
        returned.count == 4 * width * height
      else { throw .lied("a logo of \(width)x\(height) pixels in \(returned.count) bytes") }
      return Picture(result: result, explanation: PlainPNG.bytes(width: width, rgba: returned))
    }
  }

  /// Ends the worker and the session's thread.
  package func stop() {
    keeper.stop()
    inbox.resume(.fault(.cannotStart("the session was ended")))
    loop.stop()
  }

  private func next() async -> Outcome { await withCheckedContinuation { inbox.waiting = $0 } }
}
